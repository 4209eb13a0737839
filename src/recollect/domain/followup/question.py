"""A question by itself: what it tells before any conversation is thought of."""

from dataclasses import dataclass
from functools import cached_property

from recollect.domain.followup.describing import Mention, mentions_in_question
from recollect.domain.followup.grammar import Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.register import is_open_question
from recollect.domain.followup.replies import asks_nothing


@dataclass(kw_only=True, eq=False)
class Question:
    """A question that was read; what it tells is found out when first wanted, and but once."""

    text: Text
    pack: LanguagePack
    may_point_back: bool = True
    """False once a conversation has shown that nothing is looked for in it, whatever was named."""

    @property
    def said(self) -> str:
        """Word for word."""
        return self.text.text

    @cached_property
    def asks_nothing(self) -> bool:
        """Whether all of it is thanks, greetings and closings."""
        return asks_nothing(self.text, self.pack)

    @cached_property
    def is_open(self) -> bool:
        """Whether it asks for an explanation, which no table gives."""
        return is_open_question(self.text, self.pack)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """What it names, in order."""
        return tuple(mentions_in_question(self.text, self.pack))
