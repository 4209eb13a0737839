"""Which of the facts that a user states early survive several compactions.

    python benchmarks/summaries_keep_facts.py                        offline summariser
    python benchmarks/summaries_keep_facts.py BASE_URL MODEL         a model, OpenAI-compatible

A shopkeeper tells who she is and what she wants in the first turns of forty-four, and then talks
of other things. The conversation is summarised in three parts, each with the summary before it; a
model's once as it writes them and once with what it forgets kept beside it.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from recollect.domain.conversation.message import Message, Role
from recollect.domain.summary.candidates import Utterance
from recollect.domain.summary.prompting import summary_from_answer, summary_prompt, words_for
from recollect.errors import ModelUnavailable
from recollect.models.endpoint.chat_model import OpenAICompatibleChat
from recollect.models.tokens import token_counter_for
from recollect.ports.models import Prompt
from recollect.services.context.summarising import ExtractiveSummariser, LlmSummariser, Summariser
from talk import stored_message

MAX_TOKENS: Final = 500
PARTS: Final = 3
TRIES: Final = 3
TIMEOUT: Final = 300.0
COUNTER: Final = token_counter_for(None)
FACTS: Final = {
    "name": ("Marloes",),
    "shop": ("Blue Heron", "BlueHeron"),
    "town": ("Zutphen",),
    "staff": ("7", "seven"),
    "since": ("2011",),
    "rent": ("1,850", "1850", "1.850"),
    "short answers": ("short", "brief", "concise"),
    "no phone": ("phone",),
    "vegetarian": ("vegetarian",),
}
EARLY: Final = (
    (
        "Hi, my name is Marloes and I run a bookshop called Blue Heron in Zutphen.",
        "Nice to meet you!",
    ),
    ("I have 7 employees and opened the shop in 2011.", "That is a good team for a bookshop."),
    ("The rent is 1,850 euros a month.", "Noted."),
    ("Please keep your answers short, I prefer that.", "I will."),
    ("I never want to be contacted by phone, only by mail.", "Understood."),
    ("I am vegetarian, keep that in mind for the staff dinner.", "I will keep it in mind."),
)
TOPICS: Final = (
    ("How do I arrange a window display for spring?", "Use one colour, three heights and a theme."),
    ("Which books sell well in May?", "Travel guides and light novels sell well in May."),
    ("How should returns from customers be handled?", "Give a voucher within 14 days."),
    ("What is a good opening hour on Saturdays?", "Most shops open at nine on Saturdays."),
    ("How can I find a supplier of gift paper?", "Compare three wholesalers and ask for samples."),
    ("Should I sell e-readers?", "Only with good margins; start with two models."),
    ("How do I train a new colleague?", "Make a plan for two weeks and a checklist."),
    ("What makes a newsletter work?", "One subject, a clear picture and one link."),
    ("How do I count the stock quickly?", "Scan shelf by shelf and compare at night."),
    ("Which events draw people on Sundays?", "Readings for children draw families."),
    ("How do I keep the shop warm in winter?", "Use a curtain at the door and seal the windows."),
    ("What about a loyalty card?", "A stamp card with ten stamps is simple."),
    ("How do I price second-hand books?", "A third of the new price is usual."),
)


def main() -> None:
    """Run both ways and print one line for each summary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base_url", nargs="?", metavar="BASE_URL")
    parser.add_argument("model", nargs="?", metavar="MODEL")
    parser.add_argument("--show", action="store_true", help="print the summaries, too")
    arguments = parser.parse_args()
    if arguments.base_url and not arguments.model:
        parser.error("a model must be named")
    asyncio.run(measure(arguments.base_url, arguments.model, is_shown=arguments.show))


