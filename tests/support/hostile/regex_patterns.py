"""Every regular expression of the package, and texts that are made to be slow for each of them."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _constants as ops  # type: ignore[attr-defined]  # the parser has no public name
from re import _parser as parser  # type: ignore[attr-defined]
from types import CellType, FunctionType, ModuleType
from typing import Any, TypeAlias

import recollect
from support.effort import sample

METHODS = ("search", "match", "fullmatch", "sub", "finditer", "split")
_WAYS = {"findall": "finditer", "subn": "sub"}
_USES_PATTERNS = re.compile(
    rf"\.(?:{'|'.join((*METHODS, *_WAYS))})\b|\b(?:import|from) +(?:re|regex)\b"
)
"""What a module has in its text that compiles patterns or uses them."""
_Node: TypeAlias = tuple[Any, Any]
_Text: TypeAlias = tuple[str, str, str]
_SOURCE = Path(recollect.__file__).parent
_POOL = "aZé0_ \n\t.-'\",:;<>/\\()[]{}|*#`=?!&@$%\u2019\u00a0\u0301\u4e2d"
_LONG_REPEAT = 100
"""Repeats bounded by less than this are constants, not growth."""
_GENERAL = (
    *("\n", " ", "\t", "-", "<", "(", ")", "`", "*", "#", "|", ",", '"', "'", "a", "A", "0", "\0"),
    *(
        "a.",
        "a ",
        "a\n",
        "0.",
        "> ",
        "<a",
        "a\u0301",
        "e\u0301\u0323",
        "\u4e2d",
        "]",
        "[",
        "{",
        "/",
    ),
)
_ENDS = ("\0", "x!", "\nx")
_GENERAL_ENDS = sample(("", "\0"), of=("\0",))
_PUMPS = "a0_ \n\xa0.-"
"""Tried in every repeat that takes them, beside the pattern's own marks."""


@dataclass(frozen=True, slots=True)
class Found:
    """A compiled pattern and where the package keeps it."""

    place: str
    pattern: re.Pattern[str]
    ways: tuple[str, ...]
    """The methods by which it is used; all of them where that cannot be told."""


def modules() -> list[ModuleType]:
    """All modules of the package, imported."""
    names = (info.name for info in pkgutil.walk_packages(recollect.__path__, "recollect."))
    return [importlib.import_module(name) for name in names if is_importable(name)]


def is_importable(name: str) -> bool:
    """Whether a module may be imported by itself: programs run then, migrations want a database."""
    return not name.endswith("__main__") and ".migrations" not in name


@cache
def patterns() -> tuple[Found, ...]:
    """All compiled patterns that modules keep: in globals, containers, objects and closures."""
    used = _used_ways()
    found: list[Found] = []
    for module in modules():
        for name, value in vars(module).items():
            for path, pattern in _inside(value, name, set()):
                last = path.rpartition(".")[2]
                ways = used.get((module.__name__, last)) or used.get(("", last)) or METHODS
                place = f"{module.__name__}.{path}"
                found.append(Found(place, pattern, tuple(sorted(ways))))
    return tuple(found)


def distinct(found: Iterable[Found]) -> list[Found]:
    """The same without those that are equal to another one and used in the same ways."""
    by_use = {(f.pattern.pattern, f.pattern.flags, f.ways): f for f in found}
    return sorted(by_use.values(), key=lambda one: one.place)


def _inside(value: object, path: str, seen: set[int]) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield path, value
        return
    if id(value) in seen or isinstance(value, (str, bytes, int, float, ModuleType)):
        return
    seen.add(id(value))
    for name, part in _parts(value):
        yield from _inside(part, f"{path}.{name}", seen)


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        yield from ((f"[{key}]", part) for key, part in value.items())
    elif isinstance(value, (tuple, list, set, frozenset)):
        yield from ((f"[{place}]", part) for place, part in enumerate(value))
    elif isinstance(value, FunctionType):
        cells = (cell for cell in value.__closure__ or ())
        yield from ((f"closure{n}", c.cell_contents) for n, c in enumerate(cells) if _is_set(c))
        yield from ((f"default{n}", d) for n, d in enumerate(value.__defaults__ or ()))
    elif str(getattr(value, "__module__", "")).startswith("recollect"):
        names = [*getattr(value, "__dict__", ()), *_slots(value)]
        yield from ((name, getattr(value, name, None)) for name in names if name[:2] != "__")


