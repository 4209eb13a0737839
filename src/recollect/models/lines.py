"""Lines out of bytes that come in pieces."""


class Lines:
    r"""Cuts at `\n`, `\r\n` and `\r`, and nowhere else; a line may be as long as it likes.

    Not at what else Unicode calls a line's end: a model may well say such a character.
    """

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def of(self, piece: bytes) -> list[str]:
        """The lines that this piece completes."""
        self._begun.append(piece)
        if b"\n" not in piece and b"\r" not in piece and not self._may_have_ended():
            return []
        lines = b"".join(self._begun).splitlines(keepends=True)
        # A `\r` at the end may be half of a line's end.
        self._begun = [] if lines[-1].endswith(b"\n") else [lines.pop()]
        return [_text(line) for line in lines]

    def rest(self) -> list[str]:
        """The line that nothing ended, if there is one."""
        return [_text(line) for line in b"".join(self._begun).splitlines()]

    def _may_have_ended(self) -> bool:
        return len(self._begun) > 1 and self._begun[-2].endswith(b"\r")


def _text(line: bytes) -> str:
    return line.rstrip(b"\r\n").decode(errors="replace")
