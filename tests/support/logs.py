"""What a part of the program has logged."""

import pytest


def logged(caplog: pytest.LogCaptureFixture, subject: str) -> list[str]:
    """The events of a subject; background work of other tests may log about its own meanwhile."""
    return [message for message in caplog.messages if message.startswith(f"{subject}.")]
