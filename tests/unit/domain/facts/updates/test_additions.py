"""One more of what users have."""

from recollect.domain.facts.updates.additions import adds_one_more
from support.tables import for_each


@for_each(
    ("content", "is_one_more"),
    [
        ("We just had our third, Nina.", True),
        ("We got a second dog.", True),
        ("We verwachten nog een kind.", True),
        ("Wir bekommen noch ein Kind.", True),
        ("Nous attendons un autre enfant.", True),
        ("Esperamos otra hija.", True),
        ("I have three kids now.", False),
        ("My second wife is Bea.", False),
        ("I drive a Volvo now.", False),
        ("", False),
    ],
)
def test_another_one_is_told_by_getting_it(content: str, *, is_one_more: bool) -> None:
    assert adds_one_more(content) is is_one_more
