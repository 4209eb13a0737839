from recollect.domain.chat.front_end_texts import without_thoughts
from support.tables import for_each


@for_each(
    ("text", "kept"),
    [
        ("Plain.", "Plain."),
        ("<think>Let me see.</think>Plain.", "Plain."),
        ("<Thinking>a\nb</THINKING>\nPlain.", "\nPlain."),
        ("One <think>x</think>and <think>y</think>two.", "One and two."),
        ('<details type="reasoning" done="true">\nx\n</details>\nYes.', "\nYes."),
        ("<details>kept</details>", "<details>kept</details>"),
        ("a < b <think> never closed", "a < b <think> never closed"),
        ("İ<think>x</think>y", "İy"),
    ],
)
def test_thoughts_are_left_out_and_nothing_else(text: str, kept: str) -> None:
    assert without_thoughts(text) == kept


def test_a_million_thoughts_that_never_end_are_read_once() -> None:
    text = "</think>" + "<think>" * 1_000_000
    assert without_thoughts(text) == text
