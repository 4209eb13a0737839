"""Fit the weights of logs, and judge each conversation by weights that are fitted to the others.

    python weights.py DATA [--penalty 0.2]

DATA is the folder that `benchmarks/recall.py` reads. Its conversations are stored as logs in
memory, each question is searched for as recall does, and the candidates of each search become rows
of numbers (`features.py`). The weights are those under which the evidence is the most probable of
its search (a softmax over the best candidates), with a quadratic penalty. Printed are R@1, R@5,
R@10 and R@20 with the weights of `domain/recall/ranking.py`, with weights fitted to the other
conversations, and the weights that a fit to all conversations gives, beside those that are built.
"""

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import torch

from features import BUILT, NAMES, read_features, words_worth
from recollect.composition import build_services
from recollect.domain.followup.language import detect_language
from recollect.domain.identity.scope import DEFAULT_TENANT, Scope
from recollect.domain.recall.entry import Candidate, RecallQuery
from recollect.domain.recall.query import RecallQuestion, read_question
from recollect.domain.recall.ranking import rank, said_once
from recollect.engines.in_memory import in_memory_stores
from recollect.memory import Memory
from recollect.models.embedding.local_embedder import LocalEmbedder
from recollect.models.stems import SnowballStems
from recollect.models.tokens import token_counter_for
from recollect.ports.models import Embedder
from recollect.ports.recall import RecallIndex
from recollect.services.recall.recall import terms_of
from recollect.services.services import ServiceDependencies
from recollect.system import RandomIds
from recollect.testing import FixedClock

Json = dict[str, Any]
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

