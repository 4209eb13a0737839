"""The API, for programs and for people: GET /openapi.json, and GET /docs without scripts."""

import asyncio
import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any, TypeAlias

import orjson
from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse, Response

Json: TypeAlias = Mapping[str, Any]
router = APIRouter()


def api_page(document: Json, *, style: str, has_dashboard: bool = False) -> str:
    """The OpenAPI document as HTML."""
    info, schemas = document["info"], document.get("components", {}).get("schemas", {})
    by_tag = _by_tag(document["paths"])
    back = ' People look at the <a href="dashboard">dashboard</a>.' if has_dashboard else ""
    parts = [
        "<main>",
        f"<h1>{escape(info['title'])} <small>{escape(info['version'])}</small></h1>",
        *(f"<p>{_text(part)}</p>" for part in info["description"].strip().split("\n\n")),
        f'<p>For programs: <a href="openapi.json">openapi.json</a>.{back}</p>',
        _contents((*by_tag, "schemas")),
        *_routes(by_tag),
        '<h2 id="schemas">Schemas</h2>',
        *(_schema(name, schema) for name, schema in sorted(schemas.items())),
        "</main>",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])}: HTTP API</title><style>{style}</style></head>\n<body>"
        + "\n".join(parts)
        + "</body></html>\n"
    )


def _by_tag(paths: Json) -> dict[str, list[str]]:
    """The operations of each tag, in the order of the document."""
    by_tag: dict[str, list[str]] = {}
    for path, item in paths.items():
        for method in filter(item.__contains__, ("get", "post", "put", "patch", "delete")):
            operation = item[method]
            tag = (operation.get("tags") or ["other"])[0]
            by_tag.setdefault(tag, []).append(_operation(method, path, operation))
    return by_tag


def _contents(tags: Iterable[str]) -> str:
    links = (f'<li><a href="#{escape(tag)}">{escape(tag)}</a></li>' for tag in tags)
    return f'<nav aria-label="Contents"><ul>{"".join(links)}</ul></nav>'


def _routes(by_tag: Mapping[str, list[str]]) -> Iterator[str]:
    for tag, operations in by_tag.items():
        yield f'<h2 id="{escape(tag)}">{escape(tag)}</h2>'
        yield from operations


def _operation(method: str, path: str, operation: Json) -> str:
    parts = [f"<p>{_text(operation.get('description', ''))}</p>"]
    parameters = operation.get("parameters", [])
    if parameters:
        rows = (
            (p["name"], p["in"], _type(p["schema"]), _text(p["description"])) for p in parameters
        )
        parts.append(_table(("Parameter", "In", "Type", "What it is"), rows))
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        parts.append(f"<p>Body: <code>{escape(kind)}</code>, {_type(body.get('schema', {}))}</p>")
    statuses = (
        (status, _text(response["description"]), _content(response))
        for status, response in sorted(operation["responses"].items())
    )
    parts.append(_table(("Status", "When", "Body"), statuses))
    return (
        f'<details id="{escape(operation["operationId"])}"><summary>'
        f'<span class="method {method}">{method.upper()}</span><code>{escape(path)}</code>'
        f'<span class="about">{escape(operation["summary"])}</span></summary>'
        f'<div class="inside">{"".join(parts)}</div></details>'
    )


def _schema(name: str, schema: Json) -> str:
    required = schema.get("required", ())
    rows = (
        (field, _type(spec) + (", required" if field in required else ""), _about(spec))
        for field, spec in schema.get("properties", {}).items()
    )
    parts = [f"<p>{_text(schema.get('description', ''))}</p>"]
    if "properties" in schema:
        parts.append(_table(("Field", "Type", "What it is"), rows))
    else:
        parts.append(f"<p>{_type(schema)}</p>")
    example = schema.get("example") or next(iter(schema.get("examples", ())), None)
    if example is not None:
        text = json.dumps(example, indent=2, ensure_ascii=False)
        parts.append(f'<p>Example:</p><pre tabindex="0">{escape(text)}</pre>')
    return (
        f'<details id="schema-{escape(name)}"><summary><code>{escape(name)}</code></summary>'
        f'<div class="inside">{"".join(parts)}</div></details>'
    )


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are HTML already, but for the first of each row, which is a name."""
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    lines = []
    for name, *cells in rows:
        others = "".join(f"<td>{cell}</td>" for cell in cells)
        lines.append(f"<tr><td><code>{escape(name)}</code></td>{others}</tr>")
    body = "".join(lines)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0">{table}</div>'


def _content(response: Json) -> str:
    kinds = (body.get("schema", {}) for body in response.get("content", {}).values())
    return ", ".join(_type(schema) for schema in kinds if schema)


def _about(spec: Json) -> str:
    parts = [_text(spec.get("description", ""))]
    if spec.get("default") is not None:
        parts.append(f"Default: <code>{escape(json.dumps(spec['default']))}</code>.")
    return " ".join(filter(None, parts))


def _type(spec: Json) -> str:
    """A schema in words; those with a name of their own are linked."""
    match spec:
        case {"$ref": str() as reference}:
            name = escape(reference.rpartition("/")[2])
            return f'<a href="#schema-{name}">{name}</a>'
        case {"anyOf": [*kinds]} | {"oneOf": [*kinds]} | {"allOf": [*kinds]}:
            return " or ".join(map(_type, kinds))
        case {"enum": _} | {"const": _}:
            values = spec.get("enum", [spec.get("const")])
            return ", ".join(f"<code>{escape(str(value))}</code>" for value in values)
        case {"type": "array", "items": items}:
            return f"list of {_type(items)}"
        case {"format": str() as kind} | {"type": str() as kind}:
            return escape(kind)
    return "any JSON"


def _text(text: str) -> str:
    """Plain text with names between backquotes, as HTML."""
    parts = escape(" ".join(text.split())).split("`")
    return "".join(
        f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts)
    )


@router.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> Response:
    """Answer with the OpenAPI document."""
    return Response((await _description(request.app)).document, media_type="application/json")


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> HTMLResponse:
    """Show the OpenAPI document; the page needs no scripts and loads nothing."""
    description = await _description(request.app)
    return HTMLResponse(description.page, headers=description.headers)


@dataclass(frozen=True, slots=True)
class _Description:
    """What an application can do: half a megabyte for programs, and as much for people."""

    document: bytes
    page: str
    headers: Mapping[str, str]


async def _description(app: FastAPI) -> _Description:
    """Made once, when somebody first asks for it, in a thread: it takes half a second.

    Where that fails, those who wait for it are told, and the next who asks tries again.
    """
    making: asyncio.Task[_Description] | None = getattr(app.state, "description", None)
    if making is None or (making.done() and (making.cancelled() or making.exception())):
        making = app.state.description = asyncio.create_task(asyncio.to_thread(_described, app))
    return await asyncio.shield(making)


def _described(app: FastAPI) -> _Description:
    document = app.openapi()
    page, headers = _page(document, has_dashboard=hasattr(app.state, "dashboard"))
    return _Description(orjson.dumps(document), page, headers)


def _page(document: Json, *, has_dashboard: bool) -> tuple[str, Mapping[str, str]]:
    """The page and its headers, which allow its own style and nothing else."""
    style = files("recollect.interfaces.http.api_page").joinpath("style.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    headers = {"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"}
    return api_page(document, style=style, has_dashboard=has_dashboard), headers
