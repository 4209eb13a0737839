"""What is counted of a context: which parts it has, how many tokens, and what was cut."""

from recollect.domain.context.context import Context
from recollect.ports.metrics import (
    CONTEXT_CUTS,
    CONTEXT_PARTS,
    CONTEXT_SIZE,
    CONTEXT_TOKENS,
    CONTEXTS,
)
from recollect.ports.telemetry import Telemetry


def has_memory(context: Context) -> bool:
    """Whether a context has anything beside the question."""
    return any(part for _, part in _parts(context))


def record_context(telemetry: Telemetry, context: Context) -> None:
    """Count a context that was built."""
    telemetry.count(CONTEXTS, "hit" if has_memory(context) else "miss")
    telemetry.observe(CONTEXT_SIZE, context.tokens.total)
    telemetry.count(CONTEXT_TOKENS, "question", by=context.tokens.question)
    telemetry.count(CONTEXT_TOKENS, "frame", by=context.tokens.frame)
    for name, part in _parts(context):
        if part:
            telemetry.count(CONTEXT_PARTS, name)
            telemetry.count(CONTEXT_TOKENS, name, by=getattr(context.tokens, name))
    cut = context.cut
    for name, is_cut in (
        ("window", cut.turns or cut.characters),
        ("summary", cut.summary),
        ("recalled", cut.recalled),
        ("facts", cut.facts),
        ("standing_instructions", cut.standing_instructions),
        ("profile", cut.profile),
    ):
        if is_cut:
            telemetry.count(CONTEXT_CUTS, name)


def _parts(context: Context) -> tuple[tuple[str, object], ...]:
    """The parts by their names, which are those of `Tokens`, too."""
    return (
        ("window", context.window),
        ("summary", context.summary),
        ("recalled", context.recalled),
        ("facts", context.facts),
        ("standing_instructions", context.standing_instructions),
        ("profile", context.profile),
    )
