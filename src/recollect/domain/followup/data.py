"""Follow-ups to data questions: the last question with something changed, added or asked anew."""

from typing import Final

from recollect.domain.followup.data_filters import next_in_line, order_rows, remove_restriction
from recollect.domain.followup.data_references import resolve_above, resolve_reference
from recollect.domain.followup.data_shifts import names_its_rows
from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.ellipsis import substitute
from recollect.domain.followup.grammar import Tag, Text, read
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.openers import Opened, strip_opener
from recollect.domain.followup.query import Query, parse_query
from recollect.domain.followup.splicing import append, replace_last_value, replace_target, tidy
from recollect.domain.followup.values import value_type

_RESTRICTS: Final = frozenset({Tag.PREPOSITION, Tag.CLAUSE})
_FILTERS: Final = _RESTRICTS | {Tag.VERB}
_SUBJECTS: Final = frozenset({Tag.NOUN, Tag.DETERMINER, Tag.PREPOSITION})


def rewrite_data(question: Text, previous: Text, pack: LanguagePack) -> tuple[str, Signal] | None:
    """Read a follow-up in the light of the last full question; None if it stands alone."""
    query = parse_query(previous, pack)
    opened = strip_opener(question, pack)
    body = opened.body
    if not body.tokens or not query.end:
        return None
    found = (
        remove_restriction(body, query, pack)
        or order_rows(body, query, pack)
        or next_in_line(body, query, pack)
        or resolve_above(body, query, pack)
        or _resolve_reference(body, query, pack)
        or _resolve_fragment(opened, query, pack)
        or _add_target(opened, query, pack)
        or _ask_of_same_rows(body, query, pack)
    )
    return None if found is None else (_close_as_asked(found[0], body, question), found[1])


def _close_as_asked(said: str, body: Text, question: Text) -> str:
    """What was built from the follow-up rather than the old question ends with its mark."""
    mark = question.text.rstrip()[-1:]
    is_own = said.startswith(body.tokens[0].text)
    return f"{said}{mark}" if is_own and mark in {"?", "!", "."} and said[-1:] != mark else said


def _is_clause(text: Text, pack: LanguagePack) -> bool:
    """Whether a body asks by itself: "where is it", but not "where the result is 3-2"."""
    word = text.word(0)
    if word in pack.clause_words and text.tag(1) in _SUBJECTS:
        return False
    opens = text.tag(0) in {Tag.QUESTION, Tag.AUXILIARY} or word in pack.requests
    return opens and len(text.tokens) > 1


def _resolve_reference(body: Text, query: Query, pack: LanguagePack) -> tuple[str, Signal] | None:
    """As in "those opened after 2011" is no reference but a fragment with a head of its own."""
    is_fragment = body.word(0) in pack.demonstratives and body.tag(1) in _FILTERS
    return None if is_fragment else resolve_reference(body, query, pack)


def _resolve_fragment(
    opened: Opened, query: Query, pack: LanguagePack
) -> tuple[str, Signal] | None:
    body = opened.body
    if _is_clause(body, pack):
        return None
    if body.word(0) in pack.demonstratives and len(body.tokens) > 1:
        body = read(body.between(1, len(body.tokens)), pack)
    adds = bool(pack.also_words & opened.opener)
    found = None if adds else substitute(query, body, pack)
    only = pack.only_words & opened.opener
    if found is None and only and body.tag(0) not in _FILTERS:
        found = append(query, f"({next(iter(only))} {body.text})")
    found = found or _place(body, query, pack, adds=adds)
    return found, Signal.ELLIPSIS_OPENER if opened.opener else Signal.FRAGMENT


def _place(body: Text, query: Query, pack: LanguagePack, *, adds: bool) -> str:
    """Where a fragment goes that resembles nothing in the question."""
    if body.tag(0) in _RESTRICTS or body.word(0) in pack.clause_words:
        return append(query, body.text)
    if body.tag(0) in {Tag.VERB, Tag.AUXILIARY}:
        return append(query, f"{pack.conjunction} {body.text}")
    if adds and query.target:
        joined = f"{query.target} {pack.conjunction} {body.text}"
        return replace_target(query, joined, pack) or append(query, body.text)
    replaced = None
    if not _is_column(body, query, pack):
        replaced = replace_last_value(query, body, pack)
    return replaced or replace_target(query, body.text, pack) or append(query, body.text)


def _is_column(body: Text, query: Query, pack: LanguagePack) -> bool:
    """Whether a fragment names something to ask for rather than a value."""
    is_value = all(value_type(token.lower, pack) for token in body.tokens)
    if is_value or any(token.is_capitalised for token in body.tokens):
        return False
    head = body.tokens[-1].lower
    if body.tag(0) is Tag.DETERMINER or head in pack.attribute_nouns:
        return True
    both_plural = pack.is_plural(head) and pack.is_plural(query.target.lower())
    return both_plural and len(body.tokens) == 1


def _add_target(opened: Opened, query: Query, pack: LanguagePack) -> tuple[str, Signal] | None:
    """As in "also show the location": one more thing is asked for."""
    if not pack.also_words & opened.opener or opened.body.word(0) not in pack.requests:
        return None
    asked = parse_query(opened.body, pack)
    if not asked.target or asked.rest:
        return None
    joined = f"{query.target} {pack.conjunction} {asked.target}"
    found = replace_target(query, joined, pack)
    return (found, Signal.SAME_BUT) if found else None


def _ask_of_same_rows(body: Text, query: Query, pack: LanguagePack) -> tuple[str, Signal] | None:
    """A full question that leaves out which rows it is about."""
    asked = parse_query(body, pack)
    if names_its_rows(body, query, pack):
        return None
    start = _rows_start(body, asked, pack)
    if start:
        return _speak_of_rows(body, start, query, pack), Signal.FILTER
    if _adds_to_same(body, asked, query, pack):
        said = append(query, f"{pack.conjunction} {asked.rest}")
        return said, Signal.SAME_BUT
    if asked.rest or not (query.rest or query.front) or query.has_predicate(pack):
        return None
    said = " ".join(part for part in (body.text, query.rest, query.front) if part)
    return tidy(said), Signal.MISSING_COMPLEMENT


def _adds_to_same(body: Text, asked: Query, query: Query, pack: LanguagePack) -> bool:
    """As in "which countries are also republics?" after "which countries are in Africa?"."""
    has_also = any(token.lower in pack.also_words for token in body.tokens)
    return has_also and bool(asked.rest) and asked.target.lower() == query.target.lower()


def _rows_start(body: Text, asked: Query, pack: LanguagePack) -> int:
    """Where a question without a noun of its own begins to speak of the rows: "which | has …"."""
    if body.tag(0) is not Tag.QUESTION or len(body.tokens) == 1:
        return 0
    stands_for_noun = body.word(1) in pack.counting or body.word(1) in pack.one_words
    start = 1 + stands_for_noun
    if start == len(body.tokens):
        return 0
    if body.tag(start) is Tag.VERB or (stands_for_noun and body.tag(start) is not Tag.NOUN):
        return start
    has_verb = body.tag(start) is Tag.AUXILIARY and body.word(start) not in pack.copulas
    return start if has_verb or not asked.target else 0


def _speak_of_rows(body: Text, start: int, query: Query, pack: LanguagePack) -> str:
    predicate = read(body.between(start, len(body.tokens)), pack)
    found = substitute(query, predicate, pack)
    if found is not None:
        return found
    lead = body.between(0, start - (body.word(start - 1) in pack.one_words))
    return f"{lead} {query.bare_rows} {predicate.text}"
