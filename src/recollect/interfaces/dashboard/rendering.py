"""Pages from templates: everything that is stored is escaped, and nothing holds the event loop."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from http import HTTPMethod, HTTPStatus
from typing import Final

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from recollect.domain.context.rendering import own_words
from recollect.interfaces.dashboard import charts
from recollect.interfaces.dashboard.assets import ASSETS
from recollect.interfaces.dashboard.languages import NAMES, SPOKEN, Language
from recollect.interfaces.dashboard.site import site_of
from recollect.interfaces.dashboard.sql_highlighting import highlighted

LANGUAGE_COOKIE: Final = "recollect_language"
THEME_COOKIE: Final = "recollect_theme"
THEMES: Final = ("auto", "light", "dark")
HTMX_HEADER: Final = "HX-Request"


def make_environment() -> Environment:
    """The templates, each compiled when it is first used."""
    environment = Environment(
        loader=PackageLoader("recollect.interfaces.dashboard", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "time": _time,
        "sql": highlighted,
        "iso": _iso,
        "minute": _minute,
        "own_words": own_words,
    }
    environment.globals |= {
        "asset": _asset,
        "charts": charts,
        "in_order": _in_order,
        "labelled": _labelled,
        "language_names": NAMES,
        "spoken_names": SPOKEN,
        "has_focus": False,
    }
    return environment


def is_htmx(request: Request) -> bool:
    """Whether a part of a page is to be replaced, not a whole page loaded."""
    return HTMX_HEADER in request.headers


def language_of(request: Request) -> Language:
    """The language of a request's visitor."""
    accepted = request.headers.get("Accept-Language", "")
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    return site_of(request).languages.choose(chosen, accepted)


async def render(
    request: Request,
    template: str,
    *,
    status: int = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
    **values: object,
) -> HTMLResponse:
    """The page that a template makes of values, with what all pages have."""
    text = await render_text(request, template, **values)
    return HTMLResponse(text, status_code=status, headers=dict(headers or {}))


async def render_text(request: Request, template: str, **values: object) -> str:
    """The same as a text. It is made in a thread: texts may be long, templates not yet compiled."""
    site = site_of(request)
    shared = _shared(request, language_of(request))
    make = partial(_rendered, site.templates, template, {**shared, **values})
    return await asyncio.to_thread(make)


def _rendered(templates: Environment, template: str, values: Mapping[str, object]) -> str:
    return templates.get_template(template).render(values)


def _shared(request: Request, language: Language) -> dict[str, object]:
    visit = getattr(request.state, "visit", None)
    theme = request.cookies.get(THEME_COOKIE, THEMES[0])
    return {
        "t": language.text,
        "n": language.count,
        "number": language.number,
        "language": language.code,
        "theme": theme if theme in THEMES else THEMES[0],
        "visitor": getattr(request.state, "visitor", None),
        "csrf": visit.csrf if visit else "",
        "path": request.url.path,
        "address": _address(request),
        "sentence": language.sentence,
        "now": datetime.now(UTC),
        "is_htmx": is_htmx(request),
        "allows_export": site_of(request).settings.allow_data_export,
    }


def _address(request: Request) -> str:
    """Where the page is, to come back to it with what was searched for."""
    query = request.url.query if request.method == HTTPMethod.GET else ""
    return request.url.path + (f"?{query}" if query else "")


def _asset(name: str) -> str:
    """The address of an asset, another one whenever its content changes."""
    return f"/dashboard/assets/{name}?v={ASSETS[name].version}"


def _labelled(values: Iterable[str], text: Callable[[str], str] = str) -> list[tuple[str, str]]:
    """The values of a choice, each with its name in the reader's language, if it has one."""
    return [(str(value), text(str(value))) for value in values]


def _in_order(counts: Mapping[str, int], names: Iterable[str]) -> list[tuple[str, int]]:
    """The counts in the order of these names, also of those that have none."""
    return [(name, counts.get(name, 0)) for name in names]


def _iso(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _minute(time: datetime) -> str:
    """A time as plain text, for places that take no other."""
    return time.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _time(time: datetime | None, style: str = "moment") -> Markup:
    """A time for the browser to show in the reader's own zone; until then in UTC."""
    if time is None:
        return Markup()
    text = time.astimezone(UTC).strftime("%Y-%m-%d") if style == "day" else _minute(time)
    # No part of it is what anybody wrote, so nothing is escaped: that took a sixth of a page.
    return Markup(f'<time datetime="{_iso(time)}" data-style="{style}">{text}</time>')  # noqa: S704
