"""Every metric there is: its name, its meaning and its labels."""

from typing import Final

from recollect.ports.telemetry import Metric, MetricKind

_FAST: Final = (
    *(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0),
)
"""Seconds of work in memory: a window takes a millisecond, a whole context some ten."""
_SLOW: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Seconds of answers, which models take."""
_LENGTHS: Final = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 4096.0)
_TOKENS: Final = (64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0, 32768.0, 131072.0)


def _counter(name: str, help_text: str, *labels: str) -> Metric:
    return Metric(name=f"recollect_{name}", kind=MetricKind.COUNTER, help=help_text, labels=labels)


def _histogram(name: str, help_text: str, buckets: tuple[float, ...], *labels: str) -> Metric:
    return Metric(
        name=f"recollect_{name}",
        kind=MetricKind.HISTOGRAM,
        help=help_text,
        labels=labels,
        buckets=buckets,
    )


def _gauge(name: str, help_text: str, *labels: str, kind: MetricKind = MetricKind.GAUGE) -> Metric:
    return Metric(name=f"recollect_{name}", kind=kind, help=help_text, labels=labels)


TURNS: Final = _counter(
    "turns",
    "Turns by interface (chat, proxy), what memory did (used, empty, off, control, failed) and "
    "outcome (answered, failed).",
    *("interface", "memory", "outcome"),
)
TURN_MEMORY_SECONDS: Final = _histogram(
    "turn_memory_seconds",
    "What memory adds to a turn: until its context is ready, and storing the reply.",
    _FAST,
    "interface",
)
TURN_SECONDS: Final = _histogram(
    "turn_seconds", "Whole turns, from the question to the stored reply.", _SLOW, "interface"
)
STAGE_SECONDS: Final = _histogram("stage_seconds", "The stages of a turn.", _FAST, "stage")
CONTEXTS: Final = _counter(
    "contexts",
    "Contexts by whether they have anything beside the question (hit) or not (miss).",
    "result",
)
CONTEXT_PARTS: Final = _counter(
    "context_parts",
    "Contexts that have this part: window, summary, recalled, facts, standing_instructions, "
    "profile.",
    "part",
)
CONTEXT_TOKENS: Final = _counter("context_tokens", "Tokens of contexts by part.", "part")
CONTEXT_SIZE: Final = _histogram("context_size_tokens", "Tokens of a whole context.", _TOKENS)
CONTEXT_CUTS: Final = _counter(
    "context_cuts", "Contexts in which this part had to be cut to stay within the limit.", "part"
)
REWRITES: Final = _counter(
    "rewrites",
    "Questions by how they were rewritten (model, rules, llm; none: as asked), whether they are "
    "follow-ups, and language.",
    *("method", "follow_up", "language"),
)
RECALLS: Final = _counter(
    "recalls", "Searches for earlier exchanges by result: some, none, failed.", "result"
)
CONVERSATION_LENGTH: Final = _histogram(
    "conversation_messages", "Messages of a session when one of its turns is complete.", _LENGTHS
)
OPERATIONS: Final = _counter(
    "operations", "Operations of memory, as in the audit log, by outcome.", "operation", "outcome"
)
OPERATION_SECONDS: Final = _histogram(
    "operation_seconds", "Operations of memory.", _FAST, "operation"
)
DEGRADED: Final = _counter(
    "degraded",
    "What memory could not do for a question, by step (state, context, question, facts, reply; "
    "models: they could not keep pace).",
    "step",
)
JOBS: Final = _counter(
    "jobs", "Background jobs by kind and outcome (done, failed).", "kind", "outcome"
)
WORK: Final = _counter(
    "background_items", "Turns that background tasks have done: indexing, learning.", "task"
)
TASK_FAILURES: Final = _counter(
    "task_failures", "Unexpected failures of background tasks, which are restarted.", "task"
)
CLEANUPS: Final = _counter("cleanups", "Runs of the clean-up by outcome (done, failed).", "outcome")
CLEANUP_DELETED: Final = _counter(
    "cleanup_deleted",
    "What the clean-up has deleted: sessions, facts, archived_sessions, audit_entries.",
    "what",
)
CLEANUP_SUCCESS: Final = _gauge(
    "cleanup_last_success_timestamp_seconds",
    "When the clean-up last succeeded.",
    kind=MetricKind.LATEST,
)
MODEL_CALLS: Final = _counter(
    "model_calls",
    "Calls of models by operation (chat, embeddings) and outcome (ok, unavailable, unusable, "
    "cancelled).",
    *("operation", "outcome"),
)
MODEL_SECONDS: Final = _histogram(
    "model_call_seconds", "Calls of models, until the answer is whole.", _SLOW, "operation"
)
MODEL_TOKENS: Final = _counter(
    "model_tokens", "Tokens that models report: input, output.", "direction"
)
CACHE_REQUESTS: Final = _counter(
    "cache_requests",
    "Look-ups in caches (entries, embeddings) by result (hit, miss).",
    *("cache", "result"),
)
HTTP_REQUESTS: Final = _counter(
    "http_requests", "HTTP requests by method, route and status.", "method", "route", "status"
)
HTTP_SECONDS: Final = _histogram("http_request_seconds", "HTTP requests by route.", _SLOW, "route")
HTTP_REFUSED: Final = _counter(
    "http_refused",
    "HTTP requests that were refused with 503 because there were more than the server could do.",
)
HTTP_HANDED_OVER: Final = _counter(
    "http_handed_over", "HTTP requests that went on to another process, which had less to do."
)
LOOP_HELD: Final = _counter(
    "loop_held", "Times that the event loop was blocked, by route and stage.", "route", "stage"
)
AUDIT_LOST: Final = _counter("audit_lost", "Entries of the audit log that could not be written.")
SERIES_LOST: Final = _counter(
    "metrics_series_lost", "Measurements without room for another series of their metric."
)
CONNECTIONS: Final = _gauge(
    "database_connections", "Connections to PostgreSQL by state (busy, idle, wanted).", "state"
)
RESIDENT_BYTES: Final = _gauge(
    "process_resident_bytes", "Memory of the processes by what they do.", "process"
)
CPU_SECONDS: Final = _counter(
    "process_cpu_seconds", "Processor time of the processes by what they do.", "process"
)
STORE_BYTES: Final = _gauge("store_bytes", "Size of each table with its indexes.", "table")
STORE_ROWS: Final = _gauge("store_rows", "Rows of each table, as PostgreSQL estimates.", "table")
DATABASE_BYTES: Final = _gauge("database_bytes", "Size of the whole database.")
QUEUE_DEPTH: Final = _gauge(
    "queue_depth", "What waits for background work: jobs, indexing, learning, erasures.", "queue"
)
QUEUE_AGE: Final = _gauge(
    "queue_oldest_seconds", "How long the oldest job of a queue has waited past its time.", "queue"
)
DATABASE_UP: Final = _gauge("database_up", "1 while the database answers, else 0.")
DISK_FREE: Final = _gauge("disk_free_bytes", "Free bytes on the disk of the embedded database.")
BUILD: Final = _gauge("build_info", "1, with the version of Recollect.", "version")

SHOWN: Final = (STAGE_SECONDS, OPERATION_SECONDS, CLEANUPS, CLEANUP_DELETED, CLEANUP_SUCCESS)
"""What the dashboard shows; it is counted also where nobody asks for metrics."""
STORED: Final = (STORE_BYTES, STORE_ROWS, DATABASE_BYTES, QUEUE_DEPTH, QUEUE_AGE)
"""Read from the database when somebody asks for the metrics."""
ALL_METRICS: Final = tuple(
    value for name, value in sorted(globals().items()) if isinstance(value, Metric)
)
