"""Only the running words that users write themselves are read for facts."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.facts.reading.own_words.detection import readable_parts
from support.tables import for_each

_PASTED = [
    "> I live in Ghent.",
    "| name | city |",
    "2024-03-02 08:14:11 WARN auth: login failed for Sam",
    "[12:03:44] started by Sam",
    '  File "/srv/sam/run.py", line 3, in main',
    "    at com.example.Main.run(Main.java:12)",
    "Traceback (most recent call last)",
    "SELECT name FROM staff",
    "select name, city from staff where id = 3",
    "Subject: I have moved",
    "Onderwerp: ik ben verhuisd",
    "Betreff: Umzug",
    "id;name;city",
    "3,Sam,Ghent,2019",
    "Sam\tGhent\t2019",
    '{"name": "Sam"}',
    "<p>I live in Ghent</p>",
    "const name = 'Sam';",
    "def greet(name):",
    "$ whoami",
    "// I work at Google",
    "/* I am a teapot */",
    "My mother: I'm retired.",
    "Customer: I live in Hull.",
]


def _own(text: str) -> list[str]:
    return [part.text for part in readable_parts(text)]


@for_each("line", _PASTED)
def test_a_pasted_line_is_not_read(line: str) -> None:
    assert _own(f"What does this mean?\n{line}\nI am a nurse.") == [
        "What does this mean?",
        "I am a nurse.",
    ]


@for_each(
    ("message", "own"),
    [
        ("I live in Ghent.", ["I live in Ghent."]),
        ("Fix it:\n```\nI = 1\n```\nI am a nurse.", ["Fix it:", "I am a nurse."]),
        ("~~~\nnever closed", []),
        ('She wrote "I live in the north of Ghent" and left.', ["She wrote", "and left."]),
        ("Er stand 'ik ben drie weken zwanger'. Echt.", ["Er stand", ". Echt."]),
        ("Je lis « je suis à Lens depuis hier ».", ["Je lis", "."]),
        ("Call me 'Sam', I'm a nurse.", ["Call me 'Sam', I'm a nurse."]),
        ("We call it “the blue folder” here.", ["We call it “the blue folder” here."]),
        ("-- I live in Hull\nSELECT 1;", []),
        ("-- I live in Hull\nI am a nurse.", ["-- I live in Hull", "I am a nurse."]),
        ("Here is the mail:\nI live in Ghent.\nSam", ["Here is the mail:"]),
        ("The list:\nI live in Ghent.\n\nI am a nurse.", ["The list:", "I am a nurse."]),
        ("Vertaal dit: ik woon in Gent. Ik ben arts.", ["Vertaal dit:"]),
        ("Please correct this\nI lives in Ghent.\n\nI am.", ["Please correct this"]),
        ("Note: I live in Ghent.", ["Note: I live in Ghent."]),
        ("From: Sam\nSubject: news\n\nI live in Ghent.\n\nI am.", []),
        ("Subject: news\nI live in Ghent.", ["I live in Ghent."]),
        ("My landlord wrote me this.\nI live in Spain.", ["My landlord wrote me this."]),
        ("Mijn tante stuurde me dit.\nIk woon op Malta.", ["Mijn tante stuurde me dit."]),
        ("Fix this sentence: me live in Ghent.", ["Fix this sentence:"]),
        ("Hoe zeg je ik ben ziek in het Frans? Ik ben arts.", []),
        ("I am a nurse. Translate: I live here.", ["I am a nurse. Translate:"]),
        ("Orders above 5,000 euros need 2 signatures, 4,870 needs one.", None),
        ("I'm 34, Dutch, and a nurse.", None),
    ],
)
def test_what_others_wrote_is_left_out(message: str, own: list[str] | None) -> None:
    assert _own(message) == ([message] if own is None else own)


def test_in_a_long_message_only_its_short_ends_are_read() -> None:
    pasted = "I live in Ghent and I have two sons. " * 60
    assert _own(f"What is this?\n\n{pasted}\n\nI am a nurse.") == ["What is this?", "I am a nurse."]
    assert _own(pasted) == []


_PIECES = st.sampled_from(
    (
        "I am",
        " a nurse",
        '"',
        "“",
        "”",
        "'",
        "```",
        "\n",
        "\n\n",
        ". ",
        "?",
        ": ",
        "> ",
        "translate",
    )
)


@given(st.lists(_PIECES, max_size=30).map("".join) | st.text(max_size=300))
def test_every_part_stands_in_the_message_at_its_place(message: str) -> None:
    end = 0
    for part in readable_parts(message):
        assert part.start >= end
        assert message[part.start : part.end] == part.text == part.text.strip() != ""
        end = part.end
