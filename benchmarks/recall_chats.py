"""Measure recall on long chats between a user and an assistant, beside BM25.

    python benchmarks/recall_chats.py DATA [--engine in_memory|postgres] [--rankings FOLDER]

DATA is a checkout of BEAM, https://github.com/mohammadtavakoli78/BEAM. That repository states no
licence, so nothing of it is kept or shipped here. Read are the chats of about 100,000 tokens,
`chats/100K`: `chat.json` and `probing_questions/probing_questions.json` of each. Questions that
name no source messages, such as those whose answer the chat does not have, are left out.

Each chat is stored twice, for owners of its own and with the clock at the dates it names: as
exchanges, and as a log in which each message names its speaker. Messages are indexed by the
worker's own code, and questions are asked through `Memory.recall`. R@k is the share of a
question's evidence among the first k, averaged over questions. In the first table evidence are
the exchanges, a user's message and its reply, that have one of its source messages, and a message
of the log counts for its exchange. In the second they are the source messages themselves. BM25 is
computed here, over whole exchanges, over the user's messages alone, and over all messages.
`--rankings` keeps the rankings, as numbers of messages; an exchange has that of its first.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid4

from beam_dataset import Chat, Exchange, Question, read_chats
from recall_measuring import (
    RESULTS,
    Bench,
    Json,
    argument_parser,
    open_bench,
    ranking_row,
    write_rankings,
)
from recollect.domain.recall.ranking import Bm25Index
from recollect.handles.session import SessionHandle
from recollect.models.stems import SnowballStems

DEPTHS: Final = (1, 5, 10)
EXCHANGES: Final = "exchanges"
LOG: Final = "log"
BM25: Final = "bm25"
BM25_USER: Final = "bm25_user"
LOG_MESSAGES: Final = "log_messages"
BM25_MESSAGES: Final = "bm25_messages"
BY_EXCHANGE: Final = {
    EXCHANGES: "as exchanges",
    LOG: "as a log",
    BM25: "BM25",
    BM25_USER: "BM25, user only",
}
BY_MESSAGE: Final = {LOG_MESSAGES: "as a log", BM25_MESSAGES: "BM25"}

Ranked = tuple[int, ...]
"""Numbers of messages, the best first."""
Store = Callable[[SessionHandle, Exchange], Awaitable[Sequence[UUID]]]
"""Stores an exchange; returns the ids of the user's message and of its reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What a method ranks for a question."""

    chat_id: str
    category: str
    evidence: frozenset[int]
    ranked: Ranked

    def recall_at(self, depth: int) -> float:
        """The share of the evidence among the first results."""
        return len(self.evidence.intersection(self.ranked[:depth])) / len(self.evidence)


Rankings = dict[str, list[Ranking]]
"""Rankings by method."""


async def rank_by_memory(bench: Bench, chat: Chat, store: Store) -> list[Ranked]:
    """Store a chat for a user of its own and ask all questions about it."""
    user = f"{chat.chat_id}-{uuid4()}"
    numbers: dict[UUID, int] = {}
    for part in chat.sessions:
        session = await bench.session_at(part.moment, user=user)
        for exchange in part.exchanges:
            message_ids = await store(session, exchange)
            numbers |= zip(message_ids, (one.number for one in exchange.messages), strict=True)
    await bench.index(messages=len(numbers))
    results = [await bench.ask(question.text, user=user) for question in chat.questions]
    return [tuple(numbers[message_id] for message_id in message_ids) for message_ids in results]


async def store_exchange(session: SessionHandle, exchange: Exchange) -> list[UUID]:
    """Store an exchange as a user's question and an assistant's answer."""
    messages = await session.add_exchange(exchange.question.text, exchange.answer.text)
    return [message.message_id for message in messages]


async def store_log(session: SessionHandle, exchange: Exchange) -> list[UUID]:
    """Store an exchange as two messages of a log that names its speakers."""
    return [
        (await session.add("user", message.text, metadata={"speaker": speaker})).message_id
        for speaker, message in zip(("User", "Assistant"), exchange.messages, strict=True)
    ]


