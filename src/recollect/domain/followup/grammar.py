"""A light notion of parts of speech: closed word classes, a verb list, and context."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, auto
from functools import cache, cached_property, wraps
from typing import Final, TypeVar, cast

from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.tokens import Token, ends_sentence, tokenise

Found = TypeVar("Found")


class Tag(IntEnum):
    """The part a word plays, as far as short lists and its neighbours tell.

    A number, because it is looked up in sets thousands of times and plain enums hash slowly.
    """

    DETERMINER = auto()
    PREPOSITION = auto()
    CONJUNCTION = auto()
    CLAUSE = auto()
    AUXILIARY = auto()
    QUESTION = auto()
    PRONOUN = auto()
    PERSONAL = auto()
    POSSESSIVE = auto()
    VERB = auto()
    ADVERB = auto()
    NOUN = auto()
    NUMBER = auto()
    MARK = auto()


_OPENS_NOUN: Final = frozenset({Tag.DETERMINER, Tag.POSSESSIVE, Tag.PREPOSITION, Tag.NUMBER})
_BEFORE_VERB: Final = frozenset(
    {None, Tag.QUESTION, Tag.NOUN, Tag.PRONOUN, Tag.PERSONAL, Tag.ADVERB}
)
_CLITICS: Final = frozenset({"'s", "'"})


@dataclass(frozen=True, kw_only=True, eq=False)
class Text:
    """A text cut into tagged tokens; it keeps what was found in it (see `found_once`)."""

    text: str
    tokens: tuple[Token, ...]
    tags: tuple[Tag, ...]
    found: dict[object, object] = field(default_factory=dict, repr=False)

    def between(self, first: int, last: int) -> str:
        """The characters from one token to before another."""
        if first >= last:
            return ""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    def word(self, place: int) -> str:
        """The word at a place in lower case; nothing outside the text."""
        return self.tokens[place].lower if 0 <= place < len(self.tokens) else ""

    def tag(self, place: int) -> Tag:
        """The tag at a place; a mark outside the text."""
        return self.tags[place] if 0 <= place < len(self.tags) else Tag.MARK

    def words(self, first: int, last: int) -> tuple[str, ...]:
        """The words from one place to before another, in lower case."""
        return tuple([token.lower for token in self.tokens[first:last]])

    @cached_property
    def sentences(self) -> tuple["Text", ...]:
        """Its sentences, each still with the places of the whole text."""
        found = tuple(self._cut())
        return (self,) if len(found) == 1 else found

    def _cut(self) -> Iterator["Text"]:
        begin = 0
        for place, token in enumerate(self.tokens):
            if ends_sentence(token) or place + 1 == len(self.tokens):
                yield Text(
                    text=self.text,
                    tokens=self.tokens[begin : place + 1],
                    tags=self.tags[begin : place + 1],
                )
                begin = place + 1


def found_once(
    find: Callable[[Text, LanguagePack], Found],
) -> Callable[[Text, LanguagePack], Found]:
    """Let each text keep what was found in it: neither the text nor its language ever changes."""

    @wraps(find)
    def found(text: Text, pack: LanguagePack) -> Found:
        if find not in text.found:
            text.found[find] = find(text, pack)
        return cast("Found", text.found[find])

    return found


def read(text: str, pack: LanguagePack) -> Text:
    """Cut a text into tagged tokens."""
    tokens, closed = tokenise(text), _closed_tags(pack)
    tags: list[Tag] = []
    before: Tag | None = None
    for place, token in enumerate(tokens):
        tag = _tag(tokens, place, before, pack, closed)
        tags.append(tag)
        before = None if tag is Tag.MARK and ends_sentence(token) else tag
    return Text(text=text, tokens=tokens, tags=tuple(tags))


@cache
def _closed_tags(pack: LanguagePack) -> Mapping[str, Tag]:
    """The tag of every word that has but one, so that most words cost one look-up."""
    tags: dict[str, Tag] = {}
    for words, tag in (
        (pack.place_adverbs, Tag.ADVERB),
        (pack.pronominal_adverbs, Tag.ADVERB),
        (pack.adverbs, Tag.ADVERB),
        (pack.subordinators, Tag.CLAUSE),
        (pack.auxiliaries, Tag.AUXILIARY),
        (pack.conjunctions, Tag.CONJUNCTION),
        (pack.prepositions, Tag.PREPOSITION),
        (pack.personal, Tag.PERSONAL),
        (pack.determiners, Tag.DETERMINER),
        (pack.question_words, Tag.QUESTION),
    ):
        tags.update(dict.fromkeys(words, tag))
    return tags


def _tag(
    tokens: tuple[Token, ...],
    place: int,
    before: Tag | None,
    pack: LanguagePack,
    closed: Mapping[str, Tag],
) -> Tag:
    token = tokens[place]
    word = token.lower
    if token.is_number:
        return Tag.NUMBER
    if not token.is_word:
        return _tag_mark(tokens, place, before, pack)
    if word in pack.pronouns or word in pack.demonstratives:
        return _tag_pointer(tokens, place, before, pack)
    if token.is_capitalised and _is_name_like(word, before, pack):
        return Tag.NOUN
    tag = closed.get(word) or _open_tag(tokens, place, before, pack)
    return Tag.CLAUSE if tag is Tag.QUESTION and before is Tag.NOUN else tag


def _is_name_like(word: str, before: Tag | None, pack: LanguagePack) -> bool:
    """Whether a capital inside a sentence speaks for a name; not in "Of those, What is …"."""
    opens = before is None or (before is Tag.MARK and word in pack.question_words)
    return not opens and len(word) > 1 and not pack.capital_nouns


def _tag_mark(tokens: tuple[Token, ...], place: int, before: Tag | None, pack: LanguagePack) -> Tag:
    word = tokens[place].lower.replace("\u2019", "'")
    is_followed = place + 1 < len(tokens) and tokens[place + 1].is_word
    if word in _CLITICS and before is Tag.NOUN and is_followed:
        return Tag.POSSESSIVE
    return Tag.AUXILIARY if word in pack.auxiliaries else Tag.MARK


def _tag_pointer(
    tokens: tuple[Token, ...], place: int, before: Tag | None, pack: LanguagePack
) -> Tag:
    """Tag a pronoun or demonstrative by what stands around it."""
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    next_word = following.lower if following is not None and following.is_word else ""
    if tokens[place].lower in pack.pronouns:
        return _tag_pronoun(tokens[place], before, next_word, pack)
    is_said = place > 0 and tokens[place - 1].lower in pack.saying_verbs
    return Tag.CLAUSE if is_said else _tag_demonstrative(before, next_word, pack)


def _tag_pronoun(token: Token, before: Tag | None, next_word: str, pack: LanguagePack) -> Tag:
    """As in "her", owner or object; Dutch "zijn" may be a verb, "het" an article."""
    word = token.lower
    if pack.capital_nouns and token.is_capitalised and before is not None:
        return Tag.PERSONAL  # German "Sie" is the listener
    if word in pack.definite:
        return Tag.DETERMINER if _can_be_noun(next_word, pack) else Tag.PRONOUN
    owns = bool(next_word) and next_word not in pack.not_owned
    if not pack.pronouns[word].possessive:
        return Tag.PRONOUN
    if word in pack.auxiliaries and (before in _BEFORE_VERB or not owns):
        return Tag.AUXILIARY
    return Tag.POSSESSIVE if owns else Tag.PRONOUN


def _can_be_noun(word: str, pack: LanguagePack) -> bool:
    """Dutch adjectives without an e stand behind: "is het duur" has no noun."""
    is_predicate = word in pack.adjectives and not word.endswith("e")
    return bool(word) and word not in pack.never_a_noun and not is_predicate


def _tag_demonstrative(before: Tag | None, next_word: str, pack: LanguagePack) -> Tag:
    """As in "the song that charted", a clause, or "was that popular", where it stands alone."""
    if not next_word:
        return Tag.PRONOUN
    if before is Tag.NOUN:
        return Tag.CLAUSE
    is_alone = next_word in pack.never_a_noun or pack.is_verb(next_word)
    return Tag.PRONOUN if is_alone else Tag.DETERMINER


def _open_tag(tokens: tuple[Token, ...], place: int, before: Tag | None, pack: LanguagePack) -> Tag:
    word = tokens[place].lower
    if word in pack.requests and before is None:
        return Tag.VERB
    if not pack.is_verb(word) or (pack.capital_nouns and tokens[place].is_capitalised):
        return Tag.VERB if _is_inverted(tokens, place, before, pack) else Tag.NOUN
    if place and tokens[place - 1].lower in pack.infinitive_marks:
        return Tag.VERB
    goes_on = before is Tag.NOUN and (word.endswith("ing") or word in pack.attribute_nouns)
    is_numbered = before is Tag.NUMBER and _numbers_a_noun(tokens, place - 1, pack)
    opens = before in _OPENS_NOUN and not is_numbered
    return Tag.NOUN if opens or goes_on else Tag.VERB


def _is_inverted(
    tokens: tuple[Token, ...], place: int, before: Tag | None, pack: LanguagePack
) -> bool:
    """As in "Wanneer stopte …", a verb no list has: a noun cannot stand there."""
    if not pack.inverts_verbs or before is not Tag.QUESTION or place + 1 == len(tokens):
        return False
    following = tokens[place + 1]
    is_name = following.is_capitalised and not pack.capital_nouns
    opens = is_name or following.lower in pack.determiners
    return opens and tokens[place - 1].lower not in pack.which_words


def _numbers_a_noun(tokens: tuple[Token, ...], place: int, pack: LanguagePack) -> bool:
    """As in "shop 2 | sold": the number belongs to what stands before; not in "top 5 wins"."""
    word = tokens[place - 1].lower if place else ""
    is_small = word in _closed_tags(pack) or word in pack.opposites or word in pack.aggregates
    return word.isalpha() and not is_small and not pack.is_verb(word)
