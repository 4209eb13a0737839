"""Surnames by themselves: "Did Richards tour?" after "Who is Keith Richards?"."""

from typing import Final

from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.discourse import Discourse
from recollect.domain.followup.grammar import Text
from recollect.domain.followup.languages.pack import Kind
from recollect.domain.followup.phrases import Phrase
from recollect.domain.followup.pronouns import Resolution
from recollect.domain.followup.referents import Fit, Referent
from recollect.domain.followup.tokens import Edit

_FULL_NAME: Final = range(2, 4)
_HEADING_FIRST: Final = 100.0


def complete_names(
    text: Text, named: tuple[Phrase, ...], discourse: Discourse
) -> tuple[Resolution, ...]:
    """Say in full, once each, the names that the user has said in full before."""
    found: list[Resolution] = []
    for phrase in named:
        if not phrase.is_name or len(phrase.words) > 1 or phrase.is_quoted:
            continue
        used = [resolution.referent for resolution in found]
        person = discourse.choose(_has_surname(phrase.head), but_not=used)
        if person is not None and not person.is_heading:
            start, end = text.tokens[phrase.first].start, text.tokens[phrase.first].end
            edit = Edit(start=start, end=end, text=person.text)
            found.append(Resolution(edit=edit, signal=Signal.PARTIAL_NAME, referent=person))
    return tuple(found)


def _has_surname(surname: str) -> Fit:
    """Whether a person of that surname was named by the user, or, before all eyes, a heading."""

    def fit(referent: Referent) -> float:
        is_person = referent.is_name and referent.kind is Kind.PERSON
        is_full = len(referent.words) in _FULL_NAME and referent.head == surname
        if not (is_person and is_full) or referent.only_in_answers:
            return 0.0
        return _HEADING_FIRST if referent.is_heading else 1.0

    return fit
