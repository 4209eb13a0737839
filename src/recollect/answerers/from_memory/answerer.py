"""The answerer that needs no model: it quotes, says what is stored, and what it can do."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Final

from recollect.answerers.from_memory.languages import (
    REPLY_LANGUAGES,
    ReplyTexts,
    are_words_read,
    reply_texts,
)
from recollect.answerers.from_memory.quoting import (
    MOST_FACTS,
    Quote,
    content_words,
    facts_for,
    hides_something,
    quoted,
    quotes_for,
    quotes_lead,
    shortened,
    tells_about,
    told_here,
)
from recollect.answerers.from_memory.reading import (
    LONGEST_COMMAND,
    ReadMessage,
    Wish,
    commands_of,
    is_forgetting,
    means_everything,
    read_message,
)
from recollect.concurrency import off_loop
from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.conversation.message import FROM_MEMORY, AnswerDetails
from recollect.domain.facts.fact import Fact
from recollect.domain.facts.reading.commands.command import Command, CommandKind
from recollect.domain.facts.reading.commands.named import facts_named
from recollect.domain.identity.scope import Scope

_SLOWNESS: Final = 20
"""Commands take this many times as long to find as other work on as many characters takes."""
_ECHOED: Final = 200
"""Characters of a question that its answer repeats."""
_MOST_KNOWN: Final = 10
_TALK: Final[Mapping[Wish, Sequence[Callable[[ReplyTexts], str]]]] = {
    Wish.GREETING: (attrgetter("greeting"), attrgetter("abilities")),
    Wish.THANKS: (attrgetter("welcome"), attrgetter("reminder")),
    Wish.SMALL_TALK: (attrgetter("agreed"), attrgetter("reminder")),
    Wish.ABILITIES: (attrgetter("abilities"),),
    Wish.LEAVING: (attrgetter("left"),),
    Wish.ABOUT_MEMORY: (attrgetter("about_me"), attrgetter("reminder")),
    Wish.UNCLEAR: (attrgetter("unclear"), attrgetter("abilities")),
    Wish.WORDLESS: (attrgetter("wordless"),),
}
"""What is said where nothing of the memory is asked for."""
_OF_LAST: Final = frozenset({CommandKind.FORGET_LAST, CommandKind.FORGET_THAT})
"""Commands that mean the message before, whose facts may not be learnt yet."""


class FromMemory:
    """Implements `recollect.ports.models.Answerer` without any model."""

    @property
    def quotes_memory(self) -> bool:
        """It does nothing else."""
        return True

    async def answer(self, scope: Scope, request: AnswerRequest) -> Answer:  # noqa: ARG002  # the port's
        """The nearest facts and exchanges, quoted, and that no model is set.

        What only tells something is said to be stored, what is to be forgotten is named, and
        small talk gets a kind word.
        """
        return await _off_loop(request)

    async def stream(
        self,
        scope: Scope,  # noqa: ARG002  # the port's
        request: AnswerRequest,
    ) -> AsyncGenerator[str | Answer, None]:
        """The same, paragraph by paragraph."""
        answer = await _off_loop(request)
        for number, paragraph in enumerate(answer.content.split("\n\n")):
            yield paragraph if number == 0 else f"\n\n{paragraph}"
        yield answer


async def _off_loop(request: AnswerRequest) -> Answer:
    context = request.context
    read = min(len(context.question), LONGEST_COMMAND) + sum(
        min(len(message.content), LONGEST_COMMAND) for message in context.window
    )
    facts = sum(len(one.content) for one in request.user_facts.known)
    characters = context.characters + _SLOWNESS * (facts + read)
    if not are_words_read():  # which takes longer than the answer
        return await asyncio.to_thread(_answer, request)
    return await off_loop(partial(_answer, request), characters=characters)


def _answer(request: AnswerRequest) -> Answer:
    context = request.context
    message = read_message(context.question, context.language)
    language = _reply_language(request, message)
    texts = reply_texts(language)
    quotes: Sequence[Quote] = ()
    match message.wish:
        case wish if request.lacks_session:
            paragraphs = [*(text(texts) for text in _TALK.get(wish, ())[:1]), texts.no_session]
        case wish if wish in _TALK:
            paragraphs = [text(texts) for text in _TALK[wish]]
        case Wish.ABOUT_USER:
            paragraphs = _all_known(request, texts, language)
        case Wish.FORGETTING:
            paragraphs = _forgotten(request, texts)
        case Wish.UNWANTED if request.is_stored:
            paragraphs = [texts.taken_back, texts.messages_stay]
        case Wish.STORING if request.is_stored:
            paragraphs = [texts.noted.format(question=shortened(context.question, _ECHOED))]
        case _:
            facts = facts_for(request)
            quotes = quotes_for(request, beside=facts, language=language)
            paragraphs = _quoting(request, texts, facts, quotes, language)
    citations = tuple(quote.citation() for quote in quotes)
    details = AnswerDetails(model=FROM_MEMORY, citations=citations or None)
    return Answer(content="\n\n".join(paragraphs), details=details)


def _reply_language(request: AnswerRequest, message: ReadMessage) -> str:
    """The language to answer in: the conversation's, if the message can be in it.

    A word such as "ok" may be in any; at the beginning of a conversation the facts about the
    user decide, then English and the order of languages.
    """
    context = request.context
    spoken, codes = context.language, message.languages
    if not codes and (context.window or any(map(str.isalpha, context.question))):
        return spoken
    if spoken in codes and context.window:
        return spoken
    known = Counter(fact.language for fact in request.user_facts.known)
    possible = codes or REPLY_LANGUAGES
    most = max(possible, key=lambda code: known[code])
    return most if known[most] or "en" not in possible else "en"


def _quoting(
    request: AnswerRequest,
    texts: ReplyTexts,
    facts: Sequence[Fact],
    quotes: Sequence[Quote],
    language: str,
) -> list[str]:
    if not request.is_memory_read:
        return [texts.no_model, texts.not_read]
    opening = texts.nearest if facts or quotes else texts.nothing
    question = shortened(request.context.standalone_question, _ECHOED)
    known = [quoted(fact.content, fact.valid_from, texts.known) for fact in facts]
    said = [quote.written(texts, language) for quote in quotes]
    nearest = [*said, *known] if quotes_lead(request, facts, quotes) else [*known, *said]
    return [texts.no_model, opening.format(question=question), *nearest]


def _all_known(request: AnswerRequest, texts: ReplyTexts, language: str) -> list[str]:
    """What is known about the user, what changed last first; else what the conversation tells.

    Facts are learnt in the background, some seconds after they were told.
    """
    if not request.is_memory_read:
        return [texts.not_read]
    facts = request.user_facts.known[:_MOST_KNOWN]
    if not facts:
        told = [one.written(texts, language) for one in told_here(request, language=language)]
        return [texts.not_learnt_yet, *told] if told else [texts.nothing_known]
    lines = (f"- {shortened(fact.content)} ({fact.valid_from:%Y-%m-%d})" for fact in facts)
    return [texts.known_about_you, "\n".join(lines)]


def _alike(request: AnswerRequest, texts: ReplyTexts) -> list[str]:
    """The facts that a message may mean which is no command: so they can be named."""
    wanted = content_words(request.context.question[:LONGEST_COMMAND])
    facts = (one for one in request.user_facts.known if content_words(one.content) & wanted)
    return [quoted(one.content, one.valid_from, texts.known) for one in islice(facts, MOST_FACTS)]


def _possible(request: AnswerRequest, commands: Iterable[Command], texts: ReplyTexts) -> list[str]:
    """The facts that a noun may mean, of which none was forgotten."""
    known = request.user_facts.known
    things = [command.thing for command in commands if command.thing]
    facts = [one for thing in things for one in facts_named(thing, known).possible]
    return [quoted(one.content, one.valid_from, texts.known) for one in facts[:_MOST_KNOWN]]


def _undone(request: AnswerRequest, commands: Iterable[Command], texts: ReplyTexts) -> list[str]:
    """The facts that commands mean by slots and that still hold: to end them has failed."""
    slots = {slot for command in commands for slot in command.slots}
    facts = [one for one in request.user_facts.known if tells_about(one, slots)]
    return [quoted(one.content, one.valid_from, texts.known) for one in facts[:_MOST_KNOWN]]


def _forgotten(request: AnswerRequest, texts: ReplyTexts) -> list[str]:
    """What a command has ended, or that it has ended nothing."""
    if not request.is_stored:
        return [texts.not_stored]
    facts = request.user_facts.forgotten
    if not facts:
        return _not_forgotten(request, texts)
    named = [f"“{shortened(fact.content)}”" for fact in facts[:_MOST_KNOWN]]
    named += [f"(+{len(facts) - _MOST_KNOWN})"] if len(facts) > _MOST_KNOWN else []
    return [texts.forgotten.format(facts=" ".join(named)), texts.messages_stay]


def _not_forgotten(request: AnswerRequest, texts: ReplyTexts) -> list[str]:
    """Why a command has ended nothing."""
    context = request.context
    commands = list(filter(is_forgetting, commands_of(context.question)))
    if not commands and means_everything(context.question):
        return [texts.erasing]
    if not commands:
        return [texts.not_understood, *_alike(request, texts)]
    if possible := _possible(request, commands, texts):
        return [texts.which, *possible]
    if undone := _undone(request, commands, texts):
        return [texts.not_yet, *undone]
    if hides_something(context, commands):
        return [texts.hidden, texts.messages_stay]
    is_of_last = context.window and any(one.kind in _OF_LAST for one in commands)
    return [texts.taken_back if is_of_last else texts.no_fact, texts.messages_stay]
