"""A process that has loaded Recollect's modules and rules and forks a program at each request.

Loading them takes one to two seconds of CPU: most of what a short command takes; the rules,
vocabularies and networks, which a server loads beside its first requests, take another. A fork has
streams, folder and environment of its own and then runs as if just started: `recollect`, or a file
of Python. Nothing here may start a thread, for threads do not survive a fork: numpy and onnxruntime
do, unless their environment says otherwise.

All processes of a parallel run have one. `programs.py` starts it as `python -m
support.servers.preloaded_process DESCRIPTOR`, with the socket that they connect to.
"""

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import aiohttp  # noqa: F401  # what a server with a model loads
import bpe_openai  # noqa: F401  # half of what a server loads
import sqlglot  # noqa: F401  # as bpe_openai
import typer.main as typer_main

import recollect.adapters
import recollect.composition
import recollect.engines.postgres.engine  # noqa: F401  # most programs open it
from recollect.domain.followup.language import load_languages
from recollect.interfaces.cli.main import app, main
from recollect.interfaces.http.serving.server import return_free_memory
from recollect.models.networks import installed_network, open_tokenizer
from recollect.models.tokens import token_counter_for
from recollect.models.weights import TOKENS, WEIGHTS
from recollect.services.languages import _load_phrases

_MAX_REQUEST: Final = 2**20
_DESCRIPTORS: Final = 4
"""A request brings stdin, stdout and stderr of the program, and where its end is reported."""


class ProgramReports:
    """Where the end of each program that runs is reported, by its pid."""

    def __init__(self) -> None:
        self._descriptors: dict[int, int] = {}
        self.ended, ending = self._pipe = os.pipe()
        """Readable once a program has ended."""
        os.set_blocking(ending, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(ending)

    def begin(self, pid: int, descriptor: int) -> None:
        """Report that a program has begun."""
        self._descriptors[pid] = descriptor
        self._write(descriptor, pid)

    def finish(self) -> None:
        """Report the exit codes of those that have ended."""
        os.read(self.ended, _MAX_REQUEST)
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = ended
                descriptor = self._descriptors.pop(pid)
                self._write(descriptor, os.waitstatus_to_exitcode(status))
                os.close(descriptor)

    def leave(self) -> None:
        """Have nothing to do with other programs, in a process that becomes one."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for descriptor in (*self._pipe, *self._descriptors.values()):
            os.close(descriptor)

    def _write(self, descriptor: int, number: int) -> None:
        with suppress(BrokenPipeError):  # whoever started it was killed
            os.write(descriptor, f"{number}\n".encode())


def fork_at_each_request(listener: socket.socket) -> list[str]:
    """Return in a new process for each request, with the words of its command line.

    The processes that run tests connect, and it ends with the last of them.
    """
    reports = ProgramReports()
    callers: list[socket.socket] = []
    while True:
        watched: list[socket.socket | int] = [listener, reports.ended, *callers]
        readable, _, _ = select.select(watched, [], [])
        if reports.ended in readable:
            reports.finish()
        if listener in readable:
            callers.append(listener.accept()[0])
        for caller in filter(readable.__contains__, [*callers]):
            request, descriptors, _, _ = socket.recv_fds(caller, _MAX_REQUEST, _DESCRIPTORS)
            if not request:
                callers.remove(caller)
                caller.close()
                if not callers:
                    sys.exit()
                continue
            pid = os.fork()
            if pid == 0:
                for one in (listener, *callers):
                    one.close()
                reports.leave()
                return _become(json.loads(request), descriptors)
            *streams, report = descriptors
            for descriptor in streams:
                os.close(descriptor)
            reports.begin(pid, report)


def _become(request: dict[str, object], descriptors: list[int]) -> list[str]:
    """Take over streams, folder and environment; the words of the command line."""
    *streams, report = descriptors
    os.close(report)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["env"])  # type: ignore[call-overload]  # programs.py wrote it
    folder = str(request["folder"])
    os.chdir(folder)
    sys.path[0] = folder
    sys.path[1:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return [str(word) for word in request["words"]]  # type: ignore[attr-defined]  # as above


def run_requested_program() -> None:
    """Run `recollect`, or a file of Python."""
    if sys.argv[0] == "recollect":
        main()
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")


def end(code: str | int | None = None) -> None:
    """End as Python does, but take no module apart: that takes up to half a second."""
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    threading._shutdown()  # type: ignore[attr-defined]  # as multiprocessing does
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def load_what_a_server_warms() -> None:
    """Load the rules of all languages, the usual vocabularies and the networks of the package."""
    load_languages()
    _load_phrases()
    for model in (None, "gpt-4o"):
        token_counter_for(model).count("?")
    open_tokenizer(WEIGHTS, TOKENS)
    for name in ("embedder", "facts", "followup"):
        installed_network(WEIGHTS / f"{name}.onnx")


def read_commands_once() -> None:
    """Make the commands of the command line beforehand, of their functions' signatures."""
    typer_main.get_command = cache(typer_main.get_command)
    typer_main.get_command(app)


def check_threads() -> None:
    """Refuse to fork where a library has started a thread after all, as a newer version may."""
    threads = Path("/proc/self/task")
    if threads.exists() and len([*threads.iterdir()]) > 1:
        sys.exit("a library has started a thread, which the programs forked here would not have")


if __name__ == "__main__":
    load_what_a_server_warms()
    read_commands_once()
    check_threads()
    return_free_memory()  # a fork takes the longer the more there is
    gc.freeze()  # forks share what is loaded, and do not look for garbage there
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the programs
    sys.argv = fork_at_each_request(socket.socket(fileno=int(sys.argv[1])))
    try:
        run_requested_program()
    except SystemExit as ended:
        end(ended.code)
    end()
