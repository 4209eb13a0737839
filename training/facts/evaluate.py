"""Score a fact network on rows that it was not trained on."""

from collections.abc import Sequence

import torch
from heads import OPERATIONS, RELATIONS, SLOTS, FactHeads
from states import Read, batch_of

from examples import Span
from recollect.models.facts.decoding import Found, Scores, statements_in

_THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)


def report(network: FactHeads, examples: Sequence[Read], pairs: Sequence[Read]) -> None:
    """Print precision, recall and false alarms at several thresholds, and relations told right."""
    found = [(_spans(one), find(network, one)) for one in examples]
    for threshold in _THRESHOLDS:
        kept = [(spans, [f for f in some if f.confidence >= threshold]) for spans, some in found]
        print(f"  {threshold:.2f}: {_line(kept)}", flush=True)
    told = [(one.pair.relation, relation_of(network, one)) for one in pairs if one.pair]
    by_relation = {
        relation: _share([known == said for known, said in told if known == relation])
        for relation in RELATIONS
    }
    print(f"  relations {_share([known == said for known, said in told])} {by_relation}")


def _spans(one: Read) -> tuple[Span, ...]:
    return one.example.spans if one.example else ()


def _line(kept: Sequence[tuple[Sequence[Span], list[Found]]]) -> str:
    right = [any(_overlap(f, span) for span in spans) for spans, some in kept for f in some]
    hit = [any(_overlap(f, span) for f in some) for spans, some in kept for span in spans]
    alarms = [bool(some) for spans, some in kept if not spans]
    both = [(f, s) for spans, some in kept for f in some for s in spans if _overlap(f, s)]
    slots = [SLOTS[f.slot] in span.slots for f, span in both]
    doing = [OPERATIONS[f.operation] == span.operation for f, span in both]
    return (
        f"precision {_share(right)} recall {_share(hit)} false alarms {_share(alarms)} "
        f"slot {_share(slots)} operation {_share(doing)}"
    )


@torch.inference_mode()
def find(network: FactHeads, one: Read) -> list[Found]:
    """The statements that the network finds in a message."""
    states, types, _ = batch_of([one])
    scores = network(states, types, None)
    own = slice(1, 1 + len(one.features.offsets))
    text = one.example.text if one.example else ""
    return statements_in(
        text,
        one.features.offsets,
        Scores(
            present=scores.present[0].sigmoid().item(),
            inside=scores.inside[0, own].sigmoid().numpy(),
            begin=scores.begin[0, own].sigmoid().numpy(),
            slots=scores.slots[0, own].softmax(-1).numpy(),
            operations=scores.operations[0, own].softmax(-1).numpy(),
        ),
    )


@torch.inference_mode()
def relation_of(network: FactHeads, one: Read) -> str:
    """How the network says that a statement stands to a fact."""
    states, types, _ = batch_of([one])
    return RELATIONS[int(network(states, types, None).relation[0].argmax())]


def _overlap(found: Found, span: Span) -> bool:
    shared = min(found.end, span.end) - max(found.start, span.start)
    return shared > 0.5 * min(found.end - found.start, span.end - span.start)


def _share(marks: Sequence[bool]) -> str:
    return f"{100 * sum(marks) / max(len(marks), 1):.1f}"
