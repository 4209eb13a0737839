"""The fact network: heads that find statements and compare them, on the embedder's states."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from network import WIDTH
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Relation

STATES = 2 * WIDTH
TOKEN_TYPES = 6
SLOTS = tuple(map(str, Slot))
OPERATIONS = tuple(map(str, Operation))
RELATIONS = tuple(map(str, Relation))
_WIDTH = 192
_ATTENTION_HEADS = 4
_LAYERS = 2


class Scores(NamedTuple):
    """What the heads say, as logits. T tokens, S slots, O operations, R relations."""

    present: Tensor  # [B]        does the message say something lasting about its user
    inside: Tensor  # [B, T]      is this token part of such a statement
    begin: Tensor  # [B, T]       does one begin here
    slots: Tensor  # [B, T, S]    what it is about
    operations: Tensor  # [B, T, O]
    relation: Tensor  # [B, R]    how the message stands to the fact before it


class _Layer(nn.Module):
    """A transformer layer, normalised before its parts; PyTorch's own exports one length alone."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(_WIDTH)
        self.attention_in = nn.Linear(_WIDTH, 3 * _WIDTH)
        self.attention_out = nn.Linear(_WIDTH, _WIDTH)
        self.inner_norm = nn.LayerNorm(_WIDTH)
        self.inner = nn.Linear(_WIDTH, 2 * _WIDTH)
        self.outer = nn.Linear(2 * _WIDTH, _WIDTH)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, mask: Tensor | None) -> Tensor:
        """Hidden states [batch, tokens, width]; `mask` as the network's."""
        batch, tokens, _ = hidden.shape
        shape = (batch, tokens, 3, _ATTENTION_HEADS, _WIDTH // _ATTENTION_HEADS)
        query, key, value = (
            self.attention_in(self.attention_norm(hidden)).view(shape).permute(2, 0, 3, 1, 4)
        )
        scores = query @ key.transpose(2, 3) / (_WIDTH // _ATTENTION_HEADS) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None], float("-inf"))
        attended = self.dropout(scores.softmax(-1)) @ value
        attended = attended.transpose(1, 2).reshape(batch, tokens, _WIDTH)
        hidden = hidden + self.dropout(self.attention_out(attended))
        inner = self.dropout(functional.gelu(self.inner(self.inner_norm(hidden))))
        return hidden + self.dropout(self.outer(inner))


class FactHeads(nn.Module):
    """Two small transformer layers on the states of the embedder's tokens, and the heads."""

    def __init__(self, *, dropout: float = 0.25) -> None:
        super().__init__()
        self.states = nn.Linear(STATES, _WIDTH)
        self.types = nn.Embedding(TOKEN_TYPES, _WIDTH)
        self.norm = nn.LayerNorm(_WIDTH)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(_Layer(dropout) for _ in range(_LAYERS))
        self.last_norm = nn.LayerNorm(_WIDTH)
        self.present = _head(_WIDTH, 1, dropout)
        self.tags = _head(_WIDTH, 2, dropout)
        self.slots = _head(_WIDTH, len(SLOTS), dropout)
        self.operations = _head(_WIDTH, len(OPERATIONS), dropout)
        self.relation = _head(4 * _WIDTH, len(RELATIONS), dropout)

    def forward(self, states: Tensor, types: Tensor, mask: Tensor | None) -> Scores:
        """Score a batch; `mask` is true where tokens are, None where all are."""
        hidden = self.dropout(self.norm(self.states(states) + self.types(types)))
        for layer in self.layers:
            hidden = layer(hidden, mask)
        hidden = self.last_norm(hidden)
        is_token = torch.ones_like(types, dtype=torch.bool) if mask is None else mask
        is_message = types.remainder(2) == 0
        message = _mean(hidden, is_message & is_token)
        before = _mean(hidden, ~is_message & is_token)
        pair = [message, before, message * before, (message - before).abs()]
        tags = self.tags(hidden)
        return Scores(
            present=self.present(message)[:, 0],
            inside=tags[..., 0],
            begin=tags[..., 1],
            slots=self.slots(hidden),
            operations=self.operations(hidden),
            relation=self.relation(torch.cat(pair, -1)),
        )


def _mean(hidden: Tensor, chosen: Tensor) -> Tensor:
    weights = chosen[..., None].to(hidden.dtype)
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)


def _head(width: int, classes: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(width, _WIDTH), nn.GELU(), nn.Dropout(dropout), nn.Linear(_WIDTH, classes)
    )
