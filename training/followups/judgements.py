"""Rewrites to be judged: right ones, and wrong ones of the kinds that a rewriter makes."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from tokenizers import Tokenizer
from torch import Tensor

from align import align, is_content, stem
from examples import MAX_TOKENS
from function_words import FUNCTION_WORDS, OPENERS, word_set
from recollect.domain.followup.edits import (
    Block,
    Edits,
    Insertion,
    ReadingLimits,
    Span,
    apply_edits,
    recent_blocks,
    words_of,
)
from recollect.models.followup.features import Features, tokens_of
from rows import Row

_REWRITE_MARK = 3  # an unused token of the vocabulary
_WORDS = FUNCTION_WORDS | OPENERS
_POINTING = word_set(
    """it its they them their he him his she her this that these those there one ones
    het dat dit die deze hij hem ze zij haar er daar ervan daarvan daarvoor
    es das er sie ihn ihm ihr der die dort davon dafür dies diese
    il elle ils elles le la les lui leur y en ce ça cela celui celle
    lo la los las le les él ella eso esto ese esa este esta"""
)
_CONNECTORS = {
    "en": ("of", "in", "for", "about", "the"),
    "nl": ("van", "in", "voor", "de", "het"),
    "de": ("von", "in", "für", "der", "die"),
    "fr": ("de", "dans", "pour", "le", "la"),
    "es": ("de", "en", "para", "el", "la"),
}


@dataclass(slots=True)
class Judgement:
    """The features of a question with a rewrite, and whether the rewrite is right."""

    features: Features
    is_right: bool
    weight: float


def judgements(
    row: Row, tokenizer: Tokenizer, limits: ReadingLimits, rng: random.Random
) -> list[Judgement]:
    """A right rewrite of a row, if it has one, and one or two wrong ones."""
    blocks = recent_blocks(row.history, limits)
    if not blocks:
        return []
    rewrites: list[tuple[str, bool]] = []
    if row.needs_rewrite:
        edits = _right_edits(row, blocks)
        if edits is None:
            return []
        rewrites.append((_applied(row, blocks, edits), True))
        rewrites += [
            (_applied(row, blocks, _spoilt(row, blocks, edits, rng)), False) for _ in (1, 2)
        ]
    else:
        rewrites.append((_applied(row, blocks, _needless(row, blocks, rng)), False))
    right = _content(row.reference)
    found = []
    for rewrite, is_right in rewrites:
        if not is_right and (_content(rewrite) == right or rewrite == row.question):
            continue
        features = _with_rewrite(tokenizer, row.question, rewrite, blocks)
        found.append(Judgement(features, is_right, row.weight))
    return found


def _with_rewrite(
    tokenizer: Tokenizer, question: str, rewrite: str, blocks: Sequence[Block]
) -> Features:
    """The features of a question, with the rewrite between it and the history."""
    features = tokens_of(tokenizer, question, blocks, max_tokens=MAX_TOKENS)
    inserted = tokens_of(tokenizer, rewrite, (), max_tokens=MAX_TOKENS)
    place = features.gap_tokens[-1] + 1
    features.token_ids[place:place] = [_REWRITE_MARK, *inserted.token_ids[1:]]
    features.token_types[place:place] = [0, *inserted.token_types[1:]]
    return features


def _right_edits(row: Row, blocks: Sequence[Block]) -> Edits | None:
    alignment = align(row.question, row.reference, blocks)
    if alignment is None or alignment.weight(most_lost=3) < 1:
        return None
    return Edits(
        deleted=frozenset(alignment.deleted),
        insertions=tuple(
            Insertion(
                gap=one.gap,
                span=one.occurrences[0],
                connector=one.connector,
                is_possessive=one.is_possessive,
            )
            for one in alignment.insertions
        ),
    )


def _spoilt(row: Row, blocks: Sequence[Block], edits: Edits, rng: random.Random) -> Edits:
    """Wrong edits: another span, too much or too little of it, one left out, nothing deleted."""
    insertions = list(edits.insertions)
    place = rng.randrange(len(insertions))
    chosen = insertions[place]
    dice = rng.random()
    if dice < 0.6:
        insertions[place] = replace(chosen, span=_other_span(blocks, chosen.span, rng))
    elif dice < 0.75:
        span = chosen.span
        last = min(len(blocks[span.block].words) - 1, span.last + rng.randint(1, 4))
        insertions[place] = replace(chosen, span=span._replace(last=last))
    elif dice < 0.85 and len(insertions) > 1:
        del insertions[place]
    elif dice < 0.92 and edits.deleted:
        return replace(edits, deleted=frozenset())
    else:
        gap = rng.randrange(len(words_of(row.question)) + 1)
        extra = Insertion(gap=gap, span=_other_span(blocks, chosen.span, rng))
        insertions = sorted([*insertions, extra], key=lambda one: one.gap)
    return replace(edits, insertions=tuple(insertions))


def _needless(row: Row, blocks: Sequence[Block], rng: random.Random) -> Edits:
    """Edits of a question that needs none: a pointing word replaced, or something appended."""
    words = words_of(row.question)
    pointing = [i for i, word in enumerate(words) if word.text.lower() in _POINTING]
    span = _other_span(blocks, None, rng)
    if pointing and rng.random() < 0.7:
        place = rng.choice(pointing)
        return Edits(deleted=frozenset([place]), insertions=(Insertion(gap=place, span=span),))
    end = len(words) - (bool(words) and words[-1].is_sign)
    connector = rng.choice(_CONNECTORS[row.language])
    return Edits(insertions=(Insertion(gap=end, span=span, connector=connector),))


def _other_span(blocks: Sequence[Block], right: Span | None, rng: random.Random) -> Span:
    """A likely mistake: words between function words or signs, at best with a capital."""
    chunks = [chunk for number, block in enumerate(blocks) for chunk in _chunks(number, block)]
    others = [c for c in chunks if right is None or not _overlap(c, right)]
    if not others:
        return right or Span(0, 0, 0)
    capital = [c for c in others if blocks[c.block].words[c.first].text[0].isupper()]
    return rng.choice(capital if capital and rng.random() < 0.5 else others)


def _chunks(number: int, block: Block) -> list[Span]:
    found: list[Span] = []
    first: int | None = None
    for index in range(len(block.words) + 1):
        is_inside = index < len(block.words) and is_content(stem(block.words[index].text))
        if is_inside and first is None:
            first = index
        elif not is_inside and first is not None:
            found.append(Span(number, first, min(index - 1, first + 5)))
            first = None
    return found


def _overlap(one: Span, other: Span) -> bool:
    return one.block == other.block and one.first <= other.last and other.first <= one.last


def _applied(row: Row, blocks: Sequence[Block], edits: Edits) -> str:
    return apply_edits(row.question, blocks, edits, function_words=_WORDS)


def _content(text: str) -> frozenset[str]:
    stems = (stem(word.text) for word in words_of(text))
    return frozenset(word for word in stems if is_content(word))


class JudgementBatch(NamedTuple):
    """Judgements side by side, padded."""

    token_ids: Tensor
    token_types: Tensor
    mask: Tensor
    right: Tensor
    weights: Tensor

    def to(self, device: str) -> "JudgementBatch":
        """The same on a device."""
        return JudgementBatch(*(tensor.to(device, non_blocking=True) for tensor in self))


def collate_judgements(chosen: Sequence[Judgement]) -> JudgementBatch:
    """A batch of judgements."""
    size, tokens = len(chosen), max((len(one.features.token_ids) for one in chosen), default=0)
    ids = torch.zeros(size, tokens, dtype=torch.long)
    types, mask = torch.zeros_like(ids), torch.zeros(size, tokens, dtype=torch.bool)
    for i, one in enumerate(chosen):
        count = len(one.features.token_ids)
        ids[i, :count] = torch.tensor(one.features.token_ids)
        types[i, :count] = torch.tensor(one.features.token_types)
        mask[i, :count] = True
    return JudgementBatch(
        token_ids=ids,
        token_types=types,
        mask=mask,
        right=torch.tensor([float(one.is_right) for one in chosen]),
        weights=torch.tensor([one.weight for one in chosen]),
    )
