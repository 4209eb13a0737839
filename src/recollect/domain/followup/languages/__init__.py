"""The language packs; `docs/how-to/add-a-language.md` tells how to add one."""

from functools import cache
from importlib import import_module
from typing import Final

from recollect.domain.followup.languages.pack import LanguagePack

_PACKS: Final = {
    "en": "ENGLISH",
    "nl": "DUTCH",
    "de": "GERMAN",
    "fr": "FRENCH",
    "es": "SPANISH",
}
DEFAULT_LANGUAGE: Final = "en"


def installed() -> tuple[str, ...]:
    """The codes of the languages there are packs for."""
    return tuple(_PACKS)


@cache
def pack_for(code: str) -> LanguagePack:
    """The pack of a language; English where there is none."""
    known = code if code in _PACKS else DEFAULT_LANGUAGE
    module = import_module(f"{__name__}.{known}")
    pack: LanguagePack = getattr(module, _PACKS[known])
    return pack