def rank_by_bm25(texts: Mapping[int, str], questions: Iterable[Question]) -> list[Ranked]:
    """Rank numbered texts by their words, for each question."""
    stems, numbers = SnowballStems(), list(texts)
    index = Bm25Index(Counter(stems.stems(text)) for text in texts.values())
    rankings: list[Ranked] = []
    for question in questions:
        scores = index.scores(Counter(stems.stems(question.text)))
        best = sorted(scores, key=lambda at: (-scores[at], at))[:RESULTS]
        rankings.append(tuple(numbers[at] for at in best))
    return rankings


async def rank_chat(bench: Bench, chat: Chat) -> Rankings:
    """The rankings of all methods for the questions about a chat."""
    log = await rank_by_memory(bench, chat, store_log)
    pairs = [exchange.messages for exchange in chat.exchanges]
    wholes = {question.number: f"{question.text}\n{answer.text}" for question, answer in pairs}
    by_exchange = {
        EXCHANGES: await rank_by_memory(bench, chat, store_exchange),
        LOG: log,
        BM25: rank_by_bm25(wholes, chat.questions),
        BM25_USER: rank_by_bm25({one.number: one.text for one, _ in pairs}, chat.questions),
    }
    messages = {message.number: message.text for pair in pairs for message in pair}
    by_message = {LOG_MESSAGES: log, BM25_MESSAGES: rank_by_bm25(messages, chat.questions)}
    firsts = {message.number: pair[0].number for pair in pairs for message in pair}
    itself = {number: number for number in firsts}
    return {
        method: list(_rankings(chat, ranked, units))
        for methods, units in ((by_exchange, firsts), (by_message, itself))
        for method, ranked in methods.items()
    }


def _rankings(
    chat: Chat, by_question: Iterable[Ranked], units: Mapping[int, int]
) -> Iterator[Ranking]:
    """Rankings of units: what several messages belong to counts once, where its first stands."""
    for question, ranked in zip(chat.questions, by_question, strict=True):
        yield Ranking(
            chat_id=chat.chat_id,
            category=question.category,
            evidence=frozenset(units[number] for number in question.sources),
            ranked=tuple(dict.fromkeys(units[number] for number in ranked)),
        )


async def measure(chats: Iterable[Chat], engine: str) -> Rankings:
    """The rankings of all methods; times are printed."""
    rankings: Rankings = {method: [] for method in (*BY_EXCHANGE, *BY_MESSAGE)}
    async with open_bench(engine) as bench:
        for chat in chats:
            for method, ranked in (await rank_chat(bench, chat)).items():
                rankings[method] += ranked
            print(f"chat {chat.chat_id} done", file=sys.stderr)
        bench.times.print()
    return rankings


def print_table(rankings: Rankings, methods: Mapping[str, str], *, title: str) -> None:
    """Print recall in percent by category and method."""
    depths = "".join(f"{f'R@{depth}':>7}" for depth in DEPTHS)
    print(f"\n{title:<32}" + "".join(f"{name:>{len(depths)}}" for name in methods.values()))
    print(f"{'category':<26}{'n':>6}" + depths * len(methods))
    categories = sorted({one.category for method in methods for one in rankings[method]})
    for category in (*categories, None):
        chosen = [
            [one for one in rankings[method] if category in {None, one.category}]
            for method in methods
        ]
        shares = (_percentage(ranked, depth) for ranked in chosen for depth in DEPTHS)
        cells = "".join(f"{share:>7.1f}" for share in shares)
        print(f"{category or 'all':<26}{len(chosen[0]):>6}{cells}")


def _percentage(rankings: Sequence[Ranking], depth: int) -> float:
    return 100 * sum(one.recall_at(depth) for one in rankings) / len(rankings)


def _rows(rankings: Iterable[Ranking]) -> Iterator[Json]:
    """The rankings as they are written to a file; questions are numbered within their chat."""
    numbers: Counter[str] = Counter()
    for one in rankings:
        yield ranking_row(one.chat_id, numbers[one.chat_id], list(map(str, one.ranked)))
        numbers[one.chat_id] += 1


def main() -> None:
    """Measure and print."""
    args = argument_parser(__doc__).parse_args()
    rankings = asyncio.run(measure(read_chats(args.data), args.engine))
    print_table(rankings, BY_EXCHANGE, title="exchanges")
    print_table(rankings, BY_MESSAGE, title="messages")
    if args.rankings:
        for method, ranked in rankings.items():
            write_rankings(args.rankings / f"chats.{method}.rankings.jsonl", _rows(ranked))


if __name__ == "__main__":
    main()
