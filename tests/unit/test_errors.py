import re
from collections.abc import Iterator
from uuid import UUID

from recollect import errors
from recollect.errors import (
    ApiKeyNotFound,
    IdAlreadyUsed,
    InvalidCursor,
    InvalidId,
    InvalidInput,
    MessageNotFound,
    NotFound,
    RecollectError,
    SessionNotFound,
    TurnNotFound,
)
from support.tables import for_each


def drawn_tree() -> dict[str, str]:
    """Each error in the module's drawing, with the one it hangs on."""
    parents: dict[str, str] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        node = re.match(r"^(?P<indent>[│├└─ ]*)(?P<name>[A-Z]\w+)(\s{2,}.*)?$", line)
        if node is None:
            continue
        depth = len(node["indent"]) // 4
        path[depth:] = [node["name"]]
        if depth:
            parents[node["name"]] = path[depth - 1]
    return parents


def actual_tree(root: type[Exception] = RecollectError) -> Iterator[tuple[str, str]]:
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield child.__name__, root.__name__
            yield from actual_tree(child)


def test_the_tree_in_the_docstring_matches_the_error_classes() -> None:
    assert len(drawn_tree()) > 10
    assert drawn_tree() == dict(actual_tree())


def test_every_error_of_the_module_is_below_the_root() -> None:
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    assert defined == {"RecollectError", *dict(actual_tree())}


def test_an_invalid_input_names_the_field_and_the_problem() -> None:
    error = InvalidInput("limit", "must be positive")
    assert str(error) == "limit must be positive"
    assert (error.field, error.problem) == ("limit", "must be positive")


def test_an_invalid_id_and_cursor_are_invalid_inputs() -> None:
    invalid_id = InvalidId("session_id")
    assert (invalid_id.field, invalid_id.problem) == ("session_id", "must be a valid UUID")
    assert InvalidCursor().field == "cursor"


@for_each(
    ("error", "text"),
    [
        (SessionNotFound(UUID(int=1)), "no session 00000000-0000-0000-0000-000000000001"),
        (MessageNotFound(UUID(int=1)), "no message 00000000-0000-0000-0000-000000000001"),
        (TurnNotFound(7), "no turn 7"),
        (ApiKeyNotFound("x"), "no API key x"),
    ],
)
def test_a_not_found_error_names_the_missing_thing(error: NotFound, text: str) -> None:
    assert str(error) == text
    assert text.endswith(str(error.identifier))


def test_the_error_for_a_used_id_says_what_to_do() -> None:
    error = IdAlreadyUsed(UUID(int=1))
    assert error.message_id == UUID(int=1)
    assert "a new message needs a new id" in str(error)
