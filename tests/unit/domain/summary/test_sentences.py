from recollect.domain.summary.sentences import split_sentences
from support.tables import for_each


@for_each(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Mr. Adams paid 2.5 million to J. Smith.", ["Mr. Adams paid 2.5 million to J. Smith."]),
        ("Dat is bijv. zo. Dhr. Jansen belt.", ["Dat is bijv. zo.", "Dhr. Jansen belt."]),
        ("Sales of db.sales.orders fell.", ["Sales of db.sales.orders fell."]),
        ("It costs $ 2. 50 today.", ["It costs $ 2. 50 today."]),
        ("1. Acme: 10\n2. Globex: 5", ["Acme: 10", "Globex: 5"]),
        ("- first\n- second", ["first", "second"]),
        ("他来了。你好吗？", ["他来了。", "你好吗？"]),  # noqa: RUF001  # full width on purpose
        ("Here:\n```sql\nSELECT a.\nFROM b\n```\nDone.", ["Here:", "SELECT a. FROM b", "Done."]),
        ("```\nSELECT 1", ["SELECT 1"]),
        ("Am 12. September geht es los. Gut.", ["Am 12. September geht es los.", "Gut."]),
        ("It is 12. Maybe more.", ["It is 12.", "Maybe more."]),
        ("So I did. I left.", ["So I did.", "I left."]),
        (" … !! \n\n --- ", []),
        ("", []),
    ],
)
def test_text_is_cut_where_sentences_end(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences
