"""Nouns that leave open which one is meant: "that album", "the band", "this article"."""

from dataclasses import dataclass

from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.discourse import Discourse
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import Kind, LanguagePack
from recollect.domain.followup.phrases import Phrase
from recollect.domain.followup.pronouns import Resolution
from recollect.domain.followup.referents import Fit, Referent
from recollect.domain.followup.tokens import Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenNoun:
    """A noun phrase with its determiner, in the text it leaves open."""

    text: Text
    phrase: Phrase
    signal: Signal
    article: str

    def replaced_by(self, said: str, referent: Referent) -> Resolution:
        tokens, phrase = self.text.tokens, self.phrase
        start, end = tokens[phrase.start].start, tokens[phrase.last - 1].end
        edit = Edit(start=start, end=end, text=said)
        return Resolution(edit=edit, signal=self.signal, referent=referent)


def resolve_nouns(
    text: Text, named: tuple[Phrase, ...], discourse: Discourse
) -> tuple[Resolution, ...]:
    """Say which one is meant, for the first noun that leaves it open."""
    pack = discourse.pack
    for phrase in named:
        is_that = phrase.determiner in pack.demonstratives
        if phrase.is_name or not (is_that or phrase.determiner in pack.definite):
            continue
        noun = _OpenNoun(
            text=text,
            phrase=phrase,
            signal=Signal.DEMONSTRATIVE if is_that else Signal.DEFINITE_NOUN,
            article=pack.demonstratives[phrase.determiner] if is_that else phrase.determiner,
        )
        found = _resolve(noun, discourse)
        if found is not None:
            return (found,)
    return ()


def has_complement(text: Text, phrase: Phrase, pack: LanguagePack) -> bool:
    """Whether what follows says which one is meant: "the name of …", "the song that …"."""
    tag = text.tag(phrase.last)
    if tag is Tag.NOUN:
        return text.word(phrase.last) not in pack.adjectives
    return tag in {Tag.POSSESSIVE, Tag.NUMBER, Tag.CLAUSE, Tag.PREPOSITION}


def is_topic(referent: Referent) -> float:
    """Names make better topics than common nouns."""
    return 1.5 if referent.is_name else 1.0


def is_main_topic(referent: Referent) -> float:
    """What a heading or the first question named is what a text as a whole is about."""
    return is_topic(referent) * (1.5 if referent.floor else 1.0)


def _is_subject_of_all(topic: Referent) -> bool:
    """Whether a text as a whole is about it, and no heading says so already."""
    return bool(topic.floor) and not topic.is_heading and not topic.only_in_answers


def _resolve(noun: _OpenNoun, discourse: Discourse) -> Resolution | None:
    pack, phrase = discourse.pack, noun.phrase
    if phrase.head in pack.document_nouns:
        topic = discourse.choose(is_main_topic)
        if topic is None or not _is_subject_of_all(topic):
            return None
        return noun.replaced_by(f"{noun.article} {topic.text} {phrase.text}", topic)
    if has_complement(noun.text, phrase, pack):
        return None
    known = discourse.choose(_is_called(phrase.head))
    if known is not None:
        return noun.replaced_by(f"{noun.article} {phrase.text} {known.text}", known)
    fuller = discourse.choose(_has_head(phrase))
    if fuller and (noun.signal is Signal.DEMONSTRATIVE or not fuller.only_in_answers):
        needs_article = not (fuller.determiner or fuller.is_name)
        article = f"{noun.article} " if needs_article else ""
        return noun.replaced_by(f"{article}{fuller.as_said}", fuller)
    return _name(noun, discourse)


def _name(noun: _OpenNoun, discourse: Discourse) -> Resolution | None:
    """As in "the band" → "the band INXS"; "the album" of a person → "Garth Brooks' album"."""
    pack, phrase = discourse.pack, noun.phrase
    is_lone = noun.signal is Signal.DEMONSTRATIVE or len(phrase.words) == 1
    if phrase.head not in pack.class_nouns or not is_lone:
        return None
    referent = discourse.choose(_fits(phrase.head, pack))
    if referent is None:
        return None
    if referent.kind is Kind.PERSON and phrase.head not in pack.person_nouns:
        said = pack.possess(referent.text, phrase.text, phrase.determiner)
    else:
        said = f"{noun.article} {phrase.text} {referent.text}"
    return noun.replaced_by(said, referent)


def _has_head(phrase: Phrase) -> Fit:
    """Whether a referent says more about the same noun: "the sign" of "the Las Vegas sign"."""

    def fit(referent: Referent) -> float:
        is_fuller = phrase.head == referent.head and len(referent.words) > len(phrase.words)
        return float(is_fuller and referent.words.issuperset(phrase.words))

    return fit


def _is_called(noun: str) -> Fit:
    """Whether the conversation has called a referent by a noun."""
    return lambda referent: float(noun in referent.classes and noun not in referent.words)


def _fits(noun: str, pack: LanguagePack) -> Fit:
    """How well a referent fits being called by a noun."""

    def fit(referent: Referent) -> float:
        if not referent.is_name:
            return 0.0
        if referent.classes:
            return 0.3
        score = 0.4 if referent.only_in_answers else 1.0
        if noun in pack.person_nouns:
            return score * (1.5 if referent.kind is Kind.PERSON else 0.5)
        if referent.kind is Kind.PERSON:
            return score * 0.4
        return 1.5 if referent.is_quoted else score

    return fit
