"""How many of the facts that users state among chatter the offline summaries keep.

    python benchmarks/summaries_of_talk.py [--tokens 500] [--parts 1] [--show]

`data/summaries` has ten conversations of sixty messages and more, in five languages, each with
five facts of its user: names, figures, dates, decisions, wishes, questions that nobody answered.
The summariser was improved with these ten in view. The five in `held_out` were written after its
last change: only their numbers tell how it does on talk that it was not made for, and only until
somebody changes it because of them. A fact is kept where one line of the summary has all its
telling words. `--parts 3` summarises in three parts, each with the summary before it. Beside the
facts stand the lines that say what another one says already: those that share four fifths of
their words with a line before.
"""

import argparse
import re
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recollect.domain.conversation.message import Message, Role
from recollect.domain.language import fold, split_words
from recollect.models.tokens import token_counter_for
from recollect.services.context.summarising import ExtractiveSummariser
from talk import stored_message

FOLDER: Final = Path(__file__).parent / "data" / "summaries"
COUNTER: Final = token_counter_for(None)
SUMMARISER: Final = ExtractiveSummariser(tokens=COUNTER)
ROLES: Final = {"U": Role.USER, "A": Role.ASSISTANT}
SAME: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What a person would need, by the words that the line which keeps it has, in one form each."""

    kind: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind}: {' '.join(self.words)}"

    def is_in(self, summary: str) -> bool:
        """Whether one line of a summary has all its words."""
        return any(
            all(any(has_word(line, form) for form in word.split("|")) for word in self.words)
            for line in summary.splitlines()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation and its user's facts."""

    name: str
    messages: tuple[Message, ...]
    facts: tuple[Fact, ...]


def main() -> None:
    """Summarise every conversation and print one line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokens", type=int, default=500, help="the summary's limit")
    parser.add_argument("--parts", type=int, default=1, help="how many compactions")
    parser.add_argument("--show", action="store_true", help="print the summaries, too")
    arguments = parser.parse_args()
    print(f"{'':24}{'messages':>9}{'kept':>7}{'tokens':>8}{'same':>6}{'ms':>7}  lost")
    for name, folder in (("in view", FOLDER), ("held out", FOLDER / "held_out")):
        conversations = [read(path) for path in sorted(folder.glob("*.toml"))]
        kept = sum(measured(one, arguments) for one in conversations)
        total = sum(len(one.facts) for one in conversations)
        print(f"{name:24}{'':9}{kept:5}/{total}  {100 * kept / total:.0f} %\n")


def measured(conversation: Conversation, arguments: argparse.Namespace) -> int:
    """Print the line of a conversation, and return how many of its facts were kept."""
    started = time.perf_counter()
    summary = summarise(conversation.messages, arguments.parts, arguments.tokens)
    took = 1000 * (time.perf_counter() - started)
    lost = [fact for fact in conversation.facts if not fact.is_in(summary)]
    kept = len(conversation.facts) - len(lost)
    print(
        f"{conversation.name:24}{len(conversation.messages):9}{kept:5}/{len(conversation.facts)}"
        f"{COUNTER.count(summary):8}{lines_said_again(summary):6}{took:7.1f}  "
        f"{'; '.join(map(str, lost)) or '-'}"
    )
    if arguments.show:
        print("    " + summary.replace("\n", "\n    ") + "\n")
    return kept


def read(path: Path) -> Conversation:
    """The conversation of a file: its lines begin with U or A, and other lines continue one."""
    fields = tomllib.loads(path.read_text(encoding="utf-8"))
    turns: list[tuple[Role, str]] = []
    for line in fields["talk"].strip().splitlines():
        mark, colon, text = line.partition(": ")
        if colon and mark in ROLES:
            turns.append((ROLES[mark], text))
        else:
            role, before = turns.pop()
            turns.append((role, f"{before}\n{line}"))
    facts = (Fact(kind=fact["kind"], words=tuple(fact["words"])) for fact in fields["facts"])
    return Conversation(
        name=path.stem,
        messages=tuple(stored_message(n, *turn) for n, turn in enumerate(turns, start=1)),
        facts=tuple(facts),
    )


def summarise(messages: Sequence[Message], parts: int, tokens: int) -> str:
    """The summary after all parts, each made with the one before it."""
    size = -(-len(messages) // parts)
    summary = None
    for start in range(0, len(messages), size):
        part = messages[start : start + size]
        summary = SUMMARISER.extract(part, previous=summary, max_tokens=tokens)
    return summary or ""


def has_word(line: str, word: str) -> bool:
    """Whether a line has a word or phrase, whole, in any case and with any accents."""
    return re.search(rf"(?<!\w){re.escape(fold(word))}(?!\w)", fold(line)) is not None


def lines_said_again(summary: str) -> int:
    """How many lines share most of their words with a line before them."""
    seen: list[frozenset[str]] = []
    again = 0
    for line in summary.splitlines():
        words = frozenset(map(fold, split_words(line)))
        again += any(len(words & one) >= SAME * len(words | one) for one in seen)
        seen.append(words)
    return again


if __name__ == "__main__":
    main()
