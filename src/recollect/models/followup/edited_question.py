"""A question with the edits that the network makes of it, as the checks and mends read it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Word
from recollect.domain.followup.languages import LanguageWords
from recollect.models.followup.confidence import NEAR_BEGINNING, WordLists


@dataclass(frozen=True, kw_only=True)  # without slots: `__dict__` has what is read several times
class EditedQuestion:
    """A question, the messages before it, newest first, and the edits that complete it."""

    words: Sequence[Word]
    blocks: Sequence[Block]
    edits: Edits
    """With one insertion or more."""
    lists: WordLists
    known: LanguageWords
    is_data: bool = False
    """Whether the conversation is about data."""

    @cached_property
    def texts(self) -> Sequence[str]:
        """All words of the question in small letters, without signs."""
        return [word.text.lower() for word in self.words if not word.is_sign]

    @cached_property
    def kept(self) -> Sequence[int]:
        """The places of the words that stay, without signs."""
        deleted = self.edits.deleted
        return [n for n, word in enumerate(self.words) if n not in deleted and not word.is_sign]

    @cached_property
    def kept_texts(self) -> Sequence[str]:
        """The words that stay in small letters, without signs."""
        return [self.words[n].text.lower() for n in self.kept]

    @cached_property
    def taken(self) -> frozenset[str]:
        """All words that come in, in small letters."""
        spans = map(self.inserted, self.edits.insertions)
        return frozenset(word.text.lower() for span in spans for word in span)

    @property
    def first(self) -> Insertion:
        """What comes in first."""
        return self.edits.insertions[0]

    @property
    def last_question(self) -> Sequence[Word]:
        """The words of the user's newest message."""
        return next((block.words for block in self.blocks if block.role is Role.USER), ())

    def text_at(self, place: int) -> str:
        """A word of the question in small letters; empty behind the last one."""
        return self.words[place].text.lower() if place < len(self.words) else ""

    def next_kept(self, gap: int) -> int:
        """The first place from a gap on whose word or sign stays; behind the last one if none."""
        places = range(gap, len(self.words))
        return next((n for n in places if n not in self.edits.deleted), len(self.words))

    def source(self, insertion: Insertion) -> Block:
        """The message that an insertion is from."""
        return self.blocks[insertion.span.block]

    def inserted(self, insertion: Insertion) -> Sequence[Word]:
        """The words that come in."""
        _, first, last = insertion.span
        return self.source(insertion).words[first : last + 1]

    def begins_question(self, insertion: Insertion) -> bool:
        """Whether a span is the beginning of an earlier question, however short."""
        _, first, last = insertion.span
        is_users = self.source(insertion).role is Role.USER
        return is_users and first < NEAR_BEGINNING and last > first

    def following(self, insertion: Insertion) -> Sequence[Word]:
        """The words of the message behind those that come in."""
        return self.source(insertion).words[insertion.span.last + 1 :]
