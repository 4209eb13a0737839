"""Write src/recollect/blocking.py, the blocking twin of Memory and the handles it returns.

Run without arguments it writes the file, with --check it fails if the file is not up to date.
"""

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "recollect"
TARGET = PACKAGE / "blocking.py"
TWINS = frozenset({"SessionHandle", "History", "Profile", "Facts", "Memory"})

HEADER = '''"""The blocking twin of `recollect.Memory`: the same methods, without async.

Written by tools/generate_blocking.py from memory.py and the handles that it returns.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO, Self, Unpack
from uuid import UUID

from anyio.from_thread import start_blocking_portal

from recollect import memory
from recollect.handles import facts, profile, session
from recollect.inputs import Asking, Details, FactFilters, MessageFields, RecallFilters
from recollect.domain.context.context import Context
from recollect.domain.followup.dialogue import Rewrite
from recollect.domain.chat.answers import Answered
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.paging import DEFAULT_LIMIT, Order, Page, SessionSort
from recollect.domain.facts.fact import Fact, FactRecord, FactType
from recollect.domain.facts.query import FactSort, FoundFact
from recollect.domain.facts.transfer import ImportReport
from recollect.domain.profile.profile import ProfileItem
from recollect.domain.recall.entry import DEFAULT_RECALLED, Recollection
from recollect.domain.identity.scope import UNSET, GivenTenant
from recollect.domain.conversation.session import Session
from recollect.domain.identity.accounts import UserState
from recollect.domain.tenants.settings import TenantReport
from recollect.domain.text import JsonObject, JsonValue
from recollect.domain.transfer.document import ExportFormat, TransferReport
from recollect.opening import OpenPortal, opening
from recollect.permissions.local import PermissionFunction
from recollect.domain.facts.stored import FactStats
from recollect.ports.telemetry import Telemetry
from recollect.settings import Settings
'''

CLASS = '''

class {name}:
    """{doc}"""

    def __init__(self, portal: OpenPortal, inner: {module}.{name}) -> None:
        self._portal = portal
        self._inner = inner
'''

PROPERTY = '''
    @property
    def {name}(self) -> {returns}:
        """{doc}"""
        return self._inner.{name}
'''

METHOD = '''
    def {name}({arguments}) -> {returns}:
        """{doc}"""
        {statement}
'''

STREAM = '''
    def {name}({arguments}) -> {returns}:
        """{doc}"""
        pieces = self._inner.{call}
        try:
            while True:
                yield self._portal.call(pieces.__anext__)
        except StopAsyncIteration:
            return
        finally:
            self._portal.call(pieces.aclose)
'''

OPENER = '''
    @classmethod
    @opening
    def {name}({arguments}) -> Iterator[Self]:
        """{doc}"""
        with (
            start_blocking_portal() as portal,
            portal.wrap_async_context_manager(memory.Memory.{call}) as inner,
            OpenPortal(portal, "{name}") as opened,
        ):
            yield cls(opened, inner)
'''


def generate() -> str:
    """The text of the twin."""
    parts = [HEADER]
    for path in ("handles/session.py", "handles/profile.py", "handles/facts.py", "memory.py"):
        tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name in TWINS:
                parts.extend(_class(Path(path).stem, node))
    return _formatted("".join(parts))


def _class(module: str, node: ast.ClassDef) -> Iterator[str]:
    doc = (ast.get_docstring(node, clean=False) or "").replace("async with", "with")
    yield CLASS.format(name=node.name, doc=doc, module=module)
    for item in node.body:
        if not isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if item.name.startswith("_"):
            continue
        decorators = {ast.unparse(decorator) for decorator in item.decorator_list}
        if "async_opening" in decorators:
            yield OPENER.format(**_parts(item))
        elif "property" in decorators:
            yield PROPERTY.format(**_parts(item))
        elif "AsyncGenerator" in _parts(item)["returns"]:
            yield STREAM.format(**_blocking(_parts(item)))
        else:
            yield METHOD.format(**_parts(item), statement=_statement(item))


def _parts(item: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, str]:
    return {
        "name": item.name,
        "arguments": ast.unparse(item.args),
        "returns": ast.unparse(item.returns) if item.returns else "None",
        "doc": ast.get_docstring(item, clean=False) or "",
        "call": f"{item.name}({_handed_on(item)})",
    }


def _blocking(parts: dict[str, str]) -> dict[str, str]:
    """The parts of an async generator's twin, which is a generator."""
    returns = parts["returns"].replace("AsyncGenerator", "Generator")
    return {**parts, "returns": returns.replace(", None]", ", None, None]")}


def _statement(item: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    bound = f"partial(self._inner.{item.name}, {_handed_on(item)})"
    call = f"self._portal.call({bound})"
    if isinstance(item, ast.FunctionDef):  # it only makes a twin, which waits for nothing
        call = f"self._inner.{item.name}({_handed_on(item)})"
    match ast.unparse(item.returns) if item.returns else "None":
        case "None":
            return call
        case str() as name if name in TWINS:
            return f"return {name}(self._portal, {call})"
        case _:
            return f"return {call}"


def _handed_on(item: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The arguments as they are passed to the async method."""
    given = [argument.arg for argument in item.args.args if argument.arg not in {"self", "cls"}]
    given += [f"{argument.arg}={argument.arg}" for argument in item.args.kwonlyargs]
    if item.args.kwarg:
        given.append(f"**{item.args.kwarg.arg}")
    return ", ".join(given)


def _formatted(text: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    name = ["--stdin-filename", str(TARGET)]
    sorted_text = subprocess.run(  # noqa: S603  # our own tool on our own text
        [*ruff, "check", "--quiet", "--fix", "--exit-zero", *name, "-"],
        input=text, text=True, check=True, capture_output=True,
    ).stdout  # fmt: skip
    return subprocess.run(  # noqa: S603  # as above
        [*ruff, "format", "--quiet", *name, "-"],
        input=sorted_text, text=True, check=True, capture_output=True,
    ).stdout  # fmt: skip


def main() -> None:
    """Write or check the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell whether it is up to date")
    is_check = parser.parse_args().check
    text = generate()
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return
    if is_check:
        sys.exit("src/recollect/blocking.py is not up to date: run 'make format'")
    TARGET.write_text(text, encoding="utf-8")
    print(f"wrote {TARGET.name}")


if __name__ == "__main__":
    main()
