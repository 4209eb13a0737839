import pytest

from recollect.domain.conversation.message import Visibility
from recollect.permissions.local import access_from
from support.tables import for_each

ALL, SHAPE, HIDDEN = Visibility.ALL, Visibility.SHAPE, Visibility.NOTHING


def test_lists_of_tables_give_access() -> None:
    access = access_from(
        {"tables": ['"Sales".*', "stock.items"], "restricted": ["Sales.customers"], "denied": []}
    )
    assert access.tables == {"sales.*": ALL, "stock.items": ALL, "sales.customers": SHAPE}


def test_without_grants_no_table_is_visible() -> None:
    assert access_from({}).tables == {}


def test_a_table_in_several_lists_is_as_visible_as_the_strictest_says() -> None:
    access = access_from({"denied": ["a.b"], "restricted": ["a.b", "c.d"], "tables": ["c.d", "*"]})
    assert access.tables == {"a.b": HIDDEN, "c.d": SHAPE, "*": ALL}


@for_each(
    ("given", "problem"),
    [
        (None, "should be a valid dictionary"),
        (["a.b"], "should be a valid dictionary"),
        ({"tabels": ["a.b"]}, "tabels: Extra inputs are not permitted"),
        ({"tables": "a.b"}, "tables: Input should be a valid list"),
        ({"tables": [1]}, r"tables\.0: Input should be a valid string"),
        ({"tables": None}, "tables: Input should be a valid list"),
        ({"tables": [""]}, "'' is no table"),
        ({"tables": ["a*"]}, r"'a\*' is no table"),
        ({"tables": ["*.orders"]}, "is no table"),
        ({"restricted": ["a.*.*"]}, "is no table"),
    ],
)
def test_grants_in_another_form_are_refused(given: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        access_from(given)
