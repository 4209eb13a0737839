"""What is known of families of models: their size and how much they can read."""

from typing import Final, NamedTuple

_K: Final = 1024


class ModelFamily(NamedTuple):
    """One row of the table: whose names match, how large they are, how much they can read."""

    pattern: str
    """A glob over the bare name in lower case without `-`, `_` and blanks: `llama3.2:3b`."""
    billions: float | None
    """Parameters when the name itself gives no size; None for hosted models that keep it secret."""
    context_window: int
    """The most tokens the model can read; a local runner may be set to fewer."""


def _rows(*rows: tuple[str, float | None, int]) -> tuple[ModelFamily, ...]:
    return tuple(ModelFamily(*row) for row in rows)


FAMILIES: Final = _rows(
    # Hosted, sizes not told.
    ("gpt4o*", None, 128_000),
    ("chatgpt*", None, 128_000),
    ("gpt4.1*", None, 1_047_576),
    ("gpt4turbo*", None, 128_000),
    ("gpt41106*", None, 128_000),
    ("gpt40125*", None, 128_000),
    ("gpt4.5*", None, 128_000),
    ("gpt4*", None, 8 * _K),
    ("gpt3.5*", None, 16_385),
    ("gpt35*", None, 16_385),
    ("gpt5*chat*", None, 128_000),
    ("gpt5*", None, 400_000),
    ("o1mini*", None, 128_000),
    ("o1preview*", None, 128_000),
    ("o[134]", None, 200_000),
    ("o[134]mini*", None, 200_000),
    ("o[134]pro*", None, 200_000),
    ("o[134]20*", None, 200_000),
    ("claude2", None, 100_000),
    ("claude2.0*", None, 100_000),
    ("claudeinstant*", None, 100_000),
    ("claude*", None, 200_000),
    ("gemini1.5pro*", None, 2048 * _K),
    ("gemini1.0*", None, 32 * _K),
    ("geminipro", None, 32 * _K),
    ("gemini*", None, 1024 * _K),
    ("mistralmedium*", None, 128_000),
    ("grok*", None, 128_000),
    ("qwenmax*", None, 32 * _K),
    ("qwenplus*", None, 128 * _K),
    ("qwenturbo*", None, 128 * _K),
    ("nova*", None, 128_000),
    ("sonar*", None, 127_000),
    # Open weights: the size a runner takes when none is named, which is its smallest common one.
    ("gptoss*", 20, 128 * _K),
    ("*llama4*maverick*", 400, 1024 * _K),
    ("*llama4*", 109, 1024 * _K),
    ("deepseekr1:*", 8, 128 * _K),
    ("deepseekcoder*v2*", 16, 128 * _K),
    ("deepseekcoder*", 6.7, 16 * _K),
    ("deepseek*", 671, 64 * _K),
    ("*llama3.3*", 70, 128 * _K),
    ("*llama3.2*vision*", 11, 128 * _K),
    ("*llama3.2*", 3, 128 * _K),
    ("*llama3.1*", 8, 128 * _K),
    ("*llama3*", 8, 8 * _K),
    ("*tinyllama*", 1.1, 2 * _K),
    ("*codellama*", 7, 16 * _K),
    ("*llama2*", 7, 4 * _K),
    ("*mixtral*8x22b*", 141, 64 * _K),
    ("*mixtral*", 46.7, 32 * _K),
    ("mistralsmall*", 24, 32 * _K),
    ("mistrallarge*", 123, 128 * _K),
    ("mistralnemo*", 12, 128 * _K),
    ("magistral*", 24, 40 * _K),
    ("devstral*", 24, 128 * _K),
    ("codestral*", 22, 32 * _K),
    ("ministral*", 8, 128 * _K),
    ("pixtrallarge*", 124, 128 * _K),
    ("pixtral*", 12, 128 * _K),
    ("*mistral*", 7, 32 * _K),
    ("qwq*", 32, 32 * _K),
    ("qwen3coder*", 30, 256 * _K),
    ("*qwen3*", 8, 32 * _K),
    ("*qwen2.5*", 7, 32 * _K),
    ("*qwen*", 7, 32 * _K),
    ("gemma3n*", 4, 32 * _K),
    ("gemma3*270m*", 0.27, 32 * _K),
    ("gemma3*1b*", 1, 32 * _K),
    ("gemma3*", 4, 128 * _K),
    ("gemma2*", 9, 8 * _K),
    ("*gemma*", 7, 8 * _K),
    ("phi4*mini*", 3.8, 128 * _K),
    ("phi4*", 14, 16 * _K),
    ("phi3.5*moe*", 42, 128 * _K),
    ("phi3.5*", 3.8, 128 * _K),
    ("phi3*medium*", 14, 4 * _K),
    ("phi3*small*", 7, 8 * _K),
    ("phi3*", 3.8, 4 * _K),
    ("phi2*", 2.7, 2 * _K),
    ("phi", 2.7, 2 * _K),
    ("phi:*", 2.7, 2 * _K),
    ("smollm*", 1.7, 8 * _K),
    ("commandrplus*", 104, 128 * _K),
    ("commandr7b*", 7, 128 * _K),
    ("commandr*", 35, 128 * _K),
    ("commanda*", 111, 256 * _K),
    ("kimik2*", 1000, 128 * _K),
    ("glm4.5air*", 106, 128 * _K),
    ("glm4.5*", 355, 128 * _K),
    ("vicuna*", 7, 4 * _K),
    ("zephyr*", 7, 32 * _K),
    ("solar*", 10.7, 4 * _K),
    ("stablelm*", 1.6, 4 * _K),
    ("*hermes3*", 8, 128 * _K),
)
"""Known families, the special before the general: the first row that matches counts."""
