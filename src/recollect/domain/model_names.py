"""Names of models, their families and chat templates."""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache, wraps
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

_K: Final = 1024
SizeOverrides = Mapping[str, float]
"""Glob over a model's name (case ignored) → its size in billions; the first match counts."""
NO_OVERRIDES: Final[SizeOverrides] = MappingProxyType({})
Result = TypeVar("Result")
_CACHED: Final = 256
_LONGEST_CACHED: Final = 255
_SHARED_BY_EXPERTS: Final = 5 / 6
"""Part of n times s that a mixture `8x7b` really has: attention is shared (46.7 of 56 billion)."""
_SMALLEST_MILLIONS: Final = 10
"""`1m` in a name is a context window: no model that chats has fewer parameters than this."""
_IN_BILLIONS: Final = {"t": 1000.0, "b": 1.0, "m": 0.001}
_MIXTURE = re.compile(r"(?<![a-z0-9.])(\d{1,3})x(\d{1,4}(?:\.\d+)?)b(?![a-z0-9])")
_EFFECTIVE = re.compile(r"(?<![a-z0-9.])e(\d{1,3}(?:\.\d+)?)b(?![a-z0-9])")
# A size before `-16e` counts the active parameters of one of 16 experts: no total.
_SIZE = re.compile(r"(?<![a-z0-9.])(\d{1,4}(?:\.\d+)?)([bt])(?![a-z0-9])(?![-_]\d+e\b)")
_MILLIONS = re.compile(r"(?<![a-z0-9.])(\d{1,4})(m)(?![a-z0-9])")
_CONTEXT = re.compile(r"(?<![a-z0-9.])(\d{1,4})([km])(?![a-z0-9])")
_CONTEXT_UNITS: Final = {"k": 1024, "m": 1_000_000}
_PUBLISHER = re.compile(
    r"(?:[a-z]{2,6}\.)?"
    r"(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|mistral|openai|qwen)\."
)
_FINE_TUNED = "ft:"
# What routers and Bedrock put behind a colon; any other tag is a local runner's.
_HOSTED_TAG = re.compile(r"\d+k?|beta|exacto|extended|floor|free|nitro|online|thinking")
_LOCAL_MARK = re.compile(
    r"(?<![a-z0-9])(?:i?q\d(?:_[a-z0-9]+)*|\d(?:\.\d+)?[-_]?bit|int[48]|nf4|[a-z0-9.]{1,20}bpw|w\d+a\d+"
    r"|awq|gptq|gguf|ggml|exl[23]|mlx|bnb|onnx|safetensors)(?![a-z0-9])"
)
_SEPARATORS: Final = str.maketrans("", "", "-_ ")
_LOCAL_PATH = re.compile(r"(?:/|\.{1,2}/|~|file:|[a-z]:[\\/]|.*\\)")
_LOCAL_RUNNER = re.compile(
    r"(?:gpt4all|hf\.co|koboldcpp|llama[._-]?cpp|llamafile|lm[_-]?studio|local(?:ai|host)?|mlx[a-z-]*"
    r"|ollama(?:_chat)?|tgi|(?:hosted_)?vllm)/"
)


class ModelFamily(NamedTuple):
    """One row of the table: names that match, their size and context window."""

    patterns: str
    """Globs over names as `family_name` spells them, separated by blanks."""
    billions: float | None
    """Parameters when the name itself gives no size; None for hosted models that keep it secret."""
    context_window: int
    """The most tokens the model can read; a local runner may be set to fewer."""


def _rows(*rows: tuple[str, float | None, int]) -> tuple[ModelFamily, ...]:
    return tuple(ModelFamily(*row) for row in rows)


