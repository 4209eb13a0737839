from recollect.domain.summary.sentences import in_third_person
from support.tables import for_each


@for_each(
    ("said", "told"),
    [
        ("I want my bill.", "Ann wants Ann's bill."),
        ("Could I have my bill?", "Could Ann have Ann's bill?"),
        ("I'm late and I've lost my keys.", "Ann is late and Ann has lost Ann's keys."),
        ("I'd like to go.", "Ann would like to go."),
        ("I'd left by then.", "Ann had left by then."),
        ("I also think so.", "Ann also thinks so."),
        ("Do you know me?", "Does Bob know Ann?"),
        ("Are you sure you're ready?", "Is Bob sure Bob is ready?"),
        ("you don't try.", "Bob doesn't try."),
        ("Your car is yours.", "Bob's car is Bob's."),
        ("I went home.", "Ann went home."),
    ],
)
def test_i_and_you_become_names(said: str, told: str) -> None:
    assert in_third_person(said, speaker="Ann", listener="Bob") == told


@for_each(
    "said",
    [
        "World War I ended.",
        "The I/O is slow.",
        'She said "I am late".',
        "It was called 'I, Claudius' then.",
        "WHERE i = 1; I",
        "Nobody came.",
    ],
)
def test_pronouns_in_quotations_and_symbols_are_left_unchanged(said: str) -> None:
    assert in_third_person(said, speaker="Ann", listener="Bob") == said


def test_you_stays_where_several_listen() -> None:
    said = in_third_person("I told you.", speaker="Ann", listener=None)
    assert said == "Ann told you."


def test_roles_have_an_article() -> None:
    said = in_third_person("I want you to count.", speaker="user", listener="assistant")
    assert said == "The user wants the assistant to count."


def test_a_name_is_never_taken_for_a_pronoun() -> None:
    assert in_third_person("I see you.", speaker="you and me", listener="I") == "You and me sees I."
