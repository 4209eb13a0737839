"""Making the entries of a turn."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from recollect.domain.conversation.message import Message, Role
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.identity.permissions import UNKNOWN, tables_of_answer
from recollect.domain.recall.entry import Entry, IndexedEntry, answer_term

_MAX_NAME: Final = 60
_NAMED_BY: Final = ("speaker", "name")
_OPENING: Final = re.compile(
    r"([^\W\d_][\w.'\u2019-]*(?: [^\W\d_][\w.'\u2019-]*){0,2}):[ \t]+(?=\S)"
)
# Words before a colon that are not names of speakers.
_LABEL_WORDS: Final = """
    a action ai answer antwoord antwort assistant attention aufgabe background beispiel
    bemerkung bot bug cc code comment commentaire comments conclusion consulta context contexte
    contexto copy correction data date datum description detail details ejemplo email error
    erreur exception exemple example explanation fact fehler file filter final fix fout format
    frage from fwd given goal help hinweis hint human idea important info input instruction
    instructions issue kontext language link list message model nota note notice objective objet
    onderwerp opdracht opmerking output p.s pd ps pregunta problem problema problème prompt q
    query question quote re reason reminder remarque reply request requête response respuesta
    result resultaat résultat résumé réponse role rule samenvatting select source sources sql
    step subject suggestion summary system table task tarea taak text thanks thema time tip
    title titre to todo translation update url usage user verzoek voorbeeld vraag warning
    wichtig
"""
_LABELS: Final = frozenset(_LABEL_WORDS.split())
_LONGEST: Final = 160
"""Longer answers are never empty."""
_APOLOGY: Final = (
    r"(?:(?:i(?:'m| am) )?(?:so |very )?sorry|unfortunately|(?:het spijt me|sorry|helaas)"
    r"|(?:es tut mir leid|entschuldigung|leider)|(?:je suis )?désolée?|malheureusement"
    r"|lo siento|perdón|lamentablemente)[,.:;!]*\s*(?:but |maar |aber |mais |pero )?"
)
_NOTHING: Final = (
    # English
    r"i (?:really )?(?:do not|don't) know|i have no (?:idea|information|answer)"
    r"|i(?:'m| am) not sure|i (?:can(?:not|'t)|could(?: not|n't)|am unable to|was unable to)"
    r" (?:answer|find|tell|say|help)|(?:there is )?no (?:answer|information|results?)\b"
    r"|(?:not known|unknown|n/?a|none)\W*$"
    # Dutch
    r"|(?:dat )?weet ik niet|ik weet (?:het|dat) niet|ik heb geen (?:idee|informatie|antwoord)"
    r"|(?:dat |ik )?kan (?:ik )?(?:dat |het )?niet (?:beantwoorden|vinden|zeggen)"
    r"|(?:daar )?(?:is )?geen (?:antwoord|informatie|resultaat|resultaten)\b|onbekend\W*$"
    # German
    r"|(?:das )?wei(?:ß|ss) ich(?: leider)? nicht"
    r"|ich wei(?:ß|ss)(?: es| das)?(?: leider)? nicht"
    r"|ich habe keine (?:ahnung|information(?:en)?|antwort)"
    r"|(?:das |ich )?kann (?:ich )?(?:das |es )?nicht (?:beantworten|finden|sagen)"
    r"|keine (?:antwort|informationen|ergebnisse)\b|unbekannt\W*$"
    # French
    r"|je ne sais pas|je l'ignore|je n'ai (?:pas trouvé|aucune (?:idée|information|réponse))"
    r"|je ne peux pas (?:répondre|trouver|dire)|(?:il est )?impossible de répondre"
    r"|(?:il n'y a )?aucune? (?:réponse|information|résultat)\b|inconnue?\W*$"
    # Spanish
    r"|no (?:lo )?sé|no tengo (?:ni )?(?:idea|información|respuesta)"
    r"|no (?:puedo|pude) (?:responder|contestar|encontrar|decir)|no encontr[ée]"
    r"|(?:no hay )?ning(?:una|ún) (?:respuesta|información|resultado)"
    r"|no hay (?:respuesta|información|resultados)|desconocid[oa]\W*$"
)
_TELLS_NOTHING: Final = re.compile(rf"\W*+(?:{_APOLOGY})?(?:{_NOTHING})", re.IGNORECASE)
_MORE: Final = re.compile(r"\b(?:but|maar|aber|mais|pero)\b", re.IGNORECASE)
SUMMARY_LENGTH: Final = 200
"""Characters of an answer that are embedded and shown."""
MAX_TERMS: Final = 1_000
"""The most different words of one entry; others are left out."""
_MAX_QUESTION: Final = 4_000
_MAX_SQL: Final = 2_000
_MAX_TABLES: Final = 1_000
_QUESTION: Final = "Question: "
_ANSWER: Final = " Result summary: "
_TABLES: Final = " Tables: "
_STATEMENT: Final = re.compile(r" SQL: (?=select|with|\()", re.IGNORECASE)
Stems = Callable[[str], Sequence[str]]
TablesOf = Callable[[Message], Iterable[str]]


def speaker_of(message: Message) -> str | None:
    """The speaker that a message's metadata name (`speaker` or `name`), on one line."""
    for key in _NAMED_BY:
        name = message.metadata.get(key)
        if isinstance(name, str) and name.strip():
            return " ".join(name.split())[:_MAX_NAME]
    return None