_DATE: Final = "%I:%M %p on %d %B, %Y"
_COUNT: Final = 60
"""Candidates by words and by meaning, as for twenty results."""
_READ: Final = 80
"""The best candidates of a search that a fit looks at, and all that are evidence."""
_AGAIN: Final = 0.1
"""How much less each further message of a session counts, as in `ranking.py`."""
_DEPTHS: Final = (1, 5, 10, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A question with its candidates as rows of numbers."""

    conversation: str
    rows: Floats
    is_evidence: Floats
    evidence: int
    """Messages that the answer needs, candidates or not."""
    sessions: Sequence[int]
    gists: Sequence[tuple[str | None, str]]

    def recalls(self, weights: Floats) -> list[float]:
        """The share of the evidence among the first results, at each depth."""
        order = self.order(weights)
        found = [self.is_evidence[order[:depth]].sum() for depth in _DEPTHS]
        return [float(number) / self.evidence for number in found]

    def order(self, weights: Floats) -> list[int]:
        """The places of the candidates, the best first, each thing said once."""
        scores = scores_of(self.rows, weights)
        better: defaultdict[int, int] = defaultdict(int)
        for at in np.argsort(-scores, kind="stable"):
            scores[at] -= _AGAIN * better[self.sessions[at]]
            better[self.sessions[at]] += 1
        said: dict[tuple[str | None, str], int] = {}
        for at in np.argsort(-scores, kind="stable"):
            said.setdefault(self.gists[at], int(at))
        return list(said.values())


def scores_of(rows: Floats, weights: Floats) -> Floats:
    """The scores of candidates, without what further messages of a session lose."""
    least, worth, share = words_worth(rows, weights)
    scores: Floats = rows @ weights + share * (np.maximum(worth, least) - worth)
    return scores


async def searches_of(
    conversation: Json, index: RecallIndex, memory: Memory, clock: FixedClock, embedder: Embedder
) -> list[Search]:
    """Store a conversation as a log and search for all of its questions."""
    user = str(conversation["id"])
    turns: dict[Any, str] = {}
    for part in conversation["sessions"]:
        moment = datetime.strptime(part["date"], _DATE).replace(tzinfo=UTC)
        clock.move(moment - clock.now())
        session = await memory.session(user=user)
        for turn in part["turns"]:
            named = {"speaker": turn["speaker"]}
            message = await session.add("user", turn["text"], metadata=named)
            turns[message.message_id] = turn["id"]
    while await memory.catch_up():
        pass
    scope, stems, now = Scope(tenant=DEFAULT_TENANT, user=user), SnowballStems(), clock.now()
    speakers = await index.speakers(scope, limit=100)
    searches: list[Search] = []
    for row in conversation["questions"]:
        if not row["evidence"]:
            continue
        language = detect_language(row["question"])
        question = read_question(
            row["question"], speakers=speakers, me=user, language=language, now=now
        )
        query = RecallQuery(
            terms=question.terms(partial(terms_of, stems=stems, language=language)),
            model=embedder.model,
            vector=await embedder.embed_question(question.to_embed),
            count=_COUNT,
        )
        candidates = await index.search(scope, query)
        evidence = frozenset(row["evidence"])
        searches.append(_search(user, candidates, question, now, evidence, turns))
    return searches


def _search(
    conversation: str,
    candidates: Sequence[Candidate],
    question: RecallQuestion,
    now: datetime,
    evidence: frozenset[str],
    turns: dict[Any, str],
) -> Search:
    found = [turns[one.entry.message_ids[0]] in evidence for one in candidates]
    search = Search(
        conversation=conversation,
        rows=read_features(candidates, question, now=now),
        is_evidence=np.array(found, float),
        evidence=len(evidence),
        sessions=[one.entry.session_id.int for one in candidates],
        gists=[one.entry.gist for one in candidates],
    )
    _check(search, candidates, question, now)
    return search


def _check(
    search: Search, candidates: Sequence[Candidate], question: RecallQuestion, now: datetime
) -> None:
    """Whether the numbers and the weights that are built give the order of `ranking.py`."""
    ranked = [] if question.occurrence else rank(candidates, question, now=now)
    first = [one.candidate.entry for one in said_once(ranked, most=_DEPTHS[-1])]
    entries = [candidates[at].entry for at in search.order(BUILT)]
    if any(one.gist != other.gist for one, other in zip(first, entries, strict=False)):
        raise SystemExit("features.py no longer says what ranking.py weighs")


def fit(searches: Sequence[Search], penalty: float) -> Floats:
    """The weights under which the evidence of the searches is the most probable."""
    some = [one for one in searches if one.is_evidence.any()]
    most = _READ + max(int(one.is_evidence.sum()) for one in some)
    rows = torch.zeros(len(some), most, len(NAMES))
    wanted, is_there = torch.zeros(len(some), most), torch.zeros(len(some), most, dtype=torch.bool)
    for number, one in enumerate(some):
        best = np.argsort(-scores_of(one.rows, BUILT))[:_READ]
        read = sorted({*best.tolist(), *np.flatnonzero(one.is_evidence).tolist()})
        rows[number, : len(read)] = torch.tensor(one.rows[read])
        wanted[number, : len(read)] = torch.tensor(one.is_evidence[read] / one.is_evidence.sum())
        is_there[number, : len(read)] = True
    spread = rows[is_there].std(0) + 1e-6
    scaled = (torch.tensor(BUILT, dtype=torch.float32) * spread).requires_grad_()
    optimiser = torch.optim.LBFGS([scaled], max_iter=300, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        weights = scaled / spread
        least, worth, share = words_worth(rows, weights)
        scores = rows @ weights + share * (torch.clamp(worth, min=least) - worth)
        likely = torch.log_softmax(scores.masked_fill(~is_there, -1e9), 1)
        missed = -(wanted * likely.masked_fill(~is_there, 0)).sum(1).mean()
        total: torch.Tensor = missed + penalty * (scaled * scaled).mean()
        total.backward()
        return total

    optimiser.step(loss)
    return (scaled / spread).detach().numpy().astype(float)


def percent(recalls: Iterable[Sequence[float]]) -> str:
    """The mean recalls of questions, in percent."""
    means = 100 * np.array(list(recalls)).mean(0)
    return " / ".join(f"{mean:.1f}" for mean in means)


async def read_all(conversations: Iterable[Json]) -> list[Search]:
    """The searches of all conversations."""
    clock = FixedClock()
    stores, embedder = in_memory_stores(clock), LocalEmbedder.built_in()
    dependencies = ServiceDependencies(
        clock=clock,
        ids=RandomIds(),
        counter_for=token_counter_for,
        stems=SnowballStems(),
        embedder=embedder,
    )
    memory = Memory(build_services(stores, dependencies))
    searches: list[Search] = []
    for conversation in conversations:
        index = cast(RecallIndex, stores.recall)  # this engine has one
        searches += await searches_of(conversation, index, memory, clock, embedder)
        print(f"{conversation['id']}: {len(searches)} searches so far", flush=True)
    return searches


def main() -> None:
    """Print what is found as built and cross-validated, and the weights of a fit to all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--penalty", type=float, default=0.2)
    options = parser.parse_args()
    for path in sorted((options.data / "recall").glob("*.jsonl")):
        lines = filter(None, path.read_text("utf-8").splitlines())
        searches = asyncio.run(read_all(map(json.loads, lines)))
        depths = " / ".join(f"R@{depth}" for depth in _DEPTHS)
        print(f"\n{path.stem}, {len(searches)} questions: {depths}")
        print("as built:        ", percent(one.recalls(BUILT) for one in searches))
        judged: list[list[float]] = []
        for conversation in sorted({one.conversation for one in searches}):
            others = [one for one in searches if one.conversation != conversation]
            weights = fit(others, options.penalty)
            judged += [o.recalls(weights) for o in searches if o.conversation == conversation]
        print("cross-validated: ", percent(judged))
        print("\nweight: built, fitted to all")
        for name, built, fitted in zip(NAMES, BUILT, fit(searches, options.penalty), strict=True):
            print(f"  {name:<28}{built:>8.2f}{fitted:>8.2f}")


if __name__ == "__main__":
    main()
