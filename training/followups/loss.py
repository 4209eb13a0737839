"""How wrong the network's scores are."""

import torch
from torch import Tensor
from torch.nn import functional

from examples import Batch
from network import Scores
from recollect.models.followup.features import NO_SPAN

_NEVER = -1e4
_LONGEST_SPAN_TOKENS = 60
_CONNECTOR_SHARE = 0.3


def edit_loss(scores: Scores, batch: Batch) -> Tensor:
    """The loss of a batch, weighted by row."""
    need = functional.binary_cross_entropy_with_logits(
        scores.need.float(), batch.needs, reduction="none"
    )
    edits = _deletions(scores, batch) + _starts(scores, batch)
    total = (need * batch.weights).mean() + (edits * batch.edit_weights).mean()
    if len(batch.inserted):
        total = total + _spans(scores, batch)
    return total


def _deletions(scores: Scores, batch: Batch) -> Tensor:
    """Each word of the question is deleted or not; its end is no word."""
    loss = functional.binary_cross_entropy_with_logits(
        scores.delete.float(), batch.deleted, reduction="none"
    )
    has_next = functional.pad(batch.gap_tokens[:, 1:] > 0, (0, 1))
    return (loss * has_next).sum(1)


def _starts(scores: Scores, batch: Batch) -> Tensor:
    """At each gap and slot, all occurrences of the right span are right, or no span is."""
    starts = scores.start.float().masked_fill(~batch.can_start[:, None, None, :], _NEVER)
    right = torch.full_like(starts, _NEVER)
    right[..., NO_SPAN] = 0.0
    if len(batch.inserted):
        at, gap, slot = batch.inserted.unbind(1)
        right[at, gap, slot, NO_SPAN] = _NEVER
        right[tuple(batch.right_starts.T)] = 0.0
    loss = torch.logsumexp(starts, -1) - torch.logsumexp(starts + right, -1)
    return (loss.sum(2) * (batch.gap_tokens > 0)).sum(1)


def _spans(scores: Scores, batch: Batch) -> Tensor:
    """Ends, connectors and possessives of the insertions."""
    at, gap, slot = batch.inserted.unbind(1)
    start, end, connector, possessive = batch.chosen.unbind(1)
    ends = (scores.end[at, gap, slot] + scores.pair[at, start]).float()
    places = torch.arange(ends.shape[1], device=ends.device)[None]
    allowed = batch.can_end[at] & (places >= start[:, None])
    allowed &= places <= start[:, None] + _LONGEST_SPAN_TOKENS
    loss = functional.cross_entropy(ends.masked_fill(~allowed, _NEVER), end, reduction="none")
    connect = (scores.connect[at, gap, slot] + scores.connect_start[at, start]).float()
    joined = functional.cross_entropy(connect[:, :-1], connector, reduction="none")
    joined = joined + functional.binary_cross_entropy_with_logits(
        connect[:, -1], possessive.float(), reduction="none"
    )
    weights = batch.edit_weights[at]
    return ((loss + _CONNECTOR_SHARE * joined) * weights).sum() / len(batch.needs)