def _is_set(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018  # raises where it is empty
    except ValueError:
        return False
    return True


def _slots(value: object) -> Iterator[str]:
    for one in type(value).__mro__:
        slots = one.__dict__.get("__slots__", ())
        yield from [slots] if isinstance(slots, str) else slots


def _used_ways() -> dict[tuple[str, str], set[str]]:
    """By module and name, or by the name of an attribute alone: which methods are called on it."""
    used: dict[tuple[str, str], set[str]] = {}
    for module, tree in source_trees():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute):
                continue
            way = _WAYS.get(node.attr, node.attr)
            if way not in METHODS:
                continue
            if isinstance(node.value, ast.Name):
                used.setdefault((module, node.value.id), set()).add(way)
            elif isinstance(node.value, ast.Attribute):
                used.setdefault(("", node.value.attr), set()).add(way)
    return used


@cache
def source_trees() -> tuple[tuple[str, ast.Module], ...]:
    """The name and the syntax tree of each module that compiles patterns or uses them."""
    texts = ((path, path.read_text()) for path in sorted(_SOURCE.rglob("*.py")))
    return tuple(
        (_module_name(path), ast.parse(text)) for path, text in texts if _USES_PATTERNS.search(text)
    )


def _module_name(path: Path) -> str:
    name = ".".join(("recollect", *path.relative_to(_SOURCE).with_suffix("").parts))
    return name.removesuffix(".__init__")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of `re` in the source."""

    place: str
    function: str
    is_at_import: bool
    """Whether it stands outside every function."""


@cache
def calls_of_re() -> tuple[Call, ...]:
    """All calls of functions of `re`, by whatever name it was imported."""
    return tuple(call for module, tree in source_trees() for call in _calls(module, tree))


def _calls(module: str, tree: ast.Module) -> Iterator[Call]:
    imported = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {
        alias.asname or alias.name
        for node in imported
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in {"re", "regex"}
    }
    for node in imported:
        if isinstance(node, ast.ImportFrom) and node.module in {"re", "regex"}:
            for alias in node.names:
                yield Call(place=module, function=f"import {alias.name}", is_at_import=True)
    inner = _inner_functions(tree) if names else {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id in names:
                place = f"{module}.{inner.get(node, '')}".rstrip(".")
                yield Call(place, node.func.attr, node not in inner)


def _inner_functions(tree: ast.Module) -> dict[ast.AST, str]:
    """For each node inside a function, the name of the outermost one."""
    inner: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node in inner:
                continue
            for part in (p for statement in node.body for p in ast.walk(statement)):
                inner[part] = node.name
    return inner


def calls_with(found: Found) -> Iterator[tuple[str, Callable[[str], object]]]:
    """The calls by which a pattern is used."""
    for way in found.ways:
        method = getattr(found.pattern, way)
        if way == "sub":
            yield way, lambda text, method=method: method("", text)
        elif way == "finditer":
            yield way, lambda text, method=method: sum(1 for _ in method(text))
        else:
            yield way, method


def hostile_texts(pattern: re.Pattern[str]) -> dict[str, Callable[[int], str]]:
    """Texts of any length that ask much of this pattern, by what they are made of."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    made: dict[str, Callable[[int], str]] = {}
    pumps = {*_PUMPS, *(c for c in _literals(list(tree)) if not c.isalpha())}
    texts = (*_of_repeats(list(tree), pumps), *_of_all_patterns(list(tree)))
    for start, pump, end in dict.fromkeys(texts):
        name = f"{start!r} + {pump!r} * n + {end!r}"
        made[name] = lambda n, s=start, p=pump, e=end: s + (p * (n // len(p) + 1))[:n] + e
    return made


def _of_all_patterns(tree: list[_Node]) -> Iterator[_Text]:
    pumps = {*_GENERAL, *(c for c in _literals(tree) if c)}
    whole = _sample(tree)
    if whole:
        pumps |= {whole, f"{whole} ", f"{whole}\n"}
    for pump in pumps:
        yield from (("", pump, end) for end in _GENERAL_ENDS)


def _of_repeats(tree: list[_Node], pumps: set[str], before: str = "") -> Iterator[_Text]:
    """For each long repeat: what leads to it, its body again and again, and what ends it badly."""
    lead = before
    for op, argument in tree:
        if op in {ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT}:
            _, most, body = argument
            if most is ops.MAXREPEAT or most >= _LONG_REPEAT:
                for pump in _bodies(list(body), pumps):
                    yield from ((start, pump, end) for start in {"", lead} for end in _ENDS)
                    yield "", lead + pump, ""
                    yield lead + pump * 40, lead or pump, "\0"
        for part in _children((op, argument)):
            yield from _of_repeats(part, pumps, lead)
        lead += _sample([(op, argument)])


def _bodies(body: list[_Node], pumps: set[str]) -> set[str]:
    fitting = {c for c in pumps if len(body) == 1 and _fits(body[0], c)}
    return fitting or {_sample(body)} - {""}


def _children(node: _Node) -> list[list[_Node]]:
    op, argument = node
    if op in {ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT}:
        return [list(argument[2])]
    if op is ops.SUBPATTERN:
        return [list(argument[3])]
    if op is ops.ATOMIC_GROUP:
        return [list(argument)]
    if op is ops.BRANCH:
        return [list(branch) for branch in argument[1]]
    if op in {ops.ASSERT, ops.ASSERT_NOT}:
        return [list(argument[1])]
    return []


def _literals(tree: Iterable[_Node]) -> set[str]:
    found: set[str] = set()
    for op, argument in tree:
        if op in {ops.LITERAL, ops.NOT_LITERAL}:
            found.add(chr(argument))
        elif op is ops.IN:
            found |= {chr(value) for kind, value in argument if kind is ops.LITERAL}
        for part in _children((op, argument)):
            found |= _literals(part)
    return found


def _sample(tree: list[_Node]) -> str:
    """A short text that the expression is likely to match."""
    text = ""
    for op, argument in tree:
        if op in {ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT}:
            text += _sample(list(argument[2])) * max(argument[0], 1)
        elif op in {ops.LITERAL, ops.IN, ops.ANY, ops.NOT_LITERAL}:
            node = (op, argument)
            known = (*sorted(_literals([node])), *_POOL)
            text += next((character for character in known if _fits(node, character)), "")
        elif (parts := _children((op, argument))) and op is not ops.ASSERT_NOT:
            text += max((_sample(part) for part in parts), key=len)
    return text


def _fits(node: _Node, character: str) -> bool:
    op, argument = node
    if op is ops.ANY:
        return True
    if op is ops.LITERAL:
        return chr(argument) == character
    if op is ops.NOT_LITERAL:
        return chr(argument) != character
    if op is not ops.IN:
        return False
    is_negated = any(kind is ops.NEGATE for kind, _ in argument)
    return is_negated != any(_is_of(member, character) for member in argument)


def _is_of(member: _Node, character: str) -> bool:
    kind, value = member
    if kind is ops.LITERAL:
        return chr(value) == character
    if kind is ops.RANGE:
        return value[0] <= ord(character) <= value[1]
    if kind is ops.CATEGORY:
        name = str(value).rpartition("_")[2].lower()
        pattern = {"digit": r"\d", "space": r"\s", "word": r"\w"}[name]
        is_not = "_NOT_" in str(value)
        return is_not != bool(re.fullmatch(pattern, character))
    return False
