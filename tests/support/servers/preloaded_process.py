"""A process that has loaded Recollect's modules and rules and forks a program at each request.

Loading them takes one to two seconds of CPU: most of what a short command takes; the rules,
vocabularies and networks, which a server loads beside its first requests, take another. A fork has
streams, folder and environment of its own and then runs as if just started: `recollect`, or a file
of Python. Nothing here may start a thread, for threads do not survive a fork: numpy and onnxruntime
do, unless their environment says otherwise.

`programs.py` starts it as `python -m support.servers.preloaded_process DESCRIPTOR`.
"""

import atexit
import gc
import json
import os
import runpy
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
import recollect.engines.postgres.engine
import recollect.interfaces.http.serving.server  # noqa: F401  # most programs are servers
from recollect.domain.followup.language import load_languages
from recollect.interfaces.cli.main import app, main
from recollect.models.networks import installed_network, open_tokenizer
from recollect.models.tokens import token_counter_for
from recollect.models.weights import TOKENS, WEIGHTS
from recollect.services.languages import _load_phrases

_MAX_REQUEST: Final = 2**20
_DESCRIPTORS: Final = 4
"""A request brings stdin, stdout and stderr of the program, and where its end is reported."""


def fork_at_each_request(control: socket.socket) -> list[str]:
    """Return in a new process for each request, with the words of its command line."""
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, _MAX_REQUEST, _DESCRIPTORS)
        if not request:
            sys.exit()
        if os.fork() == 0:
            control.close()
            _fork_and_report(descriptors)
            return _become(json.loads(request), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        _collect_ended()


def _collect_ended() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _fork_and_report(descriptors: list[int]) -> None:
    """Return in a new process; the one that forked it reports its pid, and later its exit code."""
    pid = os.fork()
    if pid == 0:
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program
    *streams, report = descriptors
    for descriptor in streams:
        os.close(descriptor)
    os.write(report, f"{pid}\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.write(report, f"{code}\n".encode())
    os._exit(0)


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
    gc.freeze()  # forks share what is loaded, and do not look for garbage there
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.argv = fork_at_each_request(socket.socket(fileno=int(sys.argv[1])))
    try:
        run_requested_program()
    except SystemExit as ended:
        end(ended.code)
    end()
