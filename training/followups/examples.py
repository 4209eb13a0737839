"""Rows as the network learns them: features with the edits that are right."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from tokenizers import Tokenizer
from torch import Tensor

from align import align
from function_words import CONNECTORS
from recollect.domain.followup.edits import ReadingLimits, recent_blocks
from recollect.models.followup.features import Features, tokens_of
from rows import Row

SHORT = ReadingLimits()
LONG = ReadingLimits(last_reply=90, reply=44, user=48, total=190)
MAX_TOKENS = 256
_CONNECTOR_NUMBER = {text: number for number, text in enumerate(CONNECTORS)}


class Insertion(NamedTuple):
    """A span to insert, as tokens; each of its occurrences is right."""

    gap: int
    slot: int
    connector: int
    is_possessive: bool
    occurrences: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Example:
    """The features of one row and its targets. `edit_weight` is 0 where no edits express it."""

    features: Features
    needs_rewrite: bool
    deleted: list[int]
    insertions: list[Insertion]
    weight: float
    edit_weight: float


def make_example(
    row: Row, tokenizer: Tokenizer, limits: ReadingLimits, *, most_lost: int = 1
) -> Example | None:
    """An example of a row; None if it has no history."""
    blocks = recent_blocks(row.history, limits)
    if not blocks:
        return None
    features = tokens_of(tokenizer, row.question, blocks, max_tokens=MAX_TOKENS)
    example = Example(features, row.needs_rewrite, [], [], row.weight, row.weight)
    if not row.needs_rewrite:
        return example
    alignment = align(row.question, row.reference, blocks)
    weight = alignment.weight(most_lost=most_lost) if alignment else 0.0
    if alignment is None or not weight:
        example.edit_weight = 0.0
        return example
    token_at = {
        (word, is_end): token
        for words, is_end in ((features.starts, False), (features.ends, True))
        for token, word in words.items()
    }
    for one in alignment.insertions:
        occurrences = tuple(
            (token_at[(span.block, span.first), False], token_at[(span.block, span.last), True])
            for span in one.occurrences
            if ((span.block, span.first), False) in token_at
            and ((span.block, span.last), True) in token_at
        )
        if not occurrences:
            example.edit_weight = 0.0
            example.insertions.clear()
            return example
        connector = _CONNECTOR_NUMBER[one.connector]
        example.insertions.append(
            Insertion(one.gap, one.slot, connector, one.is_possessive, occurrences)
        )
    example.deleted = alignment.deleted
    example.edit_weight = weight * row.weight
    return example


class Batch(NamedTuple):
    """Examples side by side, padded."""

    token_ids: Tensor
    token_types: Tensor
    mask: Tensor
    gap_tokens: Tensor
    previous_tokens: Tensor
    can_start: Tensor
    can_end: Tensor
    needs: Tensor
    weights: Tensor
    edit_weights: Tensor
    deleted: Tensor
    inserted: Tensor  # [N, 3]: batch, gap, slot of each insertion
    right_starts: Tensor  # [M, 4]: batch, gap, slot, token
    chosen: Tensor  # [N, 4]: start, end, connector, possessive of one occurrence each

    def to(self, device: str) -> "Batch":
        """The same on a device."""
        return Batch(*(tensor.to(device, non_blocking=True) for tensor in self))


def collate(examples: Sequence[Example], rng: random.Random) -> Batch:
    """A batch; of an insertion's occurrences, one is chosen for its end and connector."""
    size = len(examples)
    tokens = max(len(one.features.token_ids) for one in examples)
    gaps = max(len(one.features.gap_tokens) for one in examples)
    ids = torch.zeros(size, tokens, dtype=torch.long)
    types, mask = torch.zeros_like(ids), torch.zeros(size, tokens, dtype=torch.bool)
    gap_tokens = torch.zeros(size, gaps, dtype=torch.long)
    previous, deleted = torch.zeros_like(gap_tokens), torch.zeros(size, gaps)
    can_start, can_end = torch.zeros_like(mask), torch.zeros_like(mask)
    inserted: list[tuple[int, ...]] = []
    right: list[tuple[int, ...]] = []
    chosen: list[tuple[int, ...]] = []
    for i, one in enumerate(examples):
        count, words = len(one.features.token_ids), len(one.features.gap_tokens)
        ids[i, :count] = torch.tensor(one.features.token_ids)
        types[i, :count] = torch.tensor(one.features.token_types)
        mask[i, :count] = True
        gap_tokens[i, :words] = torch.tensor(one.features.gap_tokens)
        previous[i, :words] = torch.tensor(one.features.previous_tokens)
        can_start[i, [0, *one.features.starts]] = True
        can_end[i, list(one.features.ends)] = True
        deleted[i, one.deleted] = 1.0
        for insertion in one.insertions:
            place = (i, insertion.gap, insertion.slot)
            inserted.append(place)
            right += [(*place, start) for start, _ in insertion.occurrences]
            start, end = rng.choice(insertion.occurrences)
            chosen.append((start, end, insertion.connector, int(insertion.is_possessive)))
    return Batch(
        token_ids=ids,
        token_types=types,
        mask=mask,
        gap_tokens=gap_tokens,
        previous_tokens=previous,
        can_start=can_start,
        can_end=can_end,
        needs=torch.tensor([float(one.needs_rewrite) for one in examples]),
        weights=torch.tensor([one.weight for one in examples]),
        edit_weights=torch.tensor([one.edit_weight for one in examples]),
        deleted=deleted,
        inserted=torch.tensor(inserted, dtype=torch.long).view(-1, 3),
        right_starts=torch.tensor(right, dtype=torch.long).view(-1, 4),
        chosen=torch.tensor(chosen, dtype=torch.long).view(-1, 4),
    )
