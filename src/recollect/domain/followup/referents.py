"""Things named in a conversation, and how well each fits a word that points back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from recollect.domain.followup.languages.pack import Kind, LanguagePack, Pronoun

_FULL_NAME: Final = range(2, 4)
_INITIALS: Final = 2  # "IKEA" is no person, "JK" may be
_MOST: Final = 4.5  # so that a long-lasting topic can still be replaced by a new one
_OWNING: Final = ("'s", "\u2019s")

_KIND_FIT: Final = {
    (Kind.PERSON, Kind.PERSON): 2.0,
    (Kind.PERSON, Kind.ANY): 1.0,
    (Kind.PERSON, Kind.THING): 0.1,
    (Kind.THING, Kind.PERSON): 0.3,
    (Kind.THING, Kind.ANY): 1.0,
    (Kind.THING, Kind.THING): 1.5,
}


@dataclass(slots=True, eq=False)
class Referent:
    """One thing the conversation has named."""

    text: str
    words: frozenset[str]
    head: str
    kind: Kind
    plural: bool
    is_name: bool
    floor: float = 0.0  # how present it stays although nobody names it
    place: str = ""  # the preposition that made it a place: "in", "at"
    is_quoted: bool = False
    determiner: str = ""
    classes: frozenset[str] = frozenset()  # nouns the conversation has called it by
    gender: str | None = None
    presence: float = 0.0
    only_in_answers: bool = False
    is_heading: bool = False

    @property
    def as_said(self) -> str:
        """With its article, where it had one."""
        return f"{self.determiner} {self.text}" if self.determiner else self.text

    def copy(self) -> "Referent":
        """Another one like it; by keywords it would take twice as long, by `copy.copy` longer."""
        return Referent(
            self.text,
            self.words,
            self.head,
            self.kind,
            self.plural,
            self.is_name,
            self.floor,
            self.place,
            self.is_quoted,
            self.determiner,
            self.classes,
            self.gender,
            self.presence,
            self.only_in_answers,
            self.is_heading,
        )

    def fade(self, factor: float) -> None:
        """Become less present, as a turn passes without a mention."""
        self.presence = max(self.presence * factor, self.floor)


Fit: TypeAlias = Callable[[Referent], float]


def referent_of(text: str, said: tuple[str, ...], pack: LanguagePack, *, is_name: bool) -> Referent:
    """Read a phrase, given as text and as words, as a thing of its own."""
    return Referent(
        text=text,
        words=frozenset(said),
        head=said[-1],
        kind=_kind(text, said, pack, is_name=is_name),
        plural=pack.is_plural(said[-1]),
        is_name=is_name,
    )


def join_or_add(known: list[Referent], referent: Referent, weight: float) -> Referent:
    """Count a mention: of something known, or of something new, as a copy of its own."""
    old = _known_as(known, referent)
    if old is None:
        new = referent.copy()
        new.presence = weight
        known.append(new)
        return new
    if len(old.words) == 1 < len(referent.words) and not old.floor:
        old.text, old.words, old.kind = referent.text, referent.words, referent.kind
        old.determiner, old.head = referent.determiner, referent.head
    old.presence = min(old.presence + weight, max(_MOST, weight))
    old.only_in_answers = old.only_in_answers and referent.only_in_answers
    old.classes |= referent.classes
    old.place = referent.place
    return old


def agreement(pronoun: Pronoun) -> Fit:
    """How well a referent fits what a pronoun asks for."""

    def fit(referent: Referent) -> float:
        if pronoun.gender and referent.gender not in {None, pronoun.gender}:
            return 0.1
        if pronoun.kind is Kind.PERSON:
            return _fit_person(referent, pronoun)
        if pronoun.plural is not False:
            is_many = referent.plural or pronoun.plural is None
            return _fit_plural(referent) * (1.0 if is_many else 0.5)
        score = _KIND_FIT[Kind.THING, referent.kind]
        return score * (0.4 if referent.plural else 1.0)

    return fit


def _fit_person(referent: Referent, pronoun: Pronoun) -> float:
    if referent.place:
        return 0.1
    score = _KIND_FIT[Kind.PERSON, referent.kind]
    if referent.only_in_answers:
        score *= 0.5
    is_known_gender = pronoun.gender is not None and referent.gender == pronoun.gender
    return score * (1.2 if is_known_gender else 1.0)


def _fit_plural(referent: Referent) -> float:
    """English "they" takes groups and single names too."""
    if referent.plural:
        return 1.5
    if referent.is_quoted or referent.place:
        return 0.3
    if referent.kind is Kind.PERSON:
        return 0.6
    return 1.2 if referent.is_name else 0.4


def _kind(text: str, said: tuple[str, ...], pack: LanguagePack, *, is_name: bool) -> Kind:
    if said[-1] in pack.person_nouns:
        return Kind.PERSON
    if not is_name:
        return Kind.THING
    is_acronym = len(text) > _INITIALS and text.isupper()
    has_thing = not (pack.class_nouns.isdisjoint(said) and pack.definite.isdisjoint(said))
    if is_acronym or has_thing or "'s" in text or any(map(str.isdigit, text)):
        return Kind.THING
    is_full_name = len(said) in _FULL_NAME and all(part[:1].isupper() for part in text.split())
    return Kind.PERSON if is_full_name else Kind.ANY


def _known_as(known: list[Referent], referent: Referent) -> Referent | None:
    """The first that is the same thing; a loop, because every mention goes through all of them."""
    words, is_name = referent.words, referent.is_name
    for one in known:
        if one.words == words or (is_name and one.is_name and _is_part(one, referent)):
            return one
    return None


def _is_part(one: Referent, other: Referent) -> bool:
    """A name and a part of it are one thing, an owner and what he owns are two."""
    smaller, larger = (one, other) if len(one.words) < len(other.words) else (other, one)
    return smaller.words < larger.words and not any(clitic in larger.text for clitic in _OWNING)
