"""Which earlier words answer a question, and how they are quoted."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from recollect.answerers.from_memory.languages import REPLY_LANGUAGES, ReplyTexts, naming_words
from recollect.answerers.from_memory.reading import (
    asks,
    asks_for_last_questions,
    asks_for_questions,
    commands_of,
    is_forgetting,
    is_small_talk,
    tells,
    wants_forgetting,
)
from recollect.domain.chat.answers import AnswerRequest
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import Message, Role
from recollect.domain.facts.fact import Fact, gist_of
from recollect.domain.facts.reading.commands.command import Command, CommandKind
from recollect.domain.facts.reading.commands.named import facts_named, is_told_of
from recollect.domain.facts.reading.languages.slot_names import slot_at, slots_asked, tells_slot
from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.unwanted import asks_to_keep_nothing
from recollect.domain.facts.slots import Slot
from recollect.domain.followup.edits import spoken_words
from recollect.domain.followup.languages import words_for
from recollect.domain.language import fold, guess_language, is_common_word
from recollect.domain.recall.entry import Recalled
from recollect.domain.recall.entry_maker import SUMMARY_LENGTH, read_exchange
from recollect.domain.recall.query import time_in
from recollect.domain.speech.phrases import words_in
from recollect.domain.text import JsonValue, without_breaks

MOST_FACTS: Final = 3
_MOST_EXCHANGES: Final = 3
_QUOTED_CHARACTERS: Final = 500
_SHORTEST_WORD: Final = 3
_STEM: Final = 5
"""Letters by which the forms of a word are told to be the same."""
_LONGEST_FORGETTING: Final = 300
"""Characters of an earlier message that may be a command."""
_READ_OF_MESSAGE: Final = 2_000
_OF_CONTEXT: Final = 0.25
"""The weight of a word that only the conversation adds to a question."""
_THEN: Final = 0.75
"""How near the time of a message must be to one that a question names."""
_WORD: Final = re.compile(r"\w+")
_CLAUSE_END: Final = re.compile(r"[.!?;,\n]+")
_JOINT: Final = re.compile(r"\b(?:and|und|et|y|but|maar|aber|mais|pero)\b|[.!?;,\n]", re.IGNORECASE)
_DUTCH_JOINT: Final = re.compile(r"\ben\b", re.IGNORECASE)  # which is "in" in French and Spanish


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What was said before: by the user, and in reply to that."""

    source: str
    """Where it is from: `conversation` or `recalled`."""
    session_id: UUID
    message_ids: tuple[UUID, ...]
    said: str
    said_at: datetime
    reply: str | None = None
    """None where memory itself answered, or nobody."""
    replied_at: datetime | None = None
    is_log: bool = False
    """Whether somebody who is named said it, perhaps not the user."""

    @property
    def words(self) -> frozenset[str]:
        """Its words that mean something."""
        return content_words(f"{self.said} {self.reply or ''}")

    def written(self, texts: ReplyTexts, language: str) -> str:
        """The quote with its dates, each of its lines as Markdown quotes are."""
        label = texts.earlier
        if not self.is_log:
            is_asked = asks(self.said, guess_language(self.said[:_READ_OF_MESSAGE]) or language)
            label = texts.asked if is_asked else texts.said
        lines = [quoted(self.said, self.said_at, label)]
        if self.reply:
            lines.append(quoted(self.reply, self.replied_at or self.said_at, texts.answer))
        return "\n".join(lines)

    def citation(self) -> JsonValue:
        """The source, as clients get it."""
        at = self.replied_at or self.said_at
        return {
            "source": self.source,
            "session_id": str(self.session_id),
            "message_id": str(self.message_ids[-1]),
            "created_at": at.isoformat().replace("+00:00", "Z"),
        }


