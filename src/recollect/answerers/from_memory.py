"""Answers without a model: what is known and was said before, quoted with its dates."""

import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from recollect.concurrency import off_loop
from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import FROM_MEMORY, AnswerDetails, Message, Role
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Recalled
from recollect.domain.summary.statements import is_question, read_statement
from recollect.domain.text import JsonValue, without_breaks

_MOST_EXCHANGES: Final = 3
_MOST_FACTS: Final = 3
_QUOTED_CHARACTERS: Final = 500
_SHORTEST_WORD: Final = 4
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    no_model: str
    nothing: str
    noted: str
    nearest: str
    question: str
    answer: str
    earlier: str
    known: str


_LANGUAGES: Final = {
    "en": _Words(
        no_model="No language model is set (MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL), so this is "
        "not a new answer.",
        nothing="Nothing is stored yet that could answer: {question}",
        noted="This is stored, and can be asked for later: {question}",
        nearest="What was said before that comes nearest to: {question}",
        question="You asked",
        answer="The answer was",
        earlier="Said before",
        known="Known about you",
    ),
    "nl": _Words(
        no_model="Er is geen taalmodel ingesteld (MEMORY_LLM_BASE_URL en MEMORY_LLM_MODEL), dus "
        "dit is geen nieuw antwoord.",
        nothing="Er is nog niets opgeslagen dat antwoord geeft op: {question}",
        noted="Dit is opgeslagen, en u kunt er later naar vragen: {question}",
        nearest="Wat eerder is gezegd en hier het dichtst bij komt: {question}",
        question="U vroeg",
        answer="Het antwoord was",
        earlier="Eerder gezegd",
        known="Over u bekend",
    ),
}


class FromMemory:
    """Implements `recollect.ports.models.Answerer` without any model."""

    async def answer(self, scope: Scope, request: AnswerRequest) -> Answer:  # noqa: ARG002  # the port's
        """The nearest facts and exchanges, quoted, and that no model is set."""
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
    return await off_loop(partial(_answer, request), characters=request.context.characters)


def _answer(request: AnswerRequest) -> Answer:
    context = request.context
    words = _LANGUAGES.get(context.language, _LANGUAGES["en"])
    nearest, recalled = _nearest(context), _news(context)
    known = context.facts[:_MOST_FACTS]
    opening = words.nearest if nearest or recalled or known else _opening(request, words)
    standalone_question = without_breaks(context.standalone_question)
    paragraphs = [words.no_model, opening.format(question=standalone_question)]
    paragraphs += (_quoted(fact.content, fact.valid_from, words.known) for fact in known)
    for exchange in nearest:
        question, reply = exchange.question, exchange.reply
        quote = _quoted(question.content, question.created_at, words.question)
        if reply is not None:
            quote += "\n" + _quoted(reply.content, reply.created_at, words.answer)
        paragraphs.append(quote)
    paragraphs += (_quoted(one.text, one.created_at, words.earlier) for one in recalled)
    details = AnswerDetails(model=FROM_MEMORY, citations=_citations(nearest, recalled) or None)
    return Answer(content="\n\n".join(paragraphs), details=details)


def _opening(request: AnswerRequest, words: _Words) -> str:
    """What to say where memory has nothing: users who tell something did not ask."""
    said = request.context.question[:_QUOTED_CHARACTERS]
    statement = read_statement(said, language=request.context.language)
    is_told = statement.is_own and statement.worth > 0 and not is_question(said)
    return words.noted if is_told and request.is_stored else words.nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exchange:
    """A question, and its reply, unless memory itself answered."""

    question: Message
    reply: Message | None

    @property
    def words(self) -> frozenset[str]:
        reply = f" {self.reply.content}" if self.reply else ""
        return _content_words(self.question.content + reply)


def _nearest(context: Context) -> Sequence[_Exchange]:
    """The exchanges that share most with the question, the best first; a rare word counts more."""
    exchanges = _exchanges(context.window, question=context.question)
    wanted = _content_words(
        " ".join((context.standalone_question, context.question, *context.context_terms))
    )
    spread = Counter(word for exchange in exchanges for word in exchange.words & wanted)

    def score(exchange: _Exchange) -> tuple[float, int]:
        shared = sum(1 / spread[word] for word in exchange.words & wanted)
        return shared, exchange.question.sequence

    near = [exchange for exchange in exchanges if exchange.words & wanted]
    return sorted(near, key=score, reverse=True)[:_MOST_EXCHANGES]


def _news(context: Context) -> Sequence[Recalled]:
    """The recalled entries, but for messages of the window and unanswered questions."""
    questions = (context.question, context.standalone_question)
    shown = {*questions, *(message.content for message in context.window)}

    def is_news(one: Recalled) -> bool:
        is_exchange = len(one.message_ids) > 1 or one.speaker is not None
        return is_exchange or not (one.text in shown or one.text.rstrip().endswith("?"))

    return [one for one in context.recalled if is_news(one)][:_MOST_EXCHANGES]


def _exchanges(window: Sequence[Message], *, question: str) -> Sequence[_Exchange]:
    """Each exchange once, the latest of its kind; the question itself is no answer to it."""
    replies = {
        message.turn_number: message
        for message in window
        if message.role is Role.ASSISTANT and not message.details.only_quotes
    }
    latest: dict[tuple[str, str | None], _Exchange] = {}
    for message in window:
        if message.role is Role.USER:
            reply = replies.get(message.turn_number)
            key = (message.content, reply.content if reply else None)
            latest[key] = _Exchange(question=message, reply=reply)
    latest.pop((question, None), None)
    return list(latest.values())


def _content_words(text: str) -> frozenset[str]:
    """Numbers, and words long enough to mean something."""
    words = _WORD.findall(text.casefold())
    return frozenset(word for word in words if len(word) >= _SHORTEST_WORD or word.isdigit())


def _quoted(content: str, at: datetime, label: str) -> str:
    text = without_breaks(content)
    if len(text) > _QUOTED_CHARACTERS:
        text = text[: _QUOTED_CHARACTERS - 1].rstrip() + "…"
    return f"> {label} ({at:%Y-%m-%d %H:%M} UTC): “{text}”"


def _citations(
    exchanges: Iterable[_Exchange], recalled: Iterable[Recalled]
) -> tuple[JsonValue, ...]:
    cited = [exchange.reply or exchange.question for exchange in exchanges]
    sources = [("conversation", m.session_id, m.message_id, m.created_at) for m in cited]
    sources += [("recalled", m.session_id, m.message_ids[-1], m.created_at) for m in recalled]
    return tuple(
        {
            "source": source,
            "session_id": str(session_id),
            "message_id": str(message_id),
            "created_at": at.isoformat().replace("+00:00", "Z"),
        }
        for source, session_id, message_id, at in sources
    )
