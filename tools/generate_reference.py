"""Write the pages of docs/reference that are made from the code.

Run without arguments it writes them, with --check it fails if one is not up to date.
"""

import argparse
import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from http import HTTPStatus
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

import recollect
from recollect import Memory, RecollectError, Settings, errors
from recollect.composition import build_services
from recollect.domain.chat.answers import Answer, Answered, Timings
from recollect.domain.context.context import Sources, Tokens, Truncation
from recollect.domain.conversation.paging import DEFAULT_LIMIT, Order
from recollect.domain.facts.fact import Evidence, FactChange, FactRecord
from recollect.domain.facts.query import FoundFact
from recollect.domain.facts.stored import FactStats
from recollect.domain.facts.transfer import ImportReport
from recollect.domain.identity.accounts import UserState
from recollect.domain.recall.entry import Recalled, Recollection
from recollect.domain.tenants.settings import TenantReport, TenantSettings
from recollect.engines.in_memory import in_memory_stores
from recollect.inputs import Asking, FactFilters, MessageFields, RecallFilters
from recollect.interfaces.cli.main import app as cli
from recollect.interfaces.http.app import create_app
from recollect.models.tokens import token_counter_for
from recollect.ports.metrics import ALL_METRICS
from recollect.services.services import ServiceDependencies
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock
from recollect.telemetry.catalogue import EVENTS, SPANS

TARGET = Path(__file__).parent.parent / "docs" / "reference"
MADE = "<!-- Written by tools/generate_reference.py from the code; change that. -->"
MAX_CALL = 80

