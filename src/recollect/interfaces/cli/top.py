"""`recollect top`: what a running server does, live in the terminal."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.error import URLError
from urllib.request import Request, urlopen

import typer
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from recollect.errors import ConfigurationError
from recollect.extras import named_extra
from recollect.interfaces.cli.output import AsJson, show
from recollect.settings import load_settings
from recollect.telemetry.quantiles import quantile

_SECONDS: Final = 10
_WIDTH: Final = 9
_DECIMALS: Final = {"/s": 1, "ms": 1}
_STAGES: Final = ("window", "rewrite", "embed", "recall", "facts", "assemble")
_QUEUES: Final = ("jobs", "indexing", "learning", "erasures")
_GROUPS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "Turns": {
        "answered": ("turns_per_second", "/s"),
        "failed": ("failed_turns_per_second", "/s"),
        "degraded": ("degraded_per_second", "/s"),
        "HTTP requests": ("requests_per_second", "/s"),
    },
    "Memory adds to a turn": {
        "median": ("memory_p50_milliseconds", "ms"),
        "95 of 100": ("memory_p95_milliseconds", "ms"),
        "99 of 100": ("memory_p99_milliseconds", "ms"),
    },
    "Does it help?": {
        "contexts with memory": ("hit_rate", "%"),
        "recalls with a result": ("recall_hit_rate", "%"),
    },
    "Stages, 95 of 100": {one: (f"{one}_p95_milliseconds", "ms") for one in _STAGES},
    "Waiting": {one: (f"waiting_{one}", "") for one in _QUEUES},
    "Server": {
        "database connections busy": ("database_connections_busy", ""),
        "resident memory": ("resident_megabytes", "MB"),
    },
}
"""What the view shows: groups of figures, each with its label and its unit."""
Samples = Mapping[tuple[str, frozenset[tuple[str, str]]], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What happened between two readings of the metrics."""

    before: Samples
    after: Samples
    seconds: float

    def rate(self, name: str, **labels: str) -> float:
        """How often something was counted in a second."""
        return self._grown(name, labels) / self.seconds

    def share(self, name: str, total: Mapping[str, str], **labels: str) -> float | None:
        """The part of what was counted that has these labels; None where nothing was."""
        whole = self._grown(name, dict(total))
        return self._grown(name, {**total, **labels}) / whole if whole else None

    def quantile(self, name: str, share: float, **labels: str) -> float | None:
        """The milliseconds within which this share of a histogram lies; None without any."""
        buckets = sorted(
            (float(dict(given)["le"]), value - self.before.get((found, given), 0.0))
            for (found, given), value in self.after.items()
            if found == f"{name}_bucket" and labels.items() <= dict(given).items()
        )
        counts: dict[float, float] = {}
        for bound, count in buckets:
            counts[bound] = counts.get(bound, 0.0) + count
        seconds = quantile(counts, share)
        return None if seconds is None else 1000 * seconds

    def now(self, name: str, **labels: str) -> float:
        """A level as it is now, summed over other labels."""
        return _sum(self.after, name, labels)

    def _grown(self, name: str, labels: Mapping[str, str]) -> float:
        return max(0.0, _sum(self.after, name, labels) - _sum(self.before, name, labels))


def _sum(samples: Samples, name: str, labels: Mapping[str, str]) -> float:
    return sum(
        value
        for (found, given), value in samples.items()
        if found == name and labels.items() <= dict(given).items()
    )


def figures(change: Change) -> dict[str, float | None]:
    """What the view shows, by name."""
    shown: dict[str, float | None] = {
        "turns_per_second": change.rate("recollect_turns_total", outcome="answered"),
        "failed_turns_per_second": change.rate("recollect_turns_total", outcome="failed"),
        "requests_per_second": change.rate("recollect_http_requests_total"),
        "hit_rate": change.share("recollect_contexts_total", {}, result="hit"),
        "recall_hit_rate": change.share("recollect_recalls_total", {}, result="some"),
        "degraded_per_second": change.rate("recollect_degraded_total"),
        "database_connections_busy": change.now("recollect_database_connections", state="busy"),
        "resident_megabytes": change.now("recollect_process_resident_bytes") / 1e6,
    }
    for share in (0.5, 0.95, 0.99):
        name = f"memory_p{share * 100:g}_milliseconds"
        shown[name] = change.quantile("recollect_turn_memory_seconds", share)
    for stage in _STAGES:
        name = f"{stage}_p95_milliseconds"
        shown[name] = change.quantile("recollect_stage_seconds", 0.95, stage=stage)
    for queue in _QUEUES:
        shown[f"waiting_{queue}"] = change.now("recollect_queue_depth", queue=queue)
    return shown


def top(
    url: Annotated[
        str | None, typer.Option(help="The page of metrics; default: MEMORY_METRICS_PORT's.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Between two readings.")] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Show what a running server does: turns, latencies, queues, hit rate; until Ctrl-C.

    With --json once: what happened in those seconds.
    """
    settings = load_settings()
    token = settings.metrics_token.get_secret_value() if settings.metrics_token else None
    place = url or _own_page(settings.metrics_host, settings.metrics_port, settings.port)
    before, then = _read(place, token), time.monotonic()
    if as_json:
        time.sleep(seconds)
        change = Change(before=before, after=_read(place, token), seconds=seconds)
        show(figures(change), as_json=True, text="")
        return
    with Live(console=Console(), refresh_per_second=4, screen=True) as live:
        while True:
            time.sleep(seconds)
            after, now = _read(place, token), time.monotonic()
            change = Change(before=before, after=after, seconds=now - then)
            live.update(view(figures(change), place))
            before, then = after, now


def _own_page(host: str, port: int | None, server_port: int) -> str:
    return f"http://{host}:{port}/metrics" if port else f"http://127.0.0.1:{server_port}/metrics"


def _read(url: str, token: str | None) -> Samples:
    if not url.startswith(("http://", "https://")):
        raise ConfigurationError("--url must be an address such as http://127.0.0.1:9464/metrics")
    with named_extra("'recollect top'"):
        from recollect.telemetry.prometheus import read_samples  # noqa: PLC0415  # an extra
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urlopen(Request(url, headers=headers), timeout=_SECONDS) as page:  # noqa: S310  # checked above
            return read_samples(page.read().decode())
    except (URLError, OSError, ValueError) as error:
        raise ConfigurationError(
            f"no metrics at {url} ({error}); set MEMORY_METRICS_PORT for the server, or --url"
        ) from None


def view(shown: Mapping[str, float | None], place: str) -> RenderableType:
    """The figures in groups, as many beside each other as the terminal has room for."""
    panels = [Panel(_group(rows, shown), title=title) for title, rows in _GROUPS.items()]
    return Group(Text(place, style="dim"), Columns(panels, equal=True))


def _group(rows: Mapping[str, tuple[str, str]], shown: Mapping[str, float | None]) -> Table:
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column()
    table.add_column(justify="right", min_width=_WIDTH)
    for label, (name, unit) in rows.items():
        table.add_row(label, _text(shown[name], unit))
    return table


def _text(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    return f"{value:.0%}" if unit == "%" else f"{value:,.{_DECIMALS.get(unit, 0)}f} {unit}".rstrip()
