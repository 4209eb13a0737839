"""Scripts and styles, all from the package: no other host is asked for anything."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

_TYPES: Final = {
    "dashboard.css": "text/css; charset=utf-8",
    "dashboard.js": "text/javascript; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file that pages load."""

    content: bytes
    media_type: str
    version: str
    """Another one for each content, so that browsers may keep it for ever."""


def _load(name: str, media_type: str) -> Asset:
    content = files(__package__).joinpath(name).read_bytes()
    version = hashlib.sha256(content).hexdigest()[:12]
    return Asset(content=content, media_type=media_type, version=version)


ASSETS: Final = {name: _load(name, media_type) for name, media_type in _TYPES.items()}