Json: TypeAlias = dict[str, Any]


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table, or nothing where there are no rows."""
    found = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    if not found:
        return ""
    head = list(headings)
    lines = [head, ["---"] * len(head), *found]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page(title: str, parts: Iterable[str]) -> str:
    """A page of parts, empty ones left out."""
    return "\n\n".join([f"# {title}", MADE, *filter(None, parts)]) + "\n"


def block(language: str, text: str) -> str:
    """A code block."""
    return f"```{language}\n{text}\n```"


def settings_page() -> str:
    """Every setting with its variable."""
    return page(
        "Settings",
        [
            _SETTINGS,
            table(("Variable", "What it sets", "Values", "Default"), _setting_rows()),
        ],
    )


_SETTINGS = """\
Each setting is read from an environment variable; an empty one counts as absent, but for
`MEMORY_TENANT` and `MEMORY_LOCAL_USER`, which must not be empty. In Python,
`Settings(port=9090)` sets the same by its name in small letters, and `Memory.open(settings)` takes
it. `recollect doctor` tells whether the settings make sense."""


def _setting_rows() -> Iterator[tuple[str, ...]]:
    schema, descriptions = Settings.model_json_schema(), _setting_descriptions()
    for name in Settings.model_fields:
        spec = schema["properties"][name]
        if name == "home":  # depends on the machine and on who asks
            default = "your data folder; for root `/var/lib/recollect`"
        else:
            default = _value(spec.get("default"))
        values = _type_of(spec, schema["$defs"]).removesuffix(" or null")
        yield f"`MEMORY_{name.upper()}`", descriptions[name], values, default


def _setting_descriptions() -> dict[str, str]:
    """The text below each setting, by its name."""
    return {
        setting.target.id: " ".join(text.value.value.split())
        for group in Settings.__bases__
        for setting, text in pairwise(_body(group))
        if isinstance(setting, ast.AnnAssign)
        and isinstance(setting.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def _value(value: object) -> str:
    match value:
        case None | [] | ():
            return ""
        case str():
            return f"`{value}`"
        case _:
            return f"`{json.dumps(value)}`"


def _type_of(spec: Json, models: Json) -> str:
    """A schema in words; models are linked, enumerations spelled out."""
    if "$ref" in spec:
        return _named(spec["$ref"].rpartition("/")[2], models)
    if "properties" in spec and spec.get("title") in models:  # a model that is written out
        return _named(spec["title"], models)
    if "anyOf" in spec:
        # pydantic writes the format of an optional text beside its alternatives
        shared = {"format": spec["format"]} if "format" in spec else {}
        kinds = [{**kind, **shared} for kind in spec["anyOf"] if kind.get("type") != "null"]
        words = [_type_of(kind, models) for kind in kinds]
        return " or ".join(words + ["null"] * (len(kinds) < len(spec["anyOf"])))
    if "const" in spec or "enum" in spec:
        return ", ".join(f"`{value}`" for value in spec.get("enum", [spec.get("const")]))
    if spec.get("type") == "array":
        return f"list of {_type_of(spec['items'], models)}{_limits(spec)}"
    kind = str(spec.get("type", "any JSON"))
    return _WORDS.get(spec.get("format", ""), _WORDS.get(kind, kind)) + _limits(spec)


_WORDS = {
    "string": "text",
    "object": "JSON object",
    "boolean": "true or false",
    "uuid": "UUID",
    "date-time": "time",
    "path": "path",
}


def _named(name: str, models: Json) -> str:
    spec = models[name]
    if "enum" in spec:
        return _type_of(spec, models)
    if "properties" not in spec:
        return "any JSON"
    if name.startswith("ListOf"):
        return f"a list of {_type_of(spec['properties']['items']['items'], models)}"
    return f"[{name}](#{name.lower()})"


def _limits(spec: Json) -> str:
    low, high = spec.get("minimum"), spec.get("maximum")
    longest = spec.get("maxLength", spec.get("maxItems"))
    if low is not None and high is not None and high < _UNLIMITED:
        return f" ({low:,.0f} to {high:,.0f})"
    if low is not None:
        return f" ({low:,.0f} or more)"
    return f" (at most {longest:,})" if longest else ""


_UNLIMITED = 2**31  # limits beyond are those of a column, of no interest to a reader


def command_line_page() -> str:
    """Every command with its arguments and options."""
    group = typer.main.get_command(cli)
    assert isinstance(group, TyperGroup)  # noqa: S101  # a program of several commands
    return page("Command line", [group.help or "", _COMMANDS, *_commands("recollect", group)])


_COMMANDS = """\
With `--json` a command answers in JSON: one object, or `items` for a list. What went wrong is said
on standard error, as `{"error": …}` with `--json`, and the exit code is then not 0. Commands work
on the database itself, so they need no running server and no API key. They need the server's
settings instead, the same `MEMORY_*` variables and the same account:
[an example with systemd](../how-to/install.md#run-it-as-a-service)."""


def _commands(name: str, group: TyperGroup) -> Iterator[str]:
    for word, command in group.commands.items():
        full = f"{name} {word}"
        yield f"{'#' * full.count(' ')}# {full}"
        yield command.help or ""
        if isinstance(command, TyperGroup):
            yield from _commands(full, command)
        elif isinstance(command, TyperCommand):
            arguments = [_name(part) for part in command.params if isinstance(part, TyperArgument)]
            yield block("text", " ".join([full, *arguments, "[options]"]))
            yield table(("Option", "What it does", "Values", "Default"), _option_rows(command))


def _option_rows(command: TyperCommand) -> Iterator[tuple[str, ...]]:
    assert command.callback is not None  # noqa: S101  # every command of ours does something
    hints = get_type_hints(inspect.unwrap(command.callback), include_extras=True)
    for option in command.params:
        assert isinstance(option, TyperArgument | TyperOption)  # noqa: S101  # typer has no others
        default = "" if option.default is False else _value(option.default)
        values = _option_values(hints[str(option.name)])
        yield (
            f"`{_name(option)}`",
            option.help or "",
            values,
            "required" if option.required else default,
        )


def _name(option: TyperArgument | TyperOption) -> str:
    return str(option.name).upper() if isinstance(option, TyperArgument) else option.opts[0]


def _option_values(hint: object) -> str:
    declared = next((part for part in get_args(hint)[1:] if hasattr(part, "min")), None)
    plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    kinds = [kind for kind in (get_args(plain) or (plain,)) if kind is not type(None)]
    kind = kinds[0]
    if issubclass(kind, Enum):
        return ", ".join(f"`{member.value}`" for member in kind)
    if kind is int and declared is not None and declared.max is not None:
        return f"{declared.min:,} to {declared.max:,}"
    return {bool: "", int: "number", Path: "path"}.get(kind, "text")


def http_page() -> str:
    """Every route of the OpenAPI document, and the JSON that it takes and gives."""
    around = ServiceDependencies(
        clock=SystemClock(), ids=RandomIds(), counter_for=token_counter_for, sql=SqlglotReader()
    )
    services = build_services(in_memory_stores(), around)
    document = create_app(Memory(services), Settings.model_construct()).openapi()
    models = document["components"]["schemas"]
    routes = [
        (method.upper(), path, spec)
        for path, methods in document["paths"].items()
        for method, spec in methods.items()
    ]
    return page(
        "HTTP",
        [
            document["info"]["description"].strip(),
            _CREDENTIALS,
            table(("Route", "What it does"), [_listed(*route) for route in routes]),
            table(("Status", "When"), _statuses(spec for *_, spec in routes)),
            "## Routes",
            *(_route(*route, models) for route in routes),
            "## JSON",
            _JSON,
            *(_model(name, spec, models) for name, spec in models.items() if _is_described(spec)),
        ],
    )


_CREDENTIALS = """\
The same is served at `/docs` for people, on a page that needs no scripts and no internet, and at
`/openapi.json` for programs. JSON ends with a line break for curl, Wget and HTTPie. Credentials go
into `Authorization: Bearer …`: an API key, or what [let users in](../how-to/let-users-in.md)
configures; a local server needs none. A service key names its user in `X-Memory-User`.

`POST /answerQuestion` is not listed here: it takes what the Denodo AI SDK of `MEMORY_DENODO_URL`
takes and returns what that returns, without memory (501 where none is set). A caller of it, or of
`/memoryChat`, with an API key sends the credentials for Denodo in `X-Denodo-Authorization`."""

_JSON = """\
Times are ISO 8601 in UTC. A list is `{"items": […], "next_cursor": …}`: give the cursor to get the
next page; it is null on the last one. A request with a field that is not named here is refused,
but by `/memoryChat` and `/v1/…`, which pass it on."""


def _is_described(spec: Json) -> bool:
    return "properties" in spec and not spec["title"].startswith("ListOf")


def _listed(method: str, path: str, spec: Json) -> tuple[str, str]:
    kept = (c for c in f"{method} {path}".lower() if c.isalnum() or c in " _-")
    anchor = "".join(kept).replace(" ", "-")
    return f"[`{method} {path}`](#{anchor})", spec["summary"]


def _statuses(specs: Iterable[Json]) -> Iterator[tuple[str, str]]:
    """What each status of an error means, told once for all routes."""
    meanings: dict[str, str] = {}
    for status, answer in (item for spec in specs for item in spec["responses"].items()):
        if int(status) >= HTTPStatus.BAD_REQUEST:
            meanings.setdefault(status, answer["description"])
    yield from sorted(meanings.items())


def _route(method: str, path: str, spec: Json, models: Json) -> str:
    parts = [f"### `{method} {path}`", spec["description"]]
    parts.append(table(("Parameter", "In", "What it is", "Values", "Default"), _rows(spec, models)))
    if "requestBody" in spec:
        schema = spec["requestBody"]["content"]["application/json"]["schema"]
        example = models[schema["$ref"].rpartition("/")[2]].get("example")
        parts.append(f"The body is a {_type_of(schema, models)}:")
        parts.append(block("json", json.dumps(example, indent=2, sort_keys=True)))
    parts.append(_answers(spec["responses"], models))
    return "\n\n".join(filter(None, parts))


def _rows(spec: Json, models: Json) -> Iterator[tuple[str, ...]]:
    for given in spec.get("parameters", []):
        schema = given["schema"]
        values = _type_of(schema, models).removesuffix(" or null")
        default = "required" if given["required"] else _value(schema.get("default"))
        yield f"`{given['name']}`", given["in"], given["description"], values, default


def _answers(responses: Json, models: Json) -> str:
    """The answers that a route gives, in one sentence each for success and errors."""
    lines = []
    errors_given = [code for code in sorted(responses) if int(code) >= HTTPStatus.BAD_REQUEST]
    for code in sorted(set(responses) - set(errors_given), reverse=True):
        content = responses[code].get("content", {}).get("application/json")
        body = _type_of(content["schema"], models) if content else "nothing"
        said = responses[code]["description"]
        why = "" if said == "Successful Response" else f" ({said[0].lower()}{said[1:]})"
        lines.append(f"- {code} with {body}{why}")
    if errors_given:
        schema = responses[errors_given[0]]["content"]["application/json"]["schema"]
        body = _type_of(schema, models)
        lines.append(f"- {', '.join(errors_given)} with an {body}")
    return "Answers:\n\n" + "\n".join(lines)


def _model(name: str, spec: Json, models: Json) -> str:
    required = spec.get("required", []) if "example" in spec else []
    rows = (
        (
            f"`{field}`",
            part.get("description", ""),
            _type_of(part, models),
            "required" if field in required else _value(part.get("default")),
        )
        for field, part in spec["properties"].items()
    )
    shown = table(("Field", "What it is", "Values", "Default"), rows)
    return f"### {name}\n\n{spec['description']}\n\n{shown}"


def python_page() -> str:
    """Every public name with its methods."""
    public = [getattr(recollect, name) for name in recollect.__all__]
    plain = [thing for thing in public if not issubclass(thing, RecollectError)]
    handles = [recollect.SessionHandle, recollect.History, recollect.Profile, recollect.Facts]
    first = [Memory, *handles]
    rest = [thing for thing in plain if thing not in first]
    given_and_returned = [
        *(MessageFields, Asking, Answered, Answer, Timings),
        *(Sources, Tokens, Truncation, RecallFilters, Recollection, Recalled),
        *(UserState, FactFilters, FactRecord, FactChange, Evidence, FoundFact),
        *(FactStats, ImportReport, TenantReport, TenantSettings),
    ]
    return page("Python", [_PYTHON, *map(_class, first + rest + given_and_returned), _errors()])


_PYTHON = """\
`from recollect import …` gives the names below; `from recollect.blocking import Memory` the same
memory without async: leave out `await` and `async`. `JsonObject` is a `dict` of anything JSON can
say, `Details` the fields of [AnswerDetails](#answerdetails), `GivenTenant` a name, an integer, or
None for the system tenant; UNSET is that of the settings. What `add_many` takes,
[MessageFields](#messagefields), what `ask` takes and returns, [Asking](#asking) and
[Answered](#answered), and what `recall` does, [RecallFilters](#recallfilters) and
[Recollection](#recollection), need no import."""


def _class(thing: type) -> str:
    parts = [f"## {thing.__name__}", (inspect.getdoc(thing) or "").replace("<", "\\<")]
    if thing is Settings:
        parts.append("[Settings](settings.md) has them all.")
    else:
        body = _body(thing)
        fields = [ast.unparse(i) for i in body if isinstance(i, ast.AnnAssign | ast.Assign)]
        parts.append(block("text", "\n".join(fields)) if fields else "")
        parts += [
            _method(thing.__name__, item)
            for item in body
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.name[0] != "_"
        ]
    return "\n\n".join(filter(None, parts))


def _body(thing: type) -> list[ast.stmt]:
    """What stands in a class."""
    node = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]
    assert isinstance(node, ast.ClassDef)  # noqa: S101  # public names are classes
    return node.body


