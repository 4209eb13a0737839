"""The weights of the models that come with Recollect, and where they lie."""

from pathlib import Path
from typing import Final

WEIGHTS: Final = Path(__file__).parent
"""The folder of the weights; the models share the tokenizer in it."""
TOKENS: Final = 192
"""How many tokens of a text the tokenizer gives; none of the models reads more."""
