"""The embedder's states of examples, computed once: training never changes the embedder."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from add_states import STATES
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from examples import Example, Pair
from recollect.domain.conversation.message import Role
from recollect.models.facts.features import Features, tokens_of


@dataclass(frozen=True, slots=True)
class Read:
    """An example or a pair, as the network reads it."""

    features: Features
    states: NDArray[np.float16]
    example: Example | None = None
    pair: Pair | None = None


class Reader:
    """Runs the embedder, with the states of its tokens as outputs."""

    def __init__(self, embedder: Path, tokenizer: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._session = onnxruntime.InferenceSession(embedder, providers=["CPUExecutionProvider"])

    def read_example(self, example: Example) -> Read:
        """An example with its states."""
        features = tokens_of(self._tokenizer, example.text, example.before)
        return Read(features, self._states(features), example=example)

    def read_pair(self, pair: Pair) -> Read:
        """A pair with its states: the new statement after the known one."""
        features = tokens_of(self._tokenizer, pair.new, [(Role.USER, pair.old)])
        return Read(features, self._states(features), pair=pair)

    def _states(self, features: Features) -> NDArray[np.float16]:
        ids = np.array([features.token_ids])
        ones = np.ones_like(ids)
        given = {"input_ids": ids, "attention_mask": ones, "token_type_ids": ones}
        outputs = self._session.run(list(STATES), given)
        return np.concatenate([states[0] for states in outputs], -1).astype(np.float16)


def batch_of(some: Sequence[Read]) -> tuple[Tensor, Tensor, Tensor]:
    """States, types and where tokens are, filled up to the longest."""
    length = max(len(one.features.token_ids) for one in some)
    states = np.zeros((len(some), length, some[0].states.shape[-1]), np.float32)
    types = np.zeros((len(some), length), np.int64)
    for row, one in enumerate(some):
        tokens = len(one.features.token_ids)
        states[row, :tokens] = one.states
        types[row, :tokens] = one.features.token_types
    lengths = torch.tensor([len(one.features.token_ids) for one in some])
    mask = torch.arange(length)[None] < lengths[:, None]
    return torch.from_numpy(states), torch.from_numpy(types), mask