def _method(owner: str, item: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    decorators = {ast.unparse(decorator) for decorator in item.decorator_list}
    called = _VARIABLES.get(owner, owner.lower())
    name = f"{owner if 'classmethod' in decorators else called}.{item.name}"
    returns = ast.unparse(item.returns) if item.returns else "None"
    if "property" in decorators:
        signature = f"{name}: {returns}"
    elif "async_opening" in decorators:
        signature = _call(f"async with {name}", item.args) + f" as {called}:"
    else:
        before = "await " if isinstance(item, ast.AsyncFunctionDef) else ""
        signature = _call(before + name, item.args) + f" -> {returns}"
    doc = ast.get_docstring(item) or ""
    return f"### {owner}.{item.name}\n\n{block('text', signature)}\n\n{doc}"


def _call(name: str, arguments: ast.arguments) -> str:
    """A call on one line, or with each parameter on a line of its own."""
    arguments.args = [part for part in arguments.args if part.arg not in {"self", "cls"}]
    text = ast.unparse(arguments)
    for constant, value in _DEFAULTS.items():
        text = text.replace(f"={constant}", f"={value!r}")
    parts = [part.replace("=", " = ", 1) for part in _split(text)]
    line = f"{name}({', '.join(parts)})"
    if len(line) <= MAX_CALL:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), ")"])


