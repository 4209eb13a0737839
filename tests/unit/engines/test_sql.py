"""Statements with named parameters, as they are read from files and handed to the driver."""

import pytest

from recollect.engines.postgres.sql import Statement, parse, statement, statements
from support.tables import for_each


def read(text: str) -> Statement:
    ((name, one),) = parse(f"-- name: tried\n-- A statement.\n{text}\n")
    assert name == "tried"
    return one


@for_each(
    ("text", "numbered", "parameters"),
    [
        ("SELECT 1", "SELECT 1", ()),
        ("SELECT :b, :a, :b", "SELECT $1, $2, $1", ("b", "a")),
        ("SELECT :ids::uuid[], '1'::int", "SELECT $1::uuid[], '1'::int", ("ids",)),
        ("SELECT ':no', 'it''s :no', :yes", "SELECT ':no', 'it''s :no', $1", ("yes",)),
        (r"SELECT E'it\'s :no', :yes", r"SELECT E'it\'s :no', $1", ("yes",)),
        ('SELECT ":no", :yes', 'SELECT ":no", $1', ("yes",)),
        (
            "SELECT $$ :no $$, $a$ :no $$ $a$, :yes",
            "SELECT $$ :no $$, $a$ :no $$ $a$, $1",
            ("yes",),
        ),
        ("SELECT :yes -- or :no's", "SELECT $1 -- or :no's", ("yes",)),
        ("SELECT /* :no */ :yes", "SELECT /* :no */ $1", ("yes",)),
        ("f(a := :yes, b => 1)", "f(a := $1, b => 1)", ("yes",)),
        ("SELECT a[1:2], a[1 : n]", "SELECT a[1:2], a[1 : n]", ()),
    ],
)
def test_parameters_are_numbered_in_the_order_of_their_first_use(
    text: str, numbered: str, parameters: tuple[str, ...]
) -> None:
    assert read(text) == Statement(numbered, parameters, "A statement.")


def test_a_file_holds_several_statements_each_with_its_purpose() -> None:
    script = (
        "-- Accounts.\n\n-- name: one\n-- The first\n-- of two.\nSELECT :a\n\n"
        "-- name: two\n-- The second.\n-- :a is no parameter here.\nSELECT :b -- last\n"
    )
    assert dict(parse(script)) == {
        "one": Statement("SELECT $1", ("a",), "The first of two."),
        "two": Statement("SELECT $1 -- last", ("b",), "The second. :a is no parameter here."),
    }


def test_arguments_follow_the_text_in_their_order() -> None:
    text, *arguments = statement("list_audit", limit=5, owner_id="me")
    assert text == statements()["list_audit"].text
    assert arguments == ["me", 5]


def test_a_missing_parameter_is_named() -> None:
    with pytest.raises(TypeError, match="list_audit needs the parameter 'limit'"):
        statement("list_audit", owner_id="me")


def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(TypeError, match="list_audit has no parameter before"):
        statement("list_audit", owner_id="me", limit=5, before=None)


def test_an_unknown_statement_is_named() -> None:
    with pytest.raises(LookupError, match="list_nothing"):
        statement("list_nothing")
