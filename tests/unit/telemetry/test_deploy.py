"""The files in deploy/observability: what they ask for exists."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from recollect.ports.metrics import ALL_METRICS
from recollect.ports.telemetry import MetricKind

FILES = Path(__file__).parents[3] / "deploy" / "observability"
ENDS = {
    MetricKind.COUNTER: ("_total",),
    MetricKind.HISTOGRAM: ("_bucket", "_count", "_sum"),
    MetricKind.GAUGE: ("",),
    MetricKind.LATEST: ("",),
}
SAMPLES = {f"{metric.name}{end}": metric for metric in ALL_METRICS for end in ENDS[metric.kind]}


def queries() -> list[str]:
    board = json.loads((FILES / "grafana-dashboard.json").read_text(encoding="utf-8"))
    panels = [panel for panel in board["panels"] if panel["type"] != "row"]
    found = [target["expr"] for panel in panels for target in panel["targets"]]
    return [*found, (FILES / "alerts.yml").read_text(encoding="utf-8")]


def test_panels_and_alerts_ask_for_metrics_and_labels_that_exist() -> None:
    for query in queries():
        for name, labels in re.findall(r"\b(recollect_\w+)(\{[^}]*\})?", query):
            assert name in SAMPLES, name
            asked = set(re.findall(r"(\w+)=~?\"", labels)) - {"job"}
            assert asked <= set(SAMPLES[name].labels), f"{name}{labels}"


@pytest.mark.skipif(shutil.which("promtool") is None, reason="Debian's prometheus has promtool")
def test_promtool_accepts_the_rules_and_the_configuration() -> None:
    checked = ["promtool", "check", "config", "prometheus.yml"]
    subprocess.run(checked, cwd=FILES, check=True, capture_output=True)