FAMILIES: Final = _rows(
    # Hosted, sizes not published.
    ("gpt4o* chatgpt*", None, 128_000),
    ("gpt4.1*", None, 1_047_576),
    ("gpt4turbo* gpt41106* gpt40125* gpt4.5*", None, 128_000),
    ("gpt4*", None, 8 * _K),
    ("gpt3.5* gpt35*", None, 16_385),
    ("gpt5*chat*", None, 128_000),
    ("gpt5*", None, 400_000),
    ("o1mini* o1preview*", None, 128_000),
    ("o[134] o[134]mini* o[134]pro* o[134]20*", None, 200_000),
    ("claude2 claude2.0* claudeinstant*", None, 100_000),
    ("claude*", None, 200_000),
    ("gemini1.5pro*", None, 2048 * _K),
    ("gemini1.0* geminipro", None, 32 * _K),
    ("gemini*", None, 1024 * _K),
    ("mistralmedium* grok*", None, 128_000),
    ("qwenmax*", None, 32 * _K),
    ("qwenplus* qwenturbo*", None, 128 * _K),
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
    ("phi2* phi phi:*", 2.7, 2 * _K),
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
_LARGE_HOSTED: Final = (
    "gpt3.5* gpt35* gpt4* gpt5* chatgpt* o[134] o[134]mini* o[134]p* o[134]20* claude* gemini* "
    "mistralmedium* grok* qwenmax* qwenplus* novapro* novapremier* sonarpro*"
)
"""Hosted families that keep their size secret and do what models of 70 billion do."""
_SMALL_HOSTED: Final = "*nano* claudeinstant*"
"""Their small relatives; `gpt-4o-mini` and the like are not among them."""


def remembering_names(read: Callable[[str | None], Result]) -> Callable[[str | None], Result]:
    """Cache what is read from a name: requests name few models, each again and again."""
    cached = lru_cache(maxsize=_CACHED)(read)

    @wraps(read)
    def read_cached(name: str | None) -> Result:
        is_short = name is None or len(name) <= _LONGEST_CACHED
        return cached(name) if is_short else read(name)

    return read_cached


def model_size(name: str | None, *, overrides: SizeOverrides = NO_OVERRIDES) -> float | None:
    """Return how many billions of parameters the model has, or None if that is not known.

    An override comes first, then a size in the name, then the table of known families. A
    mixture of experts counts with its total (`8x7b` is 46.7, `30B-A3B` is 30): what it knows
    grows with that, whatever it uses for one token. `E4B` counts as the 4 it claims to equal.
    Quantisation (`4bit`, `q4_K_M`) is no size, nor is a context window (`128k`, `1m`).
    """
    overridden = _overridden(name or "", overrides) if overrides else None
    return _size_by_name(name) if overridden is None else overridden


def is_at_least(
    name: str | None, billions: float, *, overrides: SizeOverrides = NO_OVERRIDES
) -> bool:
    """Tell whether the model has at least so many billions of parameters.

    A hosted model of a large family counts as large, though its size is secret; a model of
    which nothing is known does not.
    """
    size = model_size(name, overrides=overrides)
    return _is_large_hosted(name) if size is None else size >= billions


@remembering_names
def _is_large_hosted(name: str | None) -> bool:
    return is_of_family(name, _LARGE_HOSTED) and not is_of_family(name, _SMALL_HOSTED)


def is_of_family(name: str | None, patterns: str) -> bool:
    """Tell whether a name matches one of several globs, which are separated by blanks."""
    family = family_name(name)
    return any(fnmatchcase(family, pattern) for pattern in patterns.split())


@remembering_names
def _size_by_name(name: str | None) -> float | None:
    whole = _cleaned(name)
    for text in (_last_part(whole), whole):
        size = _size_in(text)
        if size is not None:
            return size
    family = _family_of(whole)
    return None if family is None else family.billions


@remembering_names
def context_window_of(name: str | None) -> int | None:
    """Return the most tokens the model can read, or None if that is not known.

    A window in the name (`gpt-4-32k`, `phi3:mini-128k`) comes before the family's. It is the
    model's own limit: a local runner may be set to less.
    """
    whole = _cleaned(name)
    window = _context_in(_last_part(whole))
    if window is not None:
        return window
    family = _family_of(whole)
    return None if family is None else family.context_window


@remembering_names
def is_hosted(name: str | None) -> bool:
    """Tell whether the model is a hosted service, as far as its name shows.

    A known hosted family is. Otherwise a model is local by a runner's tag (`name:tag`, but not a
    router's `:free` or Bedrock's `:0`), a path or file, a mark of quantisation or of a file
    format, or a runner before the name (`ollama/…`). Any other name counts as hosted, no name
    as local.
    """
    whole = _cleaned(name)
    if not whole:
        return False
    family = _family_of(whole)
    if family is not None and family.billions is None:
        return True
    marks = (_LOCAL_PATH.match(whole), _LOCAL_RUNNER.match(whole), _LOCAL_MARK.search(whole))
    return not any(marks) and ":" not in _last_part(whole)


def family_name(name: str | None) -> str:
    """Return a name as the tables of families spell it: `Meta/Llama-3.2:3B` → `llama3.2:3b`."""
    return _last_part(_cleaned(name)).translate(_SEPARATORS)


def _cleaned(name: str | None) -> str:
    parts = (name or "").strip().lower().removeprefix(_FINE_TUNED).split(":")
    while len(parts) > 1 and _HOSTED_TAG.fullmatch(parts[-1]):
        parts.pop()
    return ":".join(parts)


def _last_part(name: str) -> str:
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return _PUBLISHER.sub("", last, count=1) if _PUBLISHER.match(last) else last


def _overridden(name: str, overrides: SizeOverrides) -> float | None:
    lowered = name.strip().lower()
    names = (lowered, _cleaned(name), _last_part(_cleaned(name)))
    for pattern, billions in overrides.items():
        if any(fnmatchcase(candidate, pattern.strip().lower()) for candidate in names):
            return billions
    return None


def _size_in(text: str) -> float | None:
    mixture = _MIXTURE.search(text)
    if mixture:
        return round(int(mixture[1]) * float(mixture[2]) * _SHARED_BY_EXPERTS, 1)
    effective = _EFFECTIVE.search(text)
    if effective:
        return float(effective[1])
    size = _SIZE.search(text) or _MILLIONS.search(text)
    if size is None or (size[2] == "m" and int(size[1]) < _SMALLEST_MILLIONS):
        return None
    return float(size[1]) * _IN_BILLIONS[size[2]] or None


def _context_in(text: str) -> int | None:
    sizes = ((int(size), unit) for size, unit in _CONTEXT.findall(text))
    windows = [
        size * _CONTEXT_UNITS[unit]
        for size, unit in sizes
        if size and (unit == "k" or size < _SMALLEST_MILLIONS)
    ]
    return max(windows, default=None)


@remembering_names  # a scan of the table takes 150 µs
def _family_of(cleaned_name: str | None) -> ModelFamily | None:
    families = (family for family in FAMILIES if is_of_family(cleaned_name, family.patterns))
    return next(families, None)


class ChatTemplate(StrEnum):
    """What a model's chat template demands of the messages it is given.

    Every template takes at most one system message, at the beginning.
    """

    AUTO = "auto"
    """By the family of the model."""
    PLAIN = "plain"
    """Nothing more."""
    ALTERNATING = "alternating"
    """Users and assistants take turns, and a user begins."""
    NO_SYSTEM = "no_system"
    """As `alternating`, and there is no system role: its text goes into the first question."""

    def of(self, model: str | None) -> "ChatTemplate":
        """The template of a model: this one, or for `auto` that of the model's family."""
        return _template_of(model) if self is ChatTemplate.AUTO else self


_TEMPLATES: Final = {
    ChatTemplate.NO_SYSTEM: "*gemma* *mistral*7b*v0.[12]*",
    ChatTemplate.ALTERNATING: "*mixtral* *mistral* *ministral* *magistral* *devstral* *codestral* "
    "*pixtral* *codellama* *llama2* commandr* aya*",
}
"""Globs over names as `family_name` spells them, separated by blanks; the first match counts."""


@remembering_names
def _template_of(model: str | None) -> ChatTemplate:
    templates = (one for one, patterns in _TEMPLATES.items() if is_of_family(model, patterns))
    return next(templates, ChatTemplate.PLAIN)
