"""The command `recollect` for shells that tests start: it runs in the process that forks programs.

It is run as a file, and imports little: it starts in 0.03 s, the program itself in a second.
Signals end this process and not the program, so that it is for short commands alone.
"""

import json
import os
import socket
import sys
from typing import Final

DESCRIPTOR: Final = "RECOLLECT_TESTS_PRELOADED"
"""Environment variable: the number of the socket that takes requests."""


def run_preloaded(words: list[str]) -> int:
    """Run a program with our streams, folder and environment, and return its exit code."""
    report, reporting = os.pipe()
    request = {"words": words, "env": dict(os.environ), "folder": os.getcwd()}  # noqa: PTH109  # pathlib takes as long to load as the rest
    with socket.socket(fileno=os.dup(int(os.environ[DESCRIPTOR]))) as control:
        socket.send_fds(control, [json.dumps(request).encode()], [0, 1, 2, reporting])
    os.close(reporting)
    with os.fdopen(report) as reported:
        _, code = reported.read().split()
    return int(code)


if __name__ == "__main__":
    sys.exit(run_preloaded(["recollect", *sys.argv[1:]]))