def written_speaker(content: str) -> str | None:
    """The name a message begins with, as in `Ann: Hello`, unless it is a label such as `Note:`."""
    match = _OPENING.match(content)
    if match is None or not match[1][0].isupper() or len(match[1]) > _MAX_NAME:
        return None
    words = match[1].lower().split()
    return None if _LABELS.intersection(words) else match[1]


def is_empty_answer(answer: str) -> bool:
    """Whether an answer is empty, or says in one of five languages that there is none."""
    text = " ".join(answer.replace("\u2019", "'").split())
    if not text:
        return True
    if len(text) > _LONGEST or any(character.isdigit() for character in text):
        return False
    match = _TELLS_NOTHING.match(text)
    return match is not None and _MORE.search(text, match.end()) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryMaker:
    """Makes the entries of a turn, without their vectors.

    A complete exchange is one entry, unless its answer is empty. In a log, where messages name
    their speakers, each message is an entry, whatever the state of its turn; so is a question
    that was followed by another without an answer. Failed turns have none.
    """

    stems: Stems
    tables_of: TablesOf = lambda message: tables_of_answer(message.details, lambda _: None)
    """The tables that a message uses, normalised; by default its SQL is not read."""

    def entries_of(
        self, messages: Sequence[Message], status: TurnStatus, *, is_latest: bool
    ) -> tuple[IndexedEntry, ...]:
        """The entries of one turn, given all of its messages in order."""
        named = {m.message_id: name for m in messages if (name := speaker_in(m, messages))}
        logged = [self._message(m, named[m.message_id]) for m in messages if m.message_id in named]
        others = [m for m in messages if m.message_id not in named and m.role is not Role.SYSTEM]
        entries = chain(logged, self._unnamed(others, status, is_latest=is_latest))
        return tuple(sorted(entries, key=lambda indexed: indexed.entry.sequence))

    def _unnamed(
        self, messages: Sequence[Message], status: TurnStatus, *, is_latest: bool
    ) -> Iterable[IndexedEntry]:
        questions = [message for message in messages if message.role is Role.USER]
        replies = [message for message in messages if message.role is Role.ASSISTANT]
        # Replies that only quote recalled entries must not be indexed again.
        only_quote = replies and all(reply.details.only_quotes for reply in replies)
        if status is TurnStatus.COMPLETE and only_quote:
            return (self._message(message, None) for message in questions)
        if status is TurnStatus.COMPLETE:
            answer = "\n".join(message.content for message in replies)
            is_told = questions and not is_empty_answer(answer)
            return (self._exchange(questions, replies, answer),) if is_told else ()
        if status is TurnStatus.PENDING and not is_latest:
            return (self._message(message, None) for message in questions)
        return ()

    def _exchange(
        self, questions: Sequence[Message], replies: Sequence[Message], answer: str
    ) -> IndexedEntry:
        question = "\n".join(message.content for message in questions)
        queries = [m.details.sql_query for m in replies if m.details.sql_query]
        tables = self._tables(replies)
        text = _exchange_text(question, queries, _known(tables), answer)
        messages = sorted([*questions, *replies], key=lambda message: message.sequence)
        asked = self._terms(question)
        answered = self._terms(answer, *_known(tables), *queries)
        in_answer = ((answer_term(stem), count) for stem, count in answered.items())
        terms = dict(islice(chain(asked.items(), in_answer), MAX_TERMS))
        return IndexedEntry(entry=_entry(messages, text=text, tables=tables), terms=terms)

    def _message(self, message: Message, speaker: str | None) -> IndexedEntry:
        text = message.content[:_MAX_QUESTION]
        if speaker is not None and written_speaker(message.content) != speaker:
            text = f"{speaker}: {text}"
        queries = [message.details.sql_query] if message.details.sql_query else []
        tables = self._tables([message])
        terms = self._terms(speaker or "", message.content, *_known(tables), *queries)
        entry = _entry([message], text=text, tables=tables, speaker=speaker)
        return IndexedEntry(entry=entry, terms=terms)

    def _tables(self, replies: Sequence[Message]) -> tuple[str, ...]:
        return tuple(sorted(set(chain.from_iterable(map(self.tables_of, replies)))))

    def _terms(self, *texts: str) -> Mapping[str, int]:
        counted = Counter(self.stems("\n".join(texts)))
        return dict(islice(counted.items(), MAX_TERMS))


