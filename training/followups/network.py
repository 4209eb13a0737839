"""The follow-up network: a BERT-like encoder and the heads that score span edits."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from function_words import CONNECTORS
from recollect.domain.followup.edits import SLOTS
from recollect.models.followup.features import NO_SPAN, TOKEN_TYPES

WIDTH = 384
HEADS = 12
INNER = 1536
LAYERS = 6
POSITIONS = 512
_KEY = 128
_CONNECTOR_WIDTH = 64


class Layer(nn.Module):
    """One transformer layer, normalised after its residuals as in BERT."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.output = nn.Linear(WIDTH, WIDTH)
        self.attention_norm = nn.LayerNorm(WIDTH, 1e-12)
        self.inner = nn.Linear(WIDTH, INNER)
        self.outer = nn.Linear(INNER, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, 1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        """States [batch, tokens, width]; mask [batch, 1, 1, tokens], true where tokens are."""
        batch, tokens, _ = states.shape

        def split(x: Tensor) -> Tensor:
            return x.view(batch, tokens, HEADS, WIDTH // HEADS).transpose(1, 2)

        attended = functional.scaled_dot_product_attention(
            split(self.query(states)), split(self.key(states)), split(self.value(states)), mask
        )
        attended = attended.transpose(1, 2).reshape(batch, tokens, WIDTH)
        states = self.attention_norm(states + self.dropout(self.output(attended)))
        inner = functional.gelu(self.inner(states))
        return self.norm(states + self.dropout(self.outer(inner)))


class Encoder(nn.Module):
    """Token embeddings and transformer layers; types hold the part of the input and capitals."""

    def __init__(self, vocabulary: int, *, layers: int = LAYERS, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.types = nn.Embedding(TOKEN_TYPES, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, 1e-12)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))

    def forward(self, token_ids: Tensor, token_types: Tensor, mask: Tensor | None) -> Tensor:
        """States of all tokens; `mask` is true where tokens are, None where all are."""
        places = torch.arange(token_ids.shape[1], device=token_ids.device)
        embedded = self.words(token_ids) + self.types(token_types) + self.positions(places)[None]
        states = self.dropout(self.norm(embedded))
        for layer in self.layers:
            states = layer(states, None if mask is None else mask[:, None, None, :])
        return states


class Scores(NamedTuple):
    """What the heads say, as logits. G gaps, T tokens, S slots, C connectors and possessives."""

    need: Tensor  # [B]           does the question need a rewrite
    delete: Tensor  # [B, G]      is this word deleted
    start: Tensor  # [B, G, S, T] where an inserted span starts; token 0: nothing is inserted
    end: Tensor  # [B, G, S, T]   where it ends …
    pair: Tensor  # [B, T, T]     … given where it starts
    connect: Tensor  # [B, G, S, C]   what connects it …
    connect_start: Tensor  # [B, T, C] … given where it starts
    verify: Tensor  # [B]         is the rewrite, where one is given, what the question means


class SpanEditor(nn.Module):
    """The encoder with heads for span edits."""

    def __init__(self, vocabulary: int, *, layers: int = LAYERS, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = Encoder(vocabulary, layers=layers, dropout=dropout)
        self.gap = nn.Sequential(nn.Linear(2 * WIDTH, WIDTH), nn.GELU())
        self.need = nn.Sequential(
            nn.Linear(2 * WIDTH, WIDTH), nn.GELU(), nn.Dropout(dropout), nn.Linear(WIDTH, 1)
        )
        self.verify = nn.Sequential(
            nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Dropout(dropout), nn.Linear(WIDTH, 1)
        )
        self.delete = nn.Sequential(nn.Linear(2 * WIDTH, 128), nn.GELU(), nn.Linear(128, 1))
        self.start_query, self.end_query = (nn.Linear(WIDTH, SLOTS * _KEY) for _ in range(2))
        self.start_key, self.end_key = (nn.Linear(WIDTH, _KEY) for _ in range(2))
        self.nothing = nn.Parameter(torch.tensor(4.0))  # most often nothing is inserted
        self.pair_query, self.pair_key = (nn.Linear(WIDTH, _KEY) for _ in range(2))
        classes = len(CONNECTORS) + 1  # the last one: a possessive
        self.connect_gap = nn.Linear(WIDTH, SLOTS * _CONNECTOR_WIDTH)
        self.connect_classes = nn.Linear(_CONNECTOR_WIDTH, classes)
        self.connect_start = nn.Sequential(
            nn.Linear(WIDTH, _CONNECTOR_WIDTH), nn.GELU(), nn.Linear(_CONNECTOR_WIDTH, classes)
        )

    def forward(
        self,
        token_ids: Tensor,
        token_types: Tensor,
        mask: Tensor | None,
        gap_tokens: Tensor,
        previous_tokens: Tensor,
    ) -> Scores:
        """Score the edits of a batch; `gap_tokens` is 0 where a question has no more gaps."""
        states = self.encoder(token_ids, token_types, mask)
        batch, gaps = gap_tokens.shape
        here, before = _pick(states, gap_tokens), _pick(states, previous_tokens)
        gap = self.gap(torch.cat([here, before], -1))
        is_gap = (gap_tokens > 0).to(gap.dtype)[:, :, None]
        question = (gap * is_gap).sum(1) / is_gap.sum(1).clamp(min=1.0)
        start = _match(self.start_query(gap).view(batch, gaps, SLOTS, -1), self.start_key(states))
        is_none = torch.arange(token_ids.shape[1], device=start.device) == NO_SPAN
        return Scores(
            need=self.need(torch.cat([states[:, 0], question], -1))[:, 0],
            delete=self.delete(torch.cat([here, gap], -1))[:, :, 0],
            start=start + self.nothing * is_none,
            end=_match(self.end_query(gap).view(batch, gaps, SLOTS, -1), self.end_key(states)),
            pair=self.pair_query(states) @ self.pair_key(states).transpose(1, 2) / _KEY**0.5,
            connect=self.connect_classes(
                functional.gelu(self.connect_gap(gap)).view(batch, gaps, SLOTS, -1)
            ),
            connect_start=self.connect_start(states),
            verify=self.verify(states[:, 0])[:, 0],
        )

    def verified(self, token_ids: Tensor, token_types: Tensor, mask: Tensor) -> Tensor:
        """Only the judgement on a rewrite that the tokens hold."""
        return self.verify(self.encoder(token_ids, token_types, mask)[:, 0])[:, 0]


def _pick(states: Tensor, places: Tensor) -> Tensor:
    return torch.gather(states, 1, places[:, :, None].expand(-1, -1, states.shape[-1]))


def _match(queries: Tensor, keys: Tensor) -> Tensor:
    batch, gaps, slots, width = queries.shape
    flat = queries.reshape(batch, gaps * slots, width) @ keys.transpose(1, 2) / width**0.5
    return flat.view(batch, gaps, slots, -1)
