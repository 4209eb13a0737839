"""A context, and the forms in which models and programs take it.

The stable parts of each form come first and the question last, which keeps the prompt caches of
models useful.
"""

from dataclasses import dataclass
from typing import Self
from uuid import UUID

from recollect.domain.context.quoting import quoted, without_our_tags
from recollect.domain.context.rendering import (
    EARLIER,
    FACTS,
    FACTS_GUIDANCE,
    GUIDANCE,
    GUIDANCE_HEADING,
    PAST_QUERIES,
    PROFILE,
    RECENT,
    STANDING,
    STANDING_GUIDANCE,
    block_line,
    earlier_line,
    fact_line,
    fact_object,
    facts_text,
    iso_time,
    labels_in,
    message_object,
    past_query,
    profile_line,
    profile_text,
    recalled_object,
    recalled_text,
    section_lines,
    standing_line,
    standing_object,
    standing_text,
    summary_text,
    window_messages,
)
from recollect.domain.conversation.message import Message, Role, characters_in
from recollect.domain.facts.fact import Fact
from recollect.domain.profile.profile import MAX_PROFILE_BYTES, ProfileItem
from recollect.domain.recall.entry import Recalled
from recollect.domain.text import JsonValue, json_characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where every part of a context comes from."""

    messages: tuple[UUID, ...] = ()
    summary: tuple[int, int] | None = None
    """The first and last sequence number of the messages that the summary stands for."""
    recalled: tuple[UUID, ...] = ()
    """The messages of everything that was recalled."""
    standing_instructions: tuple[UUID, ...] = ()
    """The messages in which the user gave them."""
    facts: tuple[UUID, ...] = ()
    """The messages in which the user said them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """How much a model has to read, in the form that takes most."""

    question: int = 0
    frame: int = 0
    """The headings and remarks around what memory adds."""
    summary: int = 0
    window: int = 0
    recalled: int = 0
    standing_instructions: int = 0
    profile: int = 0
    facts: int = 0
    limit: int = 0

    @property
    def total(self) -> int:
        """All parts together; never over the limit."""
        conversation = self.frame + self.summary + self.window + self.recalled
        known = self.standing_instructions + self.profile + self.facts
        return self.question + conversation + known


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    """What had to be left out to stay within the limit."""

    turns: int = 0
    characters: int = 0
    summary: bool = False
    recalled: int = 0
    """How many recalled exchanges there was no room for."""
    standing_instructions: int = 0
    """How many standing instructions there was no room for, the oldest."""
    profile: int = 0
    """How many values of the profile there was no room for."""
    facts: int = 0
    """How many facts about the user there was no room for."""

    def __bool__(self) -> bool:
        known = self.standing_instructions or self.profile or self.facts
        return bool(self.turns or self.characters or self.summary or self.recalled or known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One question with everything a model needs to understand it, ready to be rendered."""

    question: str
    """The question in the user's own words."""
    standalone_question: str
    """What it means without the conversation; as asked where that is not sure."""
    shows_meaning: bool = False
    """Whether models read the standalone question beside the user's own words."""
    is_follow_up: bool = False
    context_terms: tuple[str, ...] = ()
    """Words of the conversation that a search for a follow-up may add to it."""
    language: str = "en"
    """The language of the question, as far as its pack is installed."""
    standing_instructions: tuple[Fact, ...] = ()
    """What the user wants in all answers, oldest first, beside what the window has of it."""
    profile: tuple[ProfileItem, ...] = ()
    """What is stored about the user, as far as `MEMORY_PROFILE_KEYS` names it."""
    facts: tuple[Fact, ...] = ()
    """What the user said before that matters to the question, best first, beside what the window
    has of it."""
    summary: str | None = None
    window: tuple[Message, ...] = ()
    """The last messages, oldest first."""
    recalled: tuple[Recalled, ...] = ()
    """What was said before and may have to do with the question, best first."""
    tables: tuple[str, ...] = ()
    """The tables that what memory tells draws on, as `database.view`."""
    tokens: Tokens = Tokens()
    cut: Truncation = Truncation()
    sources: Sources = Sources()
    warnings: tuple[str, ...] = ()
    """What the user should know: that something could not be looked up, and is missing."""

    @property
    def is_truncated(self) -> bool:
        """Whether something was left out to stay within the limit."""
        return bool(self.cut)

    @property
    def characters(self) -> int:
        """About how many characters there are to render."""
        texts = [one.text for one in self.recalled]
        texts += [fact.content for fact in (*self.standing_instructions, *self.facts)]
        texts += [self.summary or "", self.question, self.standalone_question]
        profile = json_characters([item.value for item in self.profile], most=MAX_PROFILE_BYTES)
        return sum(map(len, texts)) + characters_in(self.window) + profile

    @property
    def question_with_meaning(self) -> str:
        """The question for a model that reads the conversation: the user's own words.

        Where it is sure what they mean, and wished, that stands below them as a remark.
        """
        if not self.shows_meaning or self.standalone_question == self.question:
            return self.question
        label = labels_in(self.language).meaning
        return f'{self.question}\n\n({label}: "{without_our_tags(self.standalone_question)}")'

    def without_memory(self) -> Self:
        """The question as it was asked, with nothing that memory adds."""
        return type(self)(
            question=self.question,
            standalone_question=self.question,
            shows_meaning=self.shows_meaning,
            language=self.language,
            tokens=Tokens(question=self.tokens.question, limit=self.tokens.limit),
        )

    def messages(self) -> list[dict[str, str]]:
        """The messages of a chat completion: at most one system message, the question last.

        Facts and what was recalled change with every question, so they come with the question:
        all that stays the same comes first, and strict chat templates accept it. Standing
        instructions and the profile change least of all.
        """
        window = window_messages(self.window)
        instructions = [one["content"] for one in window if one["role"] == Role.SYSTEM]
        remembered = (
            standing_text(self.standing_instructions),
            profile_text(self.profile),
            summary_text(self.summary),
        )
        leading = "\n\n".join(filter(None, [*instructions, *remembered]))
        found = (facts_text(self.facts), recalled_text(self.recalled))
        question = "\n\n".join(filter(None, [*found, self.question_with_meaning]))
        return [
            *([{"role": str(Role.SYSTEM), "content": leading}] if leading else []),
            *(one for one in window if one["role"] != Role.SYSTEM),
            {"role": str(Role.USER), "content": question},
        ]

    def instructions(self) -> str:
        """The earlier conversation in sections, to go with a data question; empty without one."""
        record = [PROFILE, *map(profile_line, self.profile)] if self.profile else []
        record += [FACTS, *map(fact_line, self.facts)] if self.facts else []
        record += [EARLIER, quoted(self.summary)] if self.summary else []
        record += [RECENT, *map(section_lines, self.window)] if self.window else []
        record += [PAST_QUERIES, *map(past_query, self.recalled)] if self.recalled else []
        guidance = [GUIDANCE] if record else []
        guidance += [FACTS_GUIDANCE] if self.facts else []
        if self.standing_instructions:
            record = [STANDING, *map(standing_line, self.standing_instructions), *record]
            guidance.append(STANDING_GUIDANCE)
        return "\n".join([*record, "", GUIDANCE_HEADING, *guidance]) if record else ""

    def conversation_block(self, *, language: str = "en") -> str:
        """The conversation so far as a block of a system prompt, in English or Dutch."""
        labels = labels_in(language)
        standing = self.standing_instructions
        lines = [labels.standing] if standing else []
        lines += [standing_line(one, language=language) for one in standing]
        lines += [labels.profile] if self.profile else []
        lines += [profile_line(item, language=language) for item in self.profile]
        lines += [labels.facts] if self.facts else []
        lines += [fact_line(fact, language=language) for fact in self.facts]
        lines += [labels.heading] if self.window or self.summary else []
        if self.summary:
            lines.append(f'{labels.summary}: "{quoted(self.summary)}"')
        lines += [block_line(message, language=language) for message in self.window]
        if self.recalled:
            lines.append(labels.recalled)
        lines += [earlier_line(recalled, language=language) for recalled in self.recalled]
        return "\n\n".join(lines)

    def variables(self) -> dict[str, JsonValue]:
        """The variables of a prompt template: what the context has, part by part."""
        return {
            "standing_instructions": [
                {"text": one.content, "created_at": iso_time(one.updated_at)}
                for one in self.standing_instructions
            ],
            "profile": {item.key: item.value for item in self.profile},
            "facts": [fact.content for fact in self.facts],
            "history": [{"role": str(m.role), "content": m.content} for m in self.window],
            "summary": self.summary or "",
            "recalled": [
                {"text": one.text, "speaker": one.speaker, "created_at": iso_time(one.created_at)}
                for one in self.recalled
            ],
            "question": self.question_with_meaning,
        }

    def to_json(self) -> dict[str, JsonValue]:
        """Everything in it as JSON, for other programs."""
        ends = self.sources.summary
        return {
            "question": self.question,
            "standalone_question": self.standalone_question,
            "is_follow_up": self.is_follow_up,
            "context_terms": list(self.context_terms),
            "standing_instructions": [standing_object(one) for one in self.standing_instructions],
            "profile": {item.key: item.value for item in self.profile},
            "summary": self.summary,
            "window": [message_object(message) for message in self.window],
            "recalled": [recalled_object(one) for one in self.recalled],
            "facts": [fact_object(fact) for fact in self.facts],
            "messages": self.messages(),
            "tokens": self.tokens.total,
            "max_tokens": self.tokens.limit,
            "truncated": self.is_truncated,
            "sources": {
                "messages": [str(identifier) for identifier in self.sources.messages],
                "summary": ends and {"first_sequence": ends[0], "last_sequence": ends[1]},
                "recalled": [str(identifier) for identifier in self.sources.recalled],
                "standing_instructions": list(map(str, self.sources.standing_instructions)),
                "facts": list(map(str, self.sources.facts)),
            },
            "warnings": list(self.warnings),
        }