_VARIABLES = {"SessionHandle": "session"}
"""How the documentation calls an instance, if not by its class."""
_DEFAULTS = {"DEFAULT_LIMIT": DEFAULT_LIMIT, "Order.DESC": Order.DESC.value}


def _split(arguments: str) -> Iterator[str]:
    """Part arguments at their commas, not at those inside brackets."""
    depth, began = 0, 0
    for place, character in enumerate(arguments):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            yield arguments[began:place].strip()
            began = place + 1
    yield arguments[began:].strip()


def _errors() -> str:
    _, tree = (inspect.getdoc(errors) or "").split("\n\n", 1)
    drawn = tree.split("\n\n", 1)[0]
    exported = ", ".join(
        f"`{name}`"
        for name in recollect.__all__
        if issubclass(getattr(recollect, name), RecollectError)
    )
    text = f"All stand below one root. From `recollect` come {exported},"
    return f"## Errors\n\n{text}\nthe others from `recollect.errors`.\n\n{block('text', drawn)}"


def observability_page() -> str:
    """Every metric, span and log event."""
    metrics = (
        (f"`{one.name}`", str(one.kind), ", ".join(f"`{label}`" for label in one.labels), one.help)
        for one in ALL_METRICS
    )
    return page(
        "Metrics, spans and log events",
        [
            _OBSERVABILITY,
            "## Metrics",
            table(("Metric", "Kind", "Labels", "What it tells"), metrics),
            "## Spans",
            table(("Span", "What it shows"), ((f"`{name}`", text) for name, text in SPANS.items())),
            "## Log events",
            table(("Event", "Meaning"), ((f"`{name}`", text) for name, text in EVENTS.items())),
        ],
    )


_OBSERVABILITY = """\
How to switch all this on is told in [observe](../how-to/observe.md). Counters end in `_total` for
Prometheus; `gauge` is summed over the processes of a server, `latest` the latest of them. No label,
span or event names a user or has what was said, unless `MEMORY_TRACE_USERS` or
`MEMORY_TRACE_CONTENT` ask for that."""


PAGES: dict[str, Callable[[], str]] = {
    "command-line.md": command_line_page,
    "http.md": http_page,
    "observability.md": observability_page,
    "python.md": python_page,
    "settings.md": settings_page,
}


def main() -> None:
    """Write or check the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell if they are up to date")
    is_check = parser.parse_args().check
    for name, make in PAGES.items():
        target, text = TARGET / name, make()
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        if is_check:
            sys.exit(f"docs/reference/{name} is not up to date: run 'make docs'")
        target.write_text(text, encoding="utf-8")
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
