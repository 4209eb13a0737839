"""What `domain/recall/ranking.py` weighs of a message of a log, as numbers that a fit can weigh."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np

from recollect.domain.recall import fitness, ranking, wording
from recollect.domain.recall.entry import Candidate
from recollect.domain.recall.fitness import Fitness
from recollect.domain.recall.log_context import LogContext
from recollect.domain.recall.query import RecallQuestion
from recollect.domain.recall.ranking import Level

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

# The weights that are built, by what they weigh; those of `ranking.py` whose names begin alike.
_BUILT: Final[Mapping[str, float]] = {
    "words": ranking._OWN_WORDS,
    "words, squared": ranking._MANY_WORDS,
    "words and meaning": ranking._BOTH,
    "words, short message": ranking._SHORT_WORDS,
    "meaning": ranking._OWN_MEANING,
    "short message": ranking._SHORT,
    "long message": ranking._EXCESS,
    "short question": ranking._ASKS,
    "share of I": wording._OF_SELF,
    "share of you": wording._OF_OTHERS,
    "names": wording._NAME_WEIGHT,
    "recency": ranking._RECENT,
    "session matches worse": -ranking._SESSION,
    "speaker asked for": fitness._SPEAKER,
    "time asked for": fitness._TIME_NAMED,
    "tells a time, if asked when": fitness._TIME_TOLD,
    "names, if asked for": fitness._WANTED_NAME,
    "number, if asked for": fitness._WANTED_NUMBER,
    "before: words": ranking._BEFORE[0][0],
    "before: meaning": ranking._BEFORE[0][1],
    "two before: words": ranking._BEFORE[1][0],
    "two before: meaning": ranking._BEFORE[1][1],
    "after: words": ranking._AFTER[0][0],
    "after: meaning": ranking._AFTER[0][1],
    "two after: words": ranking._AFTER[1][0],
    "two after: meaning": ranking._AFTER[1][1],
    "reply: words before": ranking._REPLY[0],
    "reply: meaning before": ranking._REPLY[1],
}
NAMES: Final = tuple(_BUILT)
BUILT: Final[Floats] = np.array(list(_BUILT.values()))
_AT: Final = {name: at for at, name in enumerate(NAMES)}


def words_worth(rows: Any, weights: Any) -> tuple[float, Any, Any]:
    """The least that the words of a message are worth, what they would be, and their share.

    Words never count against a message; takes and gives arrays of numpy or of torch.
    """
    share = rows[..., _AT["words"]]
    worth = (
        weights[_AT["words"]]
        + weights[_AT["words, squared"]] * share
        + weights[_AT["words and meaning"]] * rows[..., _AT["meaning"]]
        + weights[_AT["words, short message"]] * rows[..., _AT["short message"]]
    )
    return ranking._LEAST_WORDS, worth, share


def read_features(
    candidates: Sequence[Candidate], question: RecallQuestion, *, now: datetime
) -> Floats:
    """A row of numbers for each candidate of a search; products with the weights are scores."""
    level = Level.of(candidates)
    reader = _Reader(
        level=level,
        question=question,
        fitness=Fitness.of(question),
        log=LogContext.of(ranking._own_matches(candidates, *level)),
        now=now.timestamp(),
    )
    rows = np.zeros((len(candidates), len(NAMES)))
    for row, candidate in zip(rows, candidates, strict=True):
        for name, value in reader.numbers(candidate).items():
            row[_AT[name]] = value
    return rows


class _Reader:
    """Reads the candidates of one search."""

    def __init__(
        self,
        *,
        level: Level,
        question: RecallQuestion,
        fitness: Fitness,
        log: LogContext,
        now: float,
    ) -> None:
        self._best, self._usual = level
        self._question, self._fitness, self._log, self._now = question, fitness, log, now

    def numbers(self, candidate: Candidate) -> dict[str, float]:
        """What counts for a message, by the names of the weights."""
        entry, words, meanings, own = candidate
        traits = entry.traits
        shares = [min(one, self._best) / self._best for one in words]
        near = [0.0 if one is None else one - self._usual for one in meanings]
        share = shares[own]
        numbers = {
            "words": share,
            "words, squared": share * share,
            "words and meaning": share * near[own],
            "words, short message": share * traits.shortness,
            "meaning": near[own],
            "short message": traits.shortness,
            "long message": traits.excess,
            "short question": float(traits.is_question),
            "recency": math.exp(min(traits.said_at - self._now, 0.0) / ranking._FADING),
            "session matches worse": self._log.shortfall(entry.session_id),
        }
        places = (("before", -1), ("two before", -2), ("after", 1), ("two after", 2))
        for name, distance in places:
            if 0 <= own + distance < len(shares):
                numbers[f"{name}: words"] = traits.brevity * shares[own + distance]
                numbers[f"{name}: meaning"] = traits.brevity * near[own + distance]
        if own and self._log.is_reply(entry):
            numbers["reply: words before"] = traits.brevity * shares[own - 1]
            numbers["reply: meaning before"] = traits.brevity * near[own - 1]
        return numbers | self._wording(candidate) | self._asked_for(candidate)

    def _wording(self, candidate: Candidate) -> dict[str, float]:
        known = wording._LANGUAGES.get(self._question.language, wording._NO_WORDS)
        text = candidate.entry.text[: wording._READ]
        words = wording._WORD.findall(text.lower())
        of_self, of_others = (
            sum(map(some.__contains__, words)) / max(len(words), 1)
            for some in (known.own, known.others)
        )
        names = candidate.entry.wording(self._question.language).names
        return {"share of I": of_self, "share of you": of_others, "names": names}

    def _asked_for(self, candidate: Candidate) -> dict[str, float]:
        entry, asked = candidate.entry, self._fitness
        numbers: dict[str, float] = {}
        if asked.speaker and fitness._folded(entry.speaker) == asked.speaker:
            numbers["speaker asked for"] = 1.0
        if self._question.time is not None:
            numbers["time asked for"] = self._question.time.nearness(entry.said_at)
        if not asked.time_words.isdisjoint(fitness._WORD.findall(entry.text.lower())):
            numbers["tells a time, if asked when"] = 1.0
        told = entry.wording(self._question.language)
        if self._question.wanted.number:
            numbers["number, if asked for"] = float(told.has_number)
        elif self._question.wanted.name:
            numbers["names, if asked for"] = told.names
        return numbers
