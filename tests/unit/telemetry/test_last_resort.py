"""What programs see that set up no logging of their own."""

import subprocess
import sys

_PROGRAM = """
import logging
{setup}
import recollect.blocking
logging.getLogger("recollect.telemetry.measuring").warning("operation.slow")
"""


def _stderr(setup: str) -> str:
    program = (sys.executable, "-c", _PROGRAM.format(setup=setup))
    ran = subprocess.run(program, capture_output=True, text=True, check=True)
    return ran.stderr


def test_a_program_without_logging_sees_no_events() -> None:
    assert _stderr("") == ""


def test_a_program_with_logging_sees_them() -> None:
    assert "operation.slow" in _stderr("logging.basicConfig()")
