"""The last resort: a question that says too little gets the topic added."""

from typing import Final

from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.discourse import Discourse
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.mentions import content_words
from recollect.domain.followup.nouns import is_main_topic
from recollect.domain.followup.pronouns import Resolution
from recollect.domain.followup.referents import Referent
from recollect.domain.followup.tokens import Edit

_FEW_WORDS: Final = 3
_SUBJECTS: Final = frozenset({Tag.NOUN, Tag.PRONOUN, Tag.PERSONAL})


def inject_topic(text: Text, discourse: Discourse) -> tuple[Resolution, ...]:
    """Add what the conversation is about, where the question cannot stand without it."""
    pack = discourse.pack
    signal = _says_too_little(text, pack)
    topic = discourse.choose(_may_be_added) if signal else None
    said = {token.lower for token in text.tokens}
    if signal is None or topic is None or topic.words <= said or said & pack.document_nouns:
        return ()
    end = max(token.end for token in text.tokens if token.is_word)
    edit = Edit(start=end, end=end, text=f" {_link(text, pack)}{topic.as_said}")
    return (Resolution(edit=edit, signal=signal, referent=topic),)


def _link(text: Text, pack: LanguagePack) -> str:
    if _lacks_subject(text, pack):
        return ""
    wants_about = any(token.lower in pack.about_words for token in text.tokens)
    return f"{pack.about if wants_about else pack.concerning} "


def _lacks_subject(text: Text, pack: LanguagePack) -> bool:
    """Spanish "¿Cuándo murió?": a verb, and nobody who does it."""
    has_verb = Tag.VERB in text.tags
    return pack.drops_subject and has_verb and not _SUBJECTS & set(text.tags)


def _may_be_added(referent: Referent) -> float:
    """Only what the user or a heading has named is safe to add."""
    is_safe = (referent.is_name or referent.floor > 0) and not referent.only_in_answers
    return is_main_topic(referent) if is_safe else 0.0


def _says_too_little(text: Text, pack: LanguagePack) -> Signal | None:
    said = [token.lower for token in text.tokens if token.is_word]
    if any(word in pack.else_words or word in pack.other_words for word in said):
        return Signal.ELSE
    for place, tag in enumerate(text.tags):
        if tag is Tag.PRONOUN and text.word(place) in pack.demonstratives:
            return Signal.DEMONSTRATIVE
    if any(word in pack.event_verbs for word in said):
        return Signal.MISSING_COMPLEMENT
    if _lacks_subject(text, pack):
        return Signal.FRAGMENT
    if _has_bare_definite(text, pack):
        return Signal.DEFINITE_NOUN
    has_content = bool(content_words(said, pack) - pack.attribute_nouns - pack.adjectives)
    is_short = 0 < len(said) <= _FEW_WORDS
    return Signal.FRAGMENT if is_short and not has_content else None


def _has_bare_definite(text: Text, pack: LanguagePack) -> bool:
    """As in "How did the match go?": a definite noun that nothing explains."""
    nouns = [at for at, tag in enumerate(text.tags) if tag is Tag.NOUN]
    is_lone = len(nouns) == 1 and text.word(nouns[0] - 1) in pack.definite
    return is_lone and Tag.PREPOSITION not in text.tags