async def measure(base_url: str | None, model: str | None, *, is_shown: bool) -> None:
    """Three compactions as written, and three with facts kept."""
    print(f"{'':22}{'kept':>6}{'tokens':>8}  lost")
    if base_url is None:
        await chain("offline", using(ExtractiveSummariser(tokens=COUNTER)), is_shown=is_shown)
        return
    async with OpenAICompatibleChat(base_url, model=model or "", api_key=None) as chat:
        await chain("as written", by_model_alone(chat), is_shown=is_shown)
        kept = LlmSummariser(model=chat, tokens=COUNTER, timeout=TIMEOUT)
        await chain("facts kept", using(kept), is_shown=is_shown)


Summarise = Callable[[Sequence[Message], str], Awaitable[str]]


async def chain(name: str, summarise: Summarise, *, is_shown: bool) -> None:
    """Summarise the parts in turn, each with the summary of those before it."""
    messages = conversation()
    size = len(messages) // PARTS // 2 * 2 + 2
    summary = ""
    for part in range(PARTS):
        chosen = messages[part * size : (part + 1) * size]
        summary = await tried(lambda chosen=chosen, before=summary: summarise(chosen, before))
        lost = [fact for fact, forms in FACTS.items() if not is_told(forms, summary)]
        kept = f"{len(FACTS) - len(lost)}/{len(FACTS)}"
        print(
            f"{name:12}{part + 1} of {PARTS:<5}{kept:>6}{COUNTER.count(summary):8}"
            f"  {', '.join(lost) or '-'}",
            flush=True,
        )
        if is_shown:
            print(f"    {summary}\n")


async def tried(work: Callable[[], Awaitable[str]]) -> str:
    """Small models write what is no summary now and then: as a worker does, ask again."""
    for _ in range(TRIES - 1):
        try:
            return await work()
        except (ModelUnavailable, ValueError) as error:
            print(f"    tried again: {error}")
    return await work()


def using(summariser: Summariser) -> Summarise:
    """The summariser as compaction uses it."""
    return lambda messages, before: summariser.summarise(
        messages, previous=before or None, max_tokens=MAX_TOKENS
    )


def by_model_alone(chat: OpenAICompatibleChat) -> Summarise:
    """What the model writes, if it can be a summary at all."""

    async def summarise(messages: Sequence[Message], before: str) -> str:
        prompt = summary_prompt(
            utterances(messages),
            earlier=before,
            language="en",
            max_words=words_for(MAX_TOKENS),
            limit=3000,
            count=COUNTER.count,
        )
        asked = [
            Prompt(role="system", content=prompt.instructions),
            Prompt(role="user", content=prompt.shown),
        ]
        answer = await chat.complete(asked, max_tokens=MAX_TOKENS, timeout=TIMEOUT)
        return summary_from_answer(
            answer, prompt=prompt, language="en", limit=MAX_TOKENS, count=COUNTER.count
        )

    return summarise


def is_told(forms: Sequence[str], summary: str) -> bool:
    """Whether a summary tells a fact in one of its forms."""
    words = summary.lower().replace("'s", "").split()
    plain = [word.strip('.,;:!?()"') for word in words]
    text = " ".join(plain)
    return any(form.lower() in (plain if form.isdigit() else text) for form in forms)


def utterances(messages: Sequence[Message]) -> list[Utterance]:
    """What was said, by whom."""
    return [Utterance(speaker=str(message.role), text=message.content) for message in messages]


def conversation() -> list[Message]:
    """Forty-four turns: who the user is, then thirty-eight about other things."""
    rounds = (("", "Once more: ", "And in another year: ")[n // len(TOPICS)] for n in range(38))
    later = [
        (f"{again}{TOPICS[n % len(TOPICS)][0]}", TOPICS[n % len(TOPICS)][1])
        for n, again in enumerate(rounds)
    ]
    turns = [*EARLY, *later]
    said = [(role, text) for turn in turns for role, text in zip(Role, turn, strict=False)]
    return [
        stored_message(sequence, role, text) for sequence, (role, text) in enumerate(said, start=1)
    ]


if __name__ == "__main__":
    main()
