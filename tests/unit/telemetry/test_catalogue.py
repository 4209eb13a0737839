"""The reference of log events, and of what `recollect top` shows."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.interfaces.cli.top import Change, figures
from recollect.ports.metrics import CONTEXTS, QUEUE_DEPTH, STAGE_SECONDS, TURNS
from recollect.telemetry.catalogue import EVENTS
from recollect.telemetry.metrics import MetricStore
from recollect.telemetry.prometheus import read_samples, rendered

SOURCE = Path(recollect.__file__).parent
EVENT = re.compile(r"[a-z_]+\.[a-z_]+")


def texts_of(path: Path) -> Iterator[tuple[str, bool]]:
    """The texts of a module that may be events, and whether they are logged there."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if EVENT.fullmatch(node.value):
                yield node.value, False
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("logger."):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value, True


def test_every_event_that_is_logged_is_described_and_no_other() -> None:
    modules = [path for path in SOURCE.rglob("*.py") if path.name != "catalogue.py"]
    found = [one for path in modules for one in texts_of(path)]
    assert {text for text, is_logged in found if is_logged} <= set(EVENTS)
    assert set(EVENTS) <= {text for text, _ in found}


def test_top_tells_rates_latencies_and_queues_of_the_time_between() -> None:
    store = MetricStore()
    store.count(CONTEXTS, ("miss",), 100)
    before = read_samples(rendered(store.series(), accept="")[0].decode())
    for _ in range(40):
        store.count(TURNS, ("chat", "used", "answered"))
        store.observe(STAGE_SECONDS, 0.004, ("window",))
    store.count(CONTEXTS, ("hit",), 3)
    store.count(CONTEXTS, ("miss",), 1)
    store.observe(QUEUE_DEPTH, 7, ("indexing",))
    after = read_samples(rendered(store.series(), accept="")[0].decode())
    shown = figures(Change(before=before, after=after, seconds=4))
    assert shown["turns_per_second"] == 10
    assert shown["hit_rate"] == 0.75
    assert shown["window_p95_milliseconds"] == pytest.approx(4.9, abs=0.2)
    assert shown["waiting_indexing"] == 7
    assert shown["recall_hit_rate"] is None
