"""What the conversation is about now: the things named so far, and how present each still is."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from recollect.domain.followup.describing import Mention
from recollect.domain.followup.languages.pack import Kind, LanguagePack
from recollect.domain.followup.mentions import ANSWER_SUBJECT, NAME_IN_QUESTION
from recollect.domain.followup.question import Question
from recollect.domain.followup.reader import Reader
from recollect.domain.followup.referents import Fit, Referent, join_or_add, referent_of
from recollect.domain.followup.replies import ANSWER_END
from recollect.domain.followup.restating import Before

_FADING: Final = 0.7  # what is not named again loses this much per turn
_IN_HEADING: Final = 4.0
_HEADING_FLOOR: Final = 2.5
_HEADING_PART: Final = 1.0
_FIRST_FLOOR: Final = 0.9  # what the first question was about stays within reach
_NEW_SUBJECT: Final = 4.0  # an answer that introduces its subject has changed what "it" is
_ANSWER_LENGTH: Final = 200  # an answer names what it is about early
_HEADING: Final = re.compile(r"^(?P<title>[^.?!\n:]{2,80}): (?P<part>[^?!\n]{2,80})$")
_BRACKETS: Final = re.compile(r"(?<!\s)\s*+\([^()]*+\)")


@dataclass(slots=True, kw_only=True)
class Discourse:
    """The referents of a conversation, kept while its turns are read in order."""

    reader: Reader
    referents: list[Referent] = field(default_factory=list)
    turn: int = 0
    last_question: Question | None = None
    had_open_question: bool = False
    last_answer: str = ""
    last_sql: str | None = None
    was_searched: bool = False
    """Whether anything was looked for among the referents, which are seen by `choose` alone."""

    @property
    def pack(self) -> LanguagePack:
        """The language of the conversation."""
        return self.reader.pack

    @property
    def before(self) -> Before:
        """What was said just before the question to come."""
        question, sql = self.last_question, self.last_sql
        if question is not None and sql is not None:
            question = self.reader.as_stored(question, sql)
        return Before(
            question=question,
            has_sql=sql is not None,
            answer=self.last_answer[-ANSWER_END:],
            had_open_question=self.had_open_question,
        )

    def next_turn(self) -> None:
        """Let everything fade a little."""
        self.turn += 1
        for referent in self.referents:
            referent.fade(_FADING)

    def hear_question(self, question: Question) -> None:
        """Take in what the user asked, best already made standalone."""
        self.last_question = question
        self.last_answer, self.last_sql = "", None
        heard = [
            (weight, join_or_add(self.referents, referent, weight))
            for weight, referent in question.mentions
        ]
        if self.turn == 1 and heard:
            enough = min(NAME_IN_QUESTION, max(weight for weight, _ in heard))
            for weight, referent in heard:
                if weight >= enough:
                    referent.floor = max(referent.floor, _FIRST_FLOOR)

    def hear_answer(self, answer: str, *, sql_query: str | None, is_recent: bool) -> None:
        """Take in what an answer names; of an old one, only that it was given."""
        if self.turn == 0 and self._hear_heading(answer):
            return
        self.last_answer, self.last_sql = answer, sql_query
        if not is_recent:
            return
        heard: list[Referent] = []
        for mention in self.reader.mentions_in_answer(answer[:_ANSWER_LENGTH]):
            heard.append(self._mention_once(mention, heard))

    def choose(self, fit: Fit, *, but_not: Collection[Referent] = ()) -> Referent | None:
        """The most present referent, after each is weighed by how well it fits."""
        self.was_searched = True
        best, best_score = None, 0.0
        for referent in self.referents:
            score = referent.presence * fit(referent)
            if score > best_score and referent not in but_not:
                best, best_score = referent, score
        return best

    def _hear_heading(self, text: str) -> bool:
        """As in "Title: part" before any question names what the conversation is about."""
        heading = _HEADING.match(text.strip())
        if heading is None:
            return False
        for group, weight in (("title", _IN_HEADING), ("part", _HEADING_PART)):
            name = _BRACKETS.sub("", heading[group]).strip()
            tokens = self.reader.read(name).text.tokens
            said = tuple(token.lower for token in tokens if token.is_word)
            if said:
                referent = referent_of(name, said, self.pack, is_name=group == "title")
                referent.floor = _HEADING_FLOOR if group == "title" else 0.0
                referent.is_heading = True
                join_or_add(self.referents, referent, weight)
        return True

    def _mention_once(self, mention: Mention, heard: list[Referent]) -> Referent:
        """An answer that repeats a name does not make it more present than the question did."""
        known, weight = len(self.referents), mention.weight
        referent = join_or_add(self.referents, mention.referent, weight)
        if len(self.referents) > known:
            referent.only_in_answers = True
            is_thing = referent.is_name and referent.kind is not Kind.PERSON
            if weight == ANSWER_SUBJECT and is_thing:
                referent.presence = _NEW_SUBJECT
        elif referent in heard:
            referent.presence -= weight
        return referent
