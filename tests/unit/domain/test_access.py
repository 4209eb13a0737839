from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.permissions import (
    EVERYTHING,
    NOTHING,
    UNKNOWN,
    Access,
    database_of,
    normalised,
)
from support.tables import for_each

ALL, SHAPE, HIDDEN = Visibility.ALL, Visibility.SHAPE, Visibility.NOTHING


@for_each(
    ("name", "expected"),
    [
        ("sales.orders", "sales.orders"),
        (" Sales . Orders ", "sales.orders"),
        ('"Sales"."Orders"', "sales.orders"),
        ("`sales`.`orders`", "sales.orders"),
        ("[db].[dbo].[Orders]", "db.dbo.orders"),
        ('"a ""quoted"" name"', 'a "quoted" name'),
        ("orders", "orders"),
        ("", UNKNOWN),
        ("  ", UNKNOWN),
        ("sales.*", UNKNOWN),
    ],
)
def test_names_of_tables_are_compared_in_one_form(name: str, expected: str) -> None:
    assert normalised(name) == expected


def test_a_table_without_a_database_has_none() -> None:
    assert database_of("sales.orders") == "sales"
    assert database_of("orders") is None


def test_without_a_source_all_is_visible_and_without_permissions_only_text_without_tables() -> None:
    assert EVERYTHING.visibility_of(["hr.salaries", UNKNOWN]) is ALL
    assert NOTHING.visibility_of(["sales.orders"]) is HIDDEN
    assert NOTHING.visibility_of([]) is ALL


def test_of_several_tables_the_least_visible_counts() -> None:
    access = Access(tables={"sales.orders": ALL, "hr.staff": SHAPE})
    assert access.visibility_of(["sales.orders"]) is ALL
    assert access.visibility_of(["sales.orders", "hr.staff"]) is SHAPE
    assert access.visibility_of(["sales.orders", "hr.staff", "hr.pay"]) is HIDDEN


def test_of_several_grants_for_a_table_the_strictest_counts() -> None:
    access = Access(tables={"*": ALL, "hr.*": SHAPE, "hr.pay": HIDDEN, "hr.staff": ALL})
    assert access.visibility_of(["sales.orders"]) is ALL
    assert access.visibility_of(["hr.staff"]) is SHAPE
    assert access.visibility_of(["hr.pay"]) is HIDDEN


def test_an_entry_for_a_database_means_no_other_whose_name_begins_like_it() -> None:
    access = Access(tables={"sales.*": ALL})
    assert access.visibility_of(["sales.orders"]) is ALL
    assert access.visibility_of(["sales2.orders"]) is HIDDEN
    assert access.visibility_of(["sales"]) is HIDDEN


def test_a_table_without_a_database_may_be_the_one_of_any_database() -> None:
    assert Access(tables={"sales.orders": ALL}).visibility_of(["orders"]) is HIDDEN
    assert Access(tables={"orders": ALL}).visibility_of(["orders"]) is ALL
    assert Access(tables={"orders": ALL, "hr.orders": HIDDEN}).visibility_of(["orders"]) is HIDDEN
    assert Access(tables={"*": ALL, "hr.*": SHAPE}).visibility_of(["orders"]) is SHAPE


def test_an_unknown_table_is_visible_only_if_all_tables_are() -> None:
    assert Access(tables={"sales.*": ALL}).visibility_of([UNKNOWN]) is HIDDEN
    assert Access(tables={"*": ALL}).visibility_of([UNKNOWN]) is ALL
    assert Access(tables={"*": ALL, "hr.pay": HIDDEN}).visibility_of([UNKNOWN]) is HIDDEN


def test_requested_databases_restrict_visibility_and_never_extend_it() -> None:
    access = Access(tables={"sales.*": ALL, "stock.items": SHAPE})
    assert access.within(None) is access
    assert access.within(["Stock"]).visibility_of(["sales.orders"]) is HIDDEN
    assert access.within(["Stock"]).visibility_of(["stock.items"]) is SHAPE
    assert access.within(["hr"]).visibility_of(["hr.pay"]) is HIDDEN
    assert access.within(["sales"]).within(["stock"]).visibility_of(["sales.orders"]) is HIDDEN
    assert EVERYTHING.within(["sales"]).visibility_of(["hr.pay"]) is HIDDEN
    assert EVERYTHING.within(["sales"]).visibility_of(["orders"]) is HIDDEN
    assert EVERYTHING.within([]).visibility_of([]) is ALL
