"""Restrictions and orders that a follow-up takes away, adds or moves on by one."""

from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.ellipsis import drop_restriction, substitute
from recollect.domain.followup.grammar import Tag, Text, read
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.query import Query
from recollect.domain.followup.splicing import append
from recollect.domain.followup.tokens import Edit, apply_edits
from recollect.domain.followup.values import ValueType, value_type


def remove_restriction(body: Text, query: Query, pack: LanguagePack) -> tuple[str, Signal] | None:
    """As in "remove the year", "for all years": a restriction goes."""
    of_all = body.tag(0) is Tag.PREPOSITION and body.word(1) in pack.all_words
    start = 2 if of_all else 1
    if not (of_all or body.word(0) in pack.removal_words) or len(body.tokens) <= start:
        return None
    wanted = read(body.between(start, len(body.tokens)), pack)
    found = drop_restriction(query, wanted, pack)
    return (found, Signal.FILTER) if found else None


def order_rows(body: Text, query: Query, pack: LanguagePack) -> tuple[str, Signal] | None:
    """As in "sort them by year": the order is added, or takes the old one's place."""
    if body.word(0) not in pack.ordering:
        return None
    start = 1
    while body.tag(start) in {Tag.PRONOUN, Tag.DETERMINER}:
        start += 1
    if body.tag(start) is not Tag.PREPOSITION:
        return None
    order = read(body.between(start, len(body.tokens)), pack)
    if pack.ordering & {query.text.word(query.front_end), query.text.word(0)}:
        found = substitute(query, order, pack)
        if found:
            return found, Signal.FILTER
    verb = body.tokens[0].lower
    return append(query, f"{pack.conjunction} {verb} {order.text}"), Signal.FILTER


def next_in_line(body: Text, query: Query, pack: LanguagePack) -> tuple[str, Signal] | None:
    """As in "the next year" after a question about 2000 means 2001."""
    for place, token in enumerate(body.tokens):
        step = (token.lower in pack.next_words) - (token.lower in pack.previous_words)
        if not step or body.word(place + 1) not in pack.time_units:
            continue
        for other in query.text.tokens:
            is_year = value_type(other.lower, pack) is ValueType.YEAR
            if is_year and other.text.isdecimal():
                edit = Edit(start=other.start, end=other.end, text=str(int(other.text) + step))
                return apply_edits(query.text.text, [edit]), Signal.ORDINAL
    return None
