"""Texts as front ends send them: a user's own words in a prompt, and a reply without its thoughts.

OpenWebUI puts passages of documents or of web pages, names of attached files and instructions for
its code interpreter into the user's message. The forms are those of its versions 0.5 to 0.12. All
are found by plain searches, which take time in proportion to the text, however it is made.
"""

import re
from collections.abc import Iterator
from typing import Final

from recollect.domain.context.rendering import RECALLED_FRAME

_TASK: Final = "### Task:"
_OTHER_TASKS: Final = (
    "Create a concise, 3-5 word title with an emoji as a title for the chat history",
    "Your task is to reflect the speaker's likely facial expression through a fitting emoji.",
    "You have been provided with a set of responses from various models to the latest user query:",
)
_CONTEXT: Final = "\n<context>"
_SOURCES_START: Final = f"{_CONTEXT}\n<source"
_SOURCES_END: Final = "</source>\n</context>"
_QUERY: Final = ("<user_query>", "</user_query>")
_CHAT_HISTORY: Final = "\n<chat_history>"
_FILES: Final = ("<attached_files>\n", "\n</attached_files>")
_FILE: Final = ("<file ", "/>")
_RECORD: Final = RECALLED_FRAME.split("{entries}")
_INTERPRETER_STARTS: Final = ("\n\n#### Code Interpreter\n", "\n\n#### Tools Available\n")
_INTERPRETER_MARK: Final = "<code_interpreter"
_INTERPRETER_ENDS: Final = (
    "achieve the highest-quality analysis for the user.",
    "os.listdir('/mnt/uploads')` to discover available files.",
)
_OPENING: Final = re.compile(
    r"<(?P<tag>think|thinking|details)(?P<attributes>\b[^<>]*)>", re.IGNORECASE
)
_REASONING: Final = re.compile(r"\btype=[\"']reasoning[\"']", re.IGNORECASE)


def user_words_in(prompt: str) -> str:
    """The user's own words; the whole text, unless it has one of the known forms from its start.

    Empty if a front end wrote all of it.
    """
    rest = _before_interpreter(prompt)
    kinds = list(_KINDS)
    while after := {kind: text for kind in kinds if (text := kind(rest)) is not None}:
        kind, rest = next(iter(after.items()))
        kinds.remove(kind)  # each is added once: a second one is the user's
    return rest


def is_task_prompt(prompt: str, *, streams: bool) -> bool:
    """Whether a front end asks for a title, for tags or the like, and no user for anything.

    What it asks under `### Task:` either tells the chat or is not streamed: nobody reads along.
    """
    start = prompt.lstrip()
    if start.startswith(_OTHER_TASKS) or holds_chat_history(prompt):
        return True
    return start.startswith(_TASK) and not streams and _after_sources(prompt) is None


def holds_chat_history(prompt: str) -> bool:
    """Whether a task is marked as one and tells a whole chat, as no user's question does.

    A chat within passages of documents, which `<context>` begins, is part of a document.
    """
    if not prompt.lstrip().startswith(_TASK):
        return False
    before, mark, _ = prompt.partition(_CHAT_HISTORY)
    return bool(mark) and _CONTEXT not in before and _after_sources(prompt) is None


def _after_sources(text: str) -> str | None:
    """What follows passages of documents; in earlier versions the question is in tags, too.

    The last end counts: a passage that has such an end in it must not pass for the user's words.
    """
    if not text.lstrip().startswith(_TASK):
        return None
    start, end = text.find(_SOURCES_START), text.rfind(_SOURCES_END)
    if start < 0 or end < start or 0 <= text.find(_CHAT_HISTORY) < start:
        return None
    rest = text[end + len(_SOURCES_END) :].strip()
    if not rest.startswith(_QUERY[0]):
        return rest
    tagged, _, after = rest.removeprefix(_QUERY[0]).rpartition(_QUERY[1])
    return after.strip() or tagged.strip()


def _after_files(text: str) -> str | None:
    """What follows the list of attached files."""
    end = text.find(_FILES[1])
    if not text.startswith(_FILES[0]) or end < 0:
        return None
    files = text[len(_FILES[0]) : end].split("\n")
    rest = text[end + len(_FILES[1]) :]
    is_list = all(file.startswith(_FILE[0]) and file.endswith(_FILE[1]) for file in files)
    return rest.lstrip("\n") if is_list and (not rest or rest.startswith("\n")) else None


def _after_record(text: str) -> str | None:
    """What follows a record of our own, should a request that has one come back."""
    start, end = _RECORD
    if not text.startswith(start):
        return None
    _, mark, rest = text.partition(end)
    return rest.lstrip("\n") if mark else None


def _before_interpreter(text: str) -> str:
    """What precedes the instructions for the code interpreter."""
    if not text.rstrip().endswith(_INTERPRETER_ENDS):
        return text
    start = max(text.rfind(mark) for mark in _INTERPRETER_STARTS)
    return text[:start] if start >= 0 and _INTERPRETER_MARK in text[start:] else text


_KINDS: Final = (_after_record, _after_sources, _after_files)


def without_thoughts(text: str) -> str:
    """A text without `<think>…</think>`, nor the block that chat clients fold thoughts into."""
    return "".join(_outside_thoughts(text)) if "<" in text else text


def _outside_thoughts(text: str) -> Iterator[str]:
    """The parts between thoughts, found in one pass whatever the text holds."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have a longer small form; tags have none
        lowered = text
    start, place, unclosed = 0, 0, set[str]()
    while opening := _OPENING.search(text, place):
        place = opening.end()
        tag = opening["tag"].lower()
        is_thought = tag != "details" or bool(_REASONING.search(opening["attributes"]))
        if not is_thought or tag in unclosed:
            continue
        end = lowered.find(f"</{tag}>", place)
        if end < 0:
            unclosed.add(tag)
            continue
        yield text[start : opening.start()]
        start = place = end + len(tag) + 3
    yield text[start:]