def facts_for(request: AnswerRequest) -> Sequence[Fact]:
    """The facts that answer a question: those about what it asks for, or that share a word with it.

    In another language the nearest one may answer what is asked of the user, or a lone word, unless
    the question names a time or another matter.
    """
    context = request.context
    asked, wanted = slots_asked(context.question[:_READ_OF_MESSAGE]), _wanted(context)
    about = [fact for fact in (*context.facts, *_told_here(request)) if tells_about(fact, asked)]
    shared = [fact for fact in context.facts if content_words(fact.content) & wanted]
    if about or shared:
        return [*about, *(fact for fact in shared if fact not in about)][:MOST_FACTS]
    if not _may_be_of_user(context):
        return []
    slots = _slots_in(context.question)
    return [
        fact
        for fact in context.facts[:1]
        if fact.language != context.language
        and (not slots or fact.slot in slots)
        and not time_in(context.question, language=context.language, now=fact.updated_at)
    ]


def _may_be_of_user(context: Context) -> bool:
    """Whether a question may ask for something of the user: it has an "I" or "my", or is a word."""
    question = context.question[:_READ_OF_MESSAGE]
    known = words_for(context.language)
    own = known.self_words | known.we_words
    words = (word.replace("\u2019", "'") for word in spoken_words(question))
    return not own.isdisjoint(words) or not _is_sentence(question)


def quotes_for(request: AnswerRequest, *, beside: Iterable[Fact], language: str) -> list[Quote]:
    """The nearest exchanges of the conversation, then recalled ones, beside some facts."""
    context = request.context
    gists = {gist_of(fact.content) for fact in beside}
    filters = _filter_of(request, language)
    near = [one for one in _exchanges(context) if filters.admits(one)]
    recalled = [one for one in _recalled(context) if filters.admits(one) and _may_recall(one)]
    nearest = _nearest(near, context) or _said_then(near, request)
    if not nearest and asks_for_last_questions(context.question[:_READ_OF_MESSAGE]):
        nearest = [one for one in near if asks(one.said, language)][-_MOST_EXCHANGES:]
    if nearest or not _is_sentence(context.question):
        recalled = [one for one in recalled if _shares_word(one, context)]
    chosen = [*nearest, *recalled[:_MOST_EXCHANGES]]
    return [
        one
        for one in chosen
        if one.reply or not (gist_of(one.said) in gists or _says_no_more(one, context))
    ]


def _may_recall(quote: Quote) -> bool:
    """Whether its user has not asked, with the same breath, that it be not remembered."""
    return not asks_to_keep_nothing(readable_parts(quote.said[:_READ_OF_MESSAGE]))


def _says_no_more(quote: Quote, context: Context) -> bool:
    """Whether a quote has lone words of the question alone: "dog", which was asked for before."""
    said = quote.said[:_READ_OF_MESSAGE]
    is_known = content_words(said) <= content_words(context.question[:_READ_OF_MESSAGE])
    return is_known and not _is_sentence(said)


def told_here(request: AnswerRequest, *, language: str) -> list[Quote]:
    """The last things that the user has told in the conversation, newest first.

    Not those before "forget everything you know about me", whether or not they were learnt.
    """
    filters = _filter_of(request, language)
    everything = CommandKind.FORGET_EVERYTHING
    ends = [at for command, at in filters.commands if command.kind is everything]
    told = [
        one
        for one in _exchanges(request.context)
        if filters.admits(one)
        and all(at < one.said_at for at in ends)
        and tells(one.said, guess_language(one.said) or language)
    ]
    return told[: -MOST_FACTS - 1 : -1]


def _filter_of(request: AnswerRequest, language: str) -> "_Filter":
    return _Filter(
        withheld=request.user_facts.withheld,
        commands=tuple(_commands(request)),
        language=language,
        wants_questions=asks_for_questions(request.context.question),
    )


def _is_sentence(question: str) -> bool:
    """Whether a question has a small word of any language: "asdf" and "2+2" have none."""
    return any(map(is_common_word, _WORD.findall(question[:_READ_OF_MESSAGE])))


def _shares_word(quote: Quote, context: Context) -> bool:
    """Whether a quote has a word of the question, or one that begins alike: "pet" and "pets"."""
    stems = {word[:_STEM] for word in _wanted(context)}
    return not stems.isdisjoint(word[:_STEM] for word in quote.words)


