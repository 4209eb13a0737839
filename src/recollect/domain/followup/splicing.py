"""Putting words into a question: in place of others, beside its target, at its end."""

from typing import Final

from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.phrases import phrases
from recollect.domain.followup.query import Query
from recollect.domain.followup.values import value_type

_NO_BLANK_BEFORE: Final = (",", ".", "?", "!", ")", "'s", "\u2019s", "%")


def join(full: Text, start: int, middle: str, stop: int) -> str:
    """A text with the tokens from `start` to before `stop` replaced."""
    left = full.text[: full.tokens[start].start] if start < len(full.tokens) else full.text
    right = full.text[full.tokens[stop - 1].end :]
    return f"{left}{tidy(middle)}{right}"


def replace_last_value(query: Query, value: Text, pack: LanguagePack) -> str | None:
    """As in "… played as forward" + "center": the last thing named gives way."""
    typed = any(value_type(token.lower, pack) for token in value.tokens)
    found = [
        phrase
        for phrase in phrases(query.text, pack)
        if query.target_end <= phrase.first
        and phrase.last <= query.end
        and (typed or not all(value_type(word, pack) for word in phrase.words))
    ]
    if not found:
        return None
    last = found[-1]
    first = last.first
    is_pair = Tag.CONJUNCTION in value.tags and query.text.tag(first - 1) is Tag.CONJUNCTION
    if is_pair and len(found) > 1:
        first = found[-2].first
    elif last.words[0] in pack.column_nouns and len(last.words) > 1:
        first += 1
    return join(query.text, first, value.text, last.last)


def replace_target(query: Query, target: str, pack: LanguagePack) -> str | None:
    """As in "how many directors …" + "roles": what is asked for gives way."""
    start = query.target_start
    if start >= query.target_end:
        return None
    has_article = target.split(" ", 1)[0].lower() in pack.determiners
    if has_article and query.text.tag(start - 1) is Tag.DETERMINER:
        start -= 1
    return join(query.text, start, target, query.target_end)


def append(query: Query, addition: str) -> str:
    """Add a restriction at the end of a question, before its mark."""
    text = query.text
    end = text.tokens[query.end - 1].end if query.end else 0
    return f"{text.text[:end]} {addition}{text.text[end:]}"


def tidy(text: str) -> str:
    """Close the gaps before marks that joining by blanks has left."""
    for mark in _NO_BLANK_BEFORE:
        text = text.replace(f" {mark}", mark)
    return text.replace("( ", "(")
