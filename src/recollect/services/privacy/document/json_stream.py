"""A JSON document that is read value by value, however long it is."""

import codecs
import json
from collections.abc import Callable, Iterator
from typing import Final, NoReturn

from recollect.domain.json_decoding import patient
from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput

MAX_VALUE: Final = 32 * 1024 * 1024
"""The most characters of one value that is read whole: a message with its results, a line."""
_CHUNK: Final = 64 * 1024
_AT_ONCE: Final = 1024 * 1024
"""Longer texts are parsed so that other threads can work meanwhile."""
_AT_THE_END: Final = 16
"""A text that is cut off is wrong within this many characters of its end, or in a string."""
_BLANKS: Final = " \t\r\n"
_UNTERMINATED: Final = "Unterminated string"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_QUICK: Final = json.JSONDecoder(parse_constant=_refuse_constant)
_PATIENT: Final = patient(json.JSONDecoder(parse_constant=_refuse_constant))


def decoder_for(characters: int) -> json.JSONDecoder:
    """The decoder for a text of that length."""
    return _QUICK if characters <= _AT_ONCE else _PATIENT


class JsonStream:
    """Reads JSON in UTF-8; every error names the line.

    `members` and `items` walk through an object or an array that is too long to be read whole:
    whoever asks for the next one has read the value before it.
    """

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._lines_before = 1
        self._is_ended = False
        self.characters = 0
        """How long the last value was."""

    def begins_object(self) -> bool:
        """Whether an object comes next."""
        return self._next() == "{"

    def members(self) -> Iterator[str]:
        """Yield the names of an object's members, each before its value."""
        self._expect("{")
        if self._passes("}"):
            return
        while True:
            name = self.value()
            if not isinstance(name, str):
                self._fail("must have a text in quotes as the name of a member")
            self._expect(":")
            yield name
            if self._passes("}"):
                return
            self._expect(",")

    def items(self) -> Iterator[int]:
        """Yield the positions of an array's items, each before its value."""
        self._expect("[")
        if self._passes("]"):
            return
        position = 0
        while True:
            yield position
            if self._passes("]"):
                return
            self._expect(",")
            position += 1

    def value(self) -> JsonValue:
        """Read a whole value."""
        self._skip_blanks()
        while True:
            waiting = len(self._text) - self._at
            try:
                value: JsonValue
                value, end = decoder_for(waiting).raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                self._check_may_go_on(error)
                if not self._read_on():
                    self._fail(f"is no JSON: {error.msg}; the document ends here", error.pos)
            except (ValueError, RecursionError) as error:
                self._fail(f"is no JSON that can be read: {_problem_of(error)}")
            else:
                if self._is_ended or self._is_whole(value, end):
                    self.characters, self._at = end - self._at, end
                    return value
                self._read_on()

    def end(self) -> None:
        """Refuse anything but blanks after the document."""
        if self._next():
            self._fail("must be the end of the document")

    def _is_whole(self, value: JsonValue, end: int) -> bool:
        """Whether nothing that follows belongs to it: a number may go on with '.5' or 'e+5'."""
        return not isinstance(value, int | float) or end + _AT_THE_END < len(self._text)

    def _check_may_go_on(self, error: json.JSONDecodeError) -> None:
        """Refuse what is wrong whatever comes after it, and what is too long."""
        is_cut_off = error.pos >= len(self._text) - _AT_THE_END
        if not is_cut_off and not error.msg.startswith(_UNTERMINATED):
            self._fail(f"is no JSON: {error.msg}", error.pos)
        if len(self._text) - self._at > MAX_VALUE:
            self._fail(f"has a value of more than {MAX_VALUE:,} characters, or one without an end")

    def _expect(self, character: str) -> None:
        if not self._passes(character):
            found = f"'{self._next()}'" if self._next() else "the end of the document"
            self._fail(f"must have '{character}' here and has {found}")

    def _passes(self, character: str) -> bool:
        is_next = self._next() == character
        self._at += is_next
        return is_next

    def _next(self) -> str:
        self._skip_blanks()
        return self._text[self._at : self._at + 1]

    def _skip_blanks(self) -> None:
        while True:
            while self._at < len(self._text) and self._text[self._at] in _BLANKS:
                self._at += 1
            if self._at < len(self._text) or not self._read_on():
                return

    def _read_on(self) -> bool:
        """Read as much again as waits to be parsed; whether there was more."""
        if self._is_ended:
            return False
        self._lines_before += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :], 0
        raw = self._read(max(_CHUNK, len(self._text)))
        self._is_ended = not raw
        try:
            self._text += self._decoder.decode(raw, final=self._is_ended)
        except UnicodeDecodeError:
            self._fail("must be UTF-8", len(self._text))
        return not self._is_ended

    def _fail(self, problem: str, at: int | None = None) -> NoReturn:
        place = self._at if at is None else at
        line = self._lines_before + self._text.count("\n", 0, place)
        raise InvalidInput(f"line {line}", problem)


def _problem_of(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
