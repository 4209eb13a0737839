"""What a denial that may be of a reason alone does to the facts: nothing where it may be that."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.domain.facts.fact import MERGED_BY, Fact
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.plain.denying.reasons import DeniedReason
from recollect.domain.facts.updates.reconciling import NOTHING, Outcome
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import Phrase, words_in


def spare_reasons(outcome: Outcome, reason: DeniedReason, known: Sequence[Fact]) -> Outcome:
    """What becomes of the facts, if a denial with a reason is not to end what it may leave so.

    Where a fact says what is denied, the reason may be all that is: nothing is learnt then, either.
    """
    if any(_affirms(fact, reason.said) for fact in known):
        return NOTHING
    return replace(outcome, retracts=()) if reason.is_sure else outcome


def _affirms(fact: Fact, said: Phrase) -> bool:
    """Whether a fact has no word of meaning that some words lack, and denies nothing."""
    denied = _words_of_meaning(said)
    parts = (part for part in fact.content.split(MERGED_BY) if not negates(part))
    meant = (_words_of_meaning(words_in(part)) for part in parts)
    return any(words and words <= denied for words in meant)


def _words_of_meaning(words: Phrase) -> set[str]:
    return {word for word in words if word[0].isalnum() and not is_common_word(word)}