def quotes_lead(request: AnswerRequest, facts: Iterable[Fact], quotes: Iterable[Quote]) -> bool:
    """Whether quotes come before facts: they share a word with the question, and no fact does."""
    context = request.context
    asked, wanted = slots_asked(context.question[:_READ_OF_MESSAGE]), _wanted(context)
    if any(tells_about(one, asked) or content_words(one.content) & wanted for one in facts):
        return False
    return any(quote.words & wanted for quote in quotes)


def hides_something(context: Context, commands: Iterable[Command]) -> bool:
    """Whether commands to forget mean something that the conversation shows."""
    said = [one.content for one in context.window if one.role is Role.USER]
    said = [text for text in said if text != context.question]
    return any(_means(one, text) for one in commands for text in said)


def quoted(content: str, at: datetime, label: str) -> str:
    """One line of a quote."""
    return f"> {label} ({at:%Y-%m-%d %H:%M} UTC): “{shortened(content)}”"


def shortened(text: str, most: int = _QUOTED_CHARACTERS) -> str:
    """A text on one line, cut if it is long."""
    text = without_breaks(text[: 2 * most])
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def content_words(text: str) -> frozenset[str]:
    """Numbers, and words that mean something."""
    words = _WORD.findall(fold(text))
    return frozenset(
        word
        for word in words
        if word.isdigit() or (len(word) >= _SHORTEST_WORD and not is_common_word(word))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filter:
    """What is never quoted: what was forgotten, small talk, questions that nobody answered."""

    withheld: frozenset[UUID]
    commands: tuple[tuple[Command, datetime], ...]
    """Commands to forget that the conversation shows, and when they were given."""
    language: str
    wants_questions: bool
    """Whether an earlier question is what is asked for, be it answered or not."""

    def admits(self, quote: Quote) -> bool:
        if not self.withheld.isdisjoint(quote.message_ids):
            return False
        if any(at > quote.said_at and _means(one, quote.said) for one, at in self.commands):
            return False
        if quote.is_log:
            return True
        said = quote.said[:_READ_OF_MESSAGE]
        if len(said) <= _LONGEST_FORGETTING and wants_forgetting(said):
            return False
        if quote.reply is not None:
            return True
        return not is_small_talk(said) and self._may_be_open(said)

    def _may_be_open(self, said: str) -> bool:
        """Whether what nobody answered is no question, or one that is asked for."""
        is_open = asks(said, guess_language(said) or self.language)
        return not asks_for_questions(said) if self.wants_questions else not is_open


def _commands(request: AnswerRequest) -> Iterator[tuple[Command, datetime]]:
    """The commands to forget that the conversation shows; not those that a fact may still mean."""
    context, known = request.context, request.user_facts.known
    said = [(one.content, one.created_at) for one in context.window if one.role is Role.USER]
    said += [(one.text, one.created_at) for one in context.recalled if one.speaker is None]
    for text, at in said:
        if len(text) <= _LONGEST_FORGETTING:
            for command in filter(is_forgetting, commands_of(text)):
                if not (command.thing and facts_named(command.thing, known).possible):
                    yield command, at


def _means(command: Command, text: str) -> bool:
    """Whether a command to forget something means what a text says."""
    text = text[:_READ_OF_MESSAGE]
    if command.slots:
        clauses = [*_CLAUSE_END.split(text), *_JOINT.split(text), *_DUTCH_JOINT.split(text)]
        return any(tells_slot(clause, slot) for clause in clauses for slot in command.slots)
    if command.thing:
        return is_told_of(text, command.thing)
    if command.is_sweeping and command.kind is not CommandKind.FORGET_TOPIC:
        return False
    words = content_words(command.content)
    return bool(words) and words <= content_words(text)


def _exchanges(context: Context) -> Sequence[Quote]:
    """Each exchange of the window once, the latest of its kind, without the question itself."""
    replies = {
        message.turn_number: message
        for message in context.window
        if message.role is Role.ASSISTANT and not message.details.only_quotes
    }
    latest: dict[tuple[str, str | None], Quote] = {}
    for message in context.window:
        if message.role is Role.USER:
            quote = _exchange(message, replies.get(message.turn_number))
            latest[quote.said, quote.reply] = quote
    latest.pop((context.question, None), None)
    return list(latest.values())


def _exchange(question: Message, reply: Message | None) -> Quote:
    return Quote(
        source="conversation",
        session_id=question.session_id,
        message_ids=(question.message_id, *((reply.message_id,) if reply else ())),
        said=question.content,
        said_at=question.created_at,
        reply=reply.content if reply else None,
        replied_at=reply.created_at if reply else None,
    )


def _nearest(exchanges: Sequence[Quote], context: Context) -> Sequence[Quote]:
    """The exchanges that share most with the question, the best first; a rare word counts more."""
    own = content_words(f"{context.standalone_question} {context.question}"[:_READ_OF_MESSAGE])
    wanted = _wanted(context)
    words = [one.words & wanted for one in exchanges]
    spread = Counter(word for shared in words for word in shared)

    def weight(word: str) -> float:
        return (1 if word in own else _OF_CONTEXT) / spread[word]

    scored = [
        (sum(map(weight, shared)), one.said_at, place)
        for place, (one, shared) in enumerate(zip(exchanges, words, strict=True))
        if shared
    ]
    return [exchanges[place] for _, _, place in sorted(scored, reverse=True)[:_MOST_EXCHANGES]]


def _said_then(exchanges: Sequence[Quote], request: AnswerRequest) -> Sequence[Quote]:
    """The last of what was said at the time that a question names: "today"."""
    question, at = request.context.question[:_READ_OF_MESSAGE], request.asked_at
    if at is None:
        return ()
    time = time_in(question, language=request.context.language, now=at)
    return [one for one in exchanges if time and time.nearness(one.said_at) >= _THEN][
        -_MOST_EXCHANGES:
    ]


def _recalled(context: Context) -> Iterator[Quote]:
    """The recalled entries, but for messages that the window has."""
    questions = (context.question, context.standalone_question)
    shown = {*questions, *(message.content for message in context.window)}
    for one in context.recalled:
        quote = _recalled_quote(one)
        if quote.is_log or quote.reply is not None or quote.said not in shown:
            yield quote


def _recalled_quote(one: Recalled) -> Quote:
    exchange = None
    if one.speaker is None and len(one.message_ids) > 1:
        exchange = read_exchange(one.text, has_tables=bool(one.tables))
    said, reply = exchange or (one.text, "")
    is_cut = len(reply) >= SUMMARY_LENGTH
    return Quote(
        source="recalled",
        session_id=one.session_id,
        message_ids=one.message_ids,
        said=said,
        said_at=one.created_at,
        reply=f"{reply}…" if is_cut else reply or None,
        is_log=one.speaker is not None,
    )


def _told_here(request: AnswerRequest) -> Iterator[Fact]:
    """The facts that the conversation's own messages taught, which a context leaves out."""
    shown = {message.message_id for message in request.context.window}
    given = {fact.fact_id for fact in request.context.facts}
    for fact in request.user_facts.known:
        is_told = fact.evidence is not None and fact.evidence.message_id in shown
        if is_told and fact.fact_id not in given:
            yield fact


def tells_about(fact: Fact, slots: Iterable[Slot]) -> bool:
    """Whether a fact is about one of these slots, by what was read of it or by how it begins."""
    return any(fact.slot == slot or tells_slot(fact.content, slot) for slot in slots)


def _slots_in(question: str) -> frozenset[str]:
    """What a question names by its usual name: "my address"."""
    words = words_in(question[:_READ_OF_MESSAGE])
    places = (
        slot_at(words, place, code) for code in REPLY_LANGUAGES for place in range(len(words))
    )
    return frozenset(named[0].value for named in places if named)


def _wanted(context: Context) -> frozenset[str]:
    """The words that a quote or a fact may share with a question; a lone word has its own alone."""
    if not _is_sentence(context.question) and "?" not in context.question:
        return content_words(context.question[:_READ_OF_MESSAGE])
    texts = (context.standalone_question, context.question, *context.context_terms)
    return content_words(" ".join(texts)[:_READ_OF_MESSAGE]) - naming_words()
