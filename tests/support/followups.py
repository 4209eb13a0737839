"""Conversations written as lines of text, and a follow-up model for tests."""

from collections.abc import Sequence

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import Block, Edits, Insertion, Span, words_of
from recollect.domain.followup.rules.candidate import rule_candidate, with_complete_questions

_SQL = "SELECT * FROM boats"
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}


def conversation(*lines: str) -> tuple[HistoryMessage, ...]:
    """Read lines such as "user: Who was Marie Curie?"."""
    parts = (line.partition(": ") for line in lines)
    return tuple(HistoryMessage(role=_ROLES[role], content=content) for role, _, content in parts)


def data_question(*questions: str, answer: str = "", sql: str | None = _SQL) -> str | None:
    """What the rules make of the last question after the others, each answered from a database."""
    history = [
        message
        for text in questions[:-1]
        for message in (
            HistoryMessage(role=Role.USER, content=text),
            HistoryMessage(role=Role.ASSISTANT, content=answer, sql_query=sql),
        )
    ]
    proposal = rule_candidate(questions[-1], with_complete_questions(history, "en"), "en")
    return proposal.standalone_question if proposal else None


def edits_of(question: str, last: str, rewrite: str) -> tuple[list[Block], Edits]:
    """The edits that make a rewrite: `[words of the last question]` among words of the question."""
    block = Block(role=Role.USER, text=last, words=words_of(last))
    texts, source = ([w.text for w in words_of(text)] for text in (question, last))
    insertions: list[Insertion] = []
    gap, kept = 0, set[int]()
    for part in rewrite.replace("[", "|[").replace("]", "|").split("|"):
        said = [w.text for w in words_of(part.strip("["))]
        if part.startswith("["):
            first = next(n for n in range(len(source)) if source[n : n + len(said)] == said)
            span = Span(0, first, first + len(said) - 1)
            insertions.append(Insertion(gap=gap, span=span))
        else:
            for word in said:
                gap = texts.index(word, gap) + 1
                kept.add(gap - 1)
    signs = {n for n, text in enumerate(texts) if not text[0].isalnum()}
    deleted = frozenset(range(len(texts))) - kept - signs
    return [block], Edits(deleted=deleted, insertions=tuple(insertions))


class RepeatingModel:
    """A follow-up model that adds the whole history to each question, and is sure of it."""

    def load(self) -> None:
        """Nothing: there is nothing to load."""

    def propose(
        self, question: str, history: Sequence[HistoryMessage], *, language: str
    ) -> Proposal:
        """The question and everything before it."""
        before = " ".join(f"{said.content} {said.sql_query or ''}" for said in history)
        return Proposal(
            standalone_question=f"{question} {before}", need=1.0, confidence=1.0, topic=before
        )
