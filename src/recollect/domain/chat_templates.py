"""Which order of roles a model's chat template accepts, told by its family."""

from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Final

from recollect.domain.model_names import family_name, remembering_names


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


_FAMILIES: Final = (
    ("*gemma*", ChatTemplate.NO_SYSTEM),
    ("*mistral*7b*v0.[12]*", ChatTemplate.NO_SYSTEM),
    ("*mixtral*", ChatTemplate.ALTERNATING),
    ("*mistral*", ChatTemplate.ALTERNATING),
    ("*ministral*", ChatTemplate.ALTERNATING),
    ("*magistral*", ChatTemplate.ALTERNATING),
    ("*devstral*", ChatTemplate.ALTERNATING),
    ("*codestral*", ChatTemplate.ALTERNATING),
    ("*pixtral*", ChatTemplate.ALTERNATING),
    ("*codellama*", ChatTemplate.ALTERNATING),
    ("*llama2*", ChatTemplate.ALTERNATING),
    ("commandr*", ChatTemplate.ALTERNATING),
    ("aya*", ChatTemplate.ALTERNATING),
)
"""Globs over names as `family_name` spells them; the first that matches counts."""


@remembering_names
def _template_of(model: str | None) -> ChatTemplate:
    name = family_name(model)
    matches = (template for pattern, template in _FAMILIES if fnmatchcase(name, pattern))
    return next(matches, ChatTemplate.PLAIN)
