"""Stopping: whatever somebody's work does, the process ends."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_START = """
import asyncio, sys, threading, time
from recollect.interfaces import processes as running
"""
_LEAVES_A_THREAD = (
    _START
    + """
async def work():
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 1000)
    await asyncio.sleep(0.1)
running._THREAD_SECONDS = 0.1
running.run_until_stopped(work())
"""
)
_HOLDS_THE_LOOP = (
    _START
    + """
async def work():
    print("holding", flush=True)
    while True:
        pass
running._STOP_SECONDS = 0.1
running.run_until_stopped(work())
"""
)
_SERVES_AND_HOLDS_THE_LOOP = (
    _START
    + """
import signal, uvicorn
from recollect.settings.server import ServerSettings
from recollect.interfaces.http.serving.listener import listening
from recollect.interfaces.http.serving.server import _Server
async def app(scope, receive, send):
    pass
def hold():
    print("holding", flush=True)
    while True:
        pass
async def work():
    config = uvicorn.Config(app, interface="asgi3", lifespan="off", log_config=None)
    server = _Server(config, ServerSettings())
    running.on_stop_signal(server.stop, signal.SIGINT, signal.SIGTERM)
    asyncio.get_running_loop().call_later(0.1, hold)
    await server.serve(listening("127.0.0.1", 0))
running._STOP_SECONDS = 0.1
running.run_until_stopped(work())
"""
)
_ENDS_IN_ORDER = (
    _START
    + """
async def work():
    print("waiting", flush=True)
    try:
        await asyncio.sleep(1000)
    finally:
        await asyncio.to_thread(print, "closed", flush=True)
running.run_until_stopped(work())
"""
)
_CLOSES_SLOWLY = (
    _START
    + """
async def work():
    print("waiting", flush=True)
    try:
        await asyncio.sleep(1000)
    finally:
        print("closing", flush=True)
        await asyncio.sleep(0.5)
        print("closed", flush=True)
running.run_until_stopped(work())
"""
)
_PATIENCE = 60


@contextmanager
def _started(program: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_a_thread_that_does_not_end_does_not_hold_the_process() -> None:
    with _started(_LEAVES_A_THREAD) as process:
        assert process.wait(_PATIENCE) == 0


@pytest.mark.parametrize("program", [_HOLDS_THE_LOOP, _SERVES_AND_HOLDS_THE_LOOP])
def test_a_process_whose_loop_is_held_ends_all_the_same(program: str) -> None:
    with _started(program) as process:
        assert _first_line(process) == "holding\n"
        process.terminate()
        assert process.wait(_PATIENCE) == -signal.SIGALRM


def test_a_second_stop_signal_does_not_interrupt_an_orderly_shutdown() -> None:
    with _started(_CLOSES_SLOWLY) as process:
        assert _first_line(process) == "waiting\n"
        process.terminate()
        assert _first_line(process) == "closing\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=_PATIENCE)[0] == "closed\n"
        assert process.returncode == 0


def test_a_stop_signal_starts_an_orderly_shutdown() -> None:
    with _started(_ENDS_IN_ORDER) as process:
        assert _first_line(process) == "waiting\n"
        process.terminate()
        assert process.communicate(timeout=_PATIENCE)[0] == "closed\n"
        assert process.returncode == 0