def _known(tables: Sequence[str]) -> Sequence[str]:
    """The tables whose names are known."""
    return [table for table in tables if table != UNKNOWN]


def speaker_in(message: Message, turn: Sequence[Message]) -> str | None:
    """The speaker; a name written in the text counts if all messages of the turn have one."""
    named = speaker_of(message)
    if named is not None:
        return named
    if all(speaker_of(other) or written_speaker(other.content) for other in turn):
        return written_speaker(message.content)
    return None


def _exchange_text(
    question: str, queries: Sequence[str], tables: Sequence[str], answer: str
) -> str:
    parts = (
        ("Question", question, _MAX_QUESTION),
        ("SQL", "; ".join(queries), _MAX_SQL),
        ("Tables", ", ".join(tables), _MAX_TABLES),
        ("Result summary", answer, SUMMARY_LENGTH),
    )
    on_a_line = ((label, " ".join(text.split())[:most]) for label, text, most in parts)
    return " ".join(f"{label}: {text}" for label, text in on_a_line if text)


def read_exchange(text: str, *, has_tables: bool) -> tuple[str, str] | None:
    """The question of an exchange's text and the beginning of its answer, which may be empty.

    None for a text that is none of an exchange.
    """
    if not text.startswith(_QUESTION):
        return None
    question, label, answer = text.removeprefix(_QUESTION).rpartition(_ANSWER)
    if not label:
        question, answer = answer, ""
    if has_tables:
        question = question.rpartition(_TABLES)[0] or question
    statement = _STATEMENT.search(question)
    return question[: statement.start()] if statement else question, answer


def _entry(
    messages: Sequence[Message],
    *,
    text: str,
    tables: tuple[str, ...],
    speaker: str | None = None,
) -> Entry:
    first = messages[0]
    return Entry(
        session_id=first.session_id,
        turn_number=first.turn_number or 0,
        sequence=first.sequence,
        message_ids=tuple(message.message_id for message in messages),
        text=text,
        speaker=speaker,
        tables=tables,
        said_at=first.created_at,
    )
