"""What a part of the program has logged; background work of other tests may log meanwhile."""

import logging

import pytest


def records_of(caplog: pytest.LogCaptureFixture, subject: str) -> list[logging.LogRecord]:
    """The records of a subject, such as "task" for "task.failed"."""
    return [record for record in caplog.records if record.getMessage().startswith(f"{subject}.")]


def logged(caplog: pytest.LogCaptureFixture, subject: str) -> list[str]:
    """The events of a subject."""
    return [record.getMessage() for record in records_of(caplog, subject)]
