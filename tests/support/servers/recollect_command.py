"""The commands of shells that tests start: they run in the process that forks programs.

It is run as a file, and imports little: it starts in 0.03 s, the program itself in a second.
"""

import json
import os
import signal
import socket
import sys
from typing import Final

DESCRIPTOR: Final = "RECOLLECT_TESTS_PRELOADED"
"""Environment variable: the number of the socket that takes requests."""
PYTHON: Final = "RECOLLECT_TESTS_PYTHON"
"""Environment variable: the interpreter of the tests."""
_PASSED_ON: Final = (signal.SIGINT, signal.SIGTERM)


def run_preloaded(words: list[str]) -> int:
    """Run a program with our streams, folder and environment, and return its exit code.

    Signals that end a program are passed on to it.
    """
    report, reporting = os.pipe()
    request = {"words": words, "env": dict(os.environ), "folder": os.getcwd()}  # noqa: PTH109  # pathlib takes as long to load as the rest
    signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)  # until it is known whom to pass them on
    with socket.socket(fileno=os.dup(int(os.environ[DESCRIPTOR]))) as control:
        socket.send_fds(control, [json.dumps(request).encode()], [0, 1, 2, reporting])
    os.close(reporting)
    with os.fdopen(report) as reported:
        pid = int(reported.readline())
        for number in _PASSED_ON:
            signal.signal(number, lambda received, _: os.kill(pid, received))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_ON)
        return int(reported.readline())


if __name__ == "__main__":
    sys.exit(run_preloaded(sys.argv[1:]))
