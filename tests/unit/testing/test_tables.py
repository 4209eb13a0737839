"""A test with a table fails with each case that fails, and is told which they are."""

import inspect

import pytest

from support.tables import for_each


def _cases(raised: pytest.ExceptionInfo[AssertionError]) -> list[str]:
    lines = str(raised.value).splitlines()
    return [line.removeprefix("case: ") for line in lines if line.startswith("case: ")]


def test_all_cases_are_tried() -> None:
    tried = []

    @for_each(("left", "right"), [(1, 2), (3, 4)])
    def test(left: int, right: int) -> None:
        tried.append((left, right))

    test()

    assert tried == [(1, 2), (3, 4)]


def test_every_case_that_fails_is_reported_whatever_it_fails_with() -> None:
    @for_each("number", [1, 2, 3, 4])
    def test(number: int) -> None:
        assert number != 1
        if number == 2:
            raise KeyError(number)
        if number == 3:
            with pytest.raises(ValueError, match="three"):
                pass

    with pytest.raises(AssertionError, match="3 of 4 cases failed") as raised:
        test()

    assert _cases(raised) == ["number=1", "number=2", "number=3"]
    assert "KeyError: 2" in str(raised.value)
    assert "DID NOT RAISE" in str(raised.value)


async def test_a_coroutine_is_awaited_for_each_case() -> None:
    @for_each("number", [1, 2], ids=["one", "two"])
    async def test(number: int) -> None:
        assert number != 2

    with pytest.raises(AssertionError, match="1 of 2 cases failed") as raised:
        await test()

    assert _cases(raised) == ["two"]


def test_each_case_of_one_table_is_tried_with_each_of_another() -> None:
    tried = []

    @for_each("letter", "ab")
    @for_each("number", [1, 2])
    def test(letter: str, number: int) -> None:
        tried.append(f"{letter}{number}")

    test()

    assert tried == ["a1", "a2", "b1", "b2"]


def test_what_is_not_in_the_table_is_a_fixture() -> None:
    given = []

    @for_each("number", [1, 2])
    def test(number: int, scope: str) -> None:
        given.append((number, scope))

    test(scope="alice")

    assert [*inspect.signature(test).parameters] == ["scope"]
    assert given == [(1, "alice"), (2, "alice")]


def test_a_long_case_is_shown_by_its_beginning() -> None:
    @for_each("text", ["x" * 10_000])
    def test(text: str) -> None:
        assert text == ""

    with pytest.raises(AssertionError) as raised:
        test()

    assert len(_cases(raised)[0]) < 500


def test_a_table_has_cases_of_all_that_the_test_takes_from_it() -> None:
    def test(number: int) -> None:
        pass

    with pytest.raises(AssertionError, match="without a case"):
        for_each("number", [])(test)
    with pytest.raises(AssertionError, match="does not take"):
        for_each("letter", ["a"])(test)
    with pytest.raises(ValueError, match="shorter"):
        for_each(("number", "letter"), [(1,)])(test)
