"""Masks in the place of names of people."""

from time import process_time
from uuid import UUID

from recollect.domain.privacy.masking import Masker, MaskingMode, MaskingPolicies, Unmasking
from recollect.domain.privacy.names import KnownNames, names_in
from recollect.domain.text import JsonValue
from recollect.sql_reading import SqlglotReader
from support.listed_names import ListedNames
from support.tables import for_each

KEY = b"k" * 32


def masker(*names: str) -> Masker:
    find = ListedNames(*names).find_here if names else None
    made = MaskingPolicies(key=KEY).masker(UUID(int=1), MaskingMode.MASK, find_names=find)
    assert made is not None
    return made


def mask_of(name: str) -> str:
    return masker(name).text(name)


def names_at(text: str, *spans: tuple[int, int]) -> list[str]:
    return [text[one.start : one.end] for one in names_in(text, spans)]


def test_without_a_finder_names_stay() -> None:
    assert masker().text("Jan de Vries called.") == "Jan de Vries called."


def test_a_name_has_one_mask_however_it_is_written() -> None:
    masked = masker("Jan de Vries", "Jan-de-Vries", "Zoë", "Zoe\u0308").text(
        "Jan de Vries, JAN DE VRIES, jan de vries, Jan-de-Vries, Zoë, Zoe\u0308"
    )

    first, *others, zoe, uncomposed_zoe = masked.split(", ")
    assert first.startswith("[name:")
    assert others == [first] * 3
    assert zoe == uncomposed_zoe != first


def test_a_name_that_is_not_composed_is_masked_with_its_accents_everywhere() -> None:
    text = "Zoe\u0308 asked. Zoe\u0308 knows, and Zoe does not."

    assert names_at(text, (0, 4)) == ["Zoe\u0308", "Zoe\u0308"]


def test_a_name_that_was_found_once_is_masked_wherever_the_text_has_it() -> None:
    text = "Jan de Vries called. Ask JAN DE VRIES; will jan  de vries pay? Jan did."

    assert names_at(text, (0, 12)) == ["Jan de Vries", "JAN DE VRIES", "jan  de vries"]


def test_texts_are_masked_together_as_they_are_one_by_one() -> None:
    names, texts = masker("Jan", "Anna"), ["Jan met Anna", "", "nobody", "anna@acme.nl, Anna"]

    assert names.texts(texts) == [names.text(text) for text in texts]
    assert names.texts([]) == []


def test_a_name_of_one_word_is_another_word_in_another_case() -> None:
    text = "Will asked, and Will paid. Will it do? It will."

    assert names_at(text, (0, 4)) == ["Will", "Will", "Will"]


@for_each(
    ("text", "names"),
    [
        ("<<Jan's>>", ["Jan"]),
        ("<<Jan\u2019s>> order", ["Jan"]),
        ("<<, Jan,>>", ["Jan"]),
        ("<<Jan\nAnna Bos>>", ["Jan", "Anna Bos"]),
        ("<<12 - 3>>", []),
        ("<<J>>", []),
        ("<<José (>>", ["José"]),
    ],
)
def test_a_name_is_what_has_letters_on_one_line(text: str, names: list[str]) -> None:
    start, end = text.index("<<"), text.index(">>") - 2

    assert names_at(text.replace("<<", "").replace(">>", ""), (start, end)) == names


def test_a_short_name_at_the_end_is_found_beside_a_longer_one() -> None:
    known = KnownNames.of(["Jan de Vries", "Anna Bos"])

    assert list(known.spans_in("Not Jan de, but Anna Bos")) == [(16, 24)]


def test_names_that_overlap_are_one() -> None:
    assert names_at("Ask Sanne Bakker now", (0, 9), (4, 16), (10, 16)) == ["Ask Sanne Bakker"]


def test_a_surer_kind_wins_over_a_name_and_the_rest_of_the_name_is_masked() -> None:
    text = "Mail Jan Bos jan.bos@acme.nl or jan.bos@acme.nl"
    masked = masker("Jan Bos jan.bos@acme.nl", "jan", "bos").text(text)

    email = masker().text("jan.bos@acme.nl")
    assert masked == f"Mail {mask_of('Jan Bos')} {email} or {email}"


def test_a_mask_stays_even_where_a_name_is_seen_in_it() -> None:
    names = masker("name", "email", "Jan")
    once = names.text("Jan wrote to jan@acme.nl")

    assert names.text(once) == once
    assert "Jan" not in once


def test_names_in_sql_are_those_in_texts_and_comments_and_not_columns() -> None:
    sql = (
        "SELECT Jordan, \"Jordan\" FROM shop.users WHERE name = 'Jordan' -- for Jordan's\n"
        "OR x LIKE '%Jan de Vries%' /* or jan de vries */ OR n = 'O''Brien' OR m = \"Jan de Vries\""
    )
    jordan, jan, brien = map(mask_of, ("Jordan", "Jan de Vries", "O'Brien"))

    masked = masker("Jordan", "Jan de Vries", "O''Brien").sql(sql)

    assert masked.replace(jordan, "J").replace(jan, "V").replace(brien, "B") == (
        "SELECT Jordan, \"J\" FROM shop.users WHERE name = 'J' -- for J's\n"
        "OR x LIKE '%V%' /* or V */ OR n = 'B' OR m = \"V\""
    )
    assert SqlglotReader().tables_in(masked) == ("shop.users",)
    assert masker("Jordan", "Jan de Vries", "O''Brien").sql(masked) == masked


def test_a_text_in_sql_goes_on_after_a_quote_with_a_backslash() -> None:
    jan, phone = mask_of("Jan"), masker().text("06-12345678")

    assert masker("Jan").sql(r"SELECT 'it\'s Jan or 06-12345678', Jan") == (
        rf"SELECT 'it\'s {jan} or {phone}', Jan"
    )
    assert masker("Jan").sql(r"SELECT 'C:\', Jan, 'Jan'") == rf"SELECT 'C:\', Jan, '{jan}'"


def test_a_known_name_that_the_quotes_of_a_statement_tear_is_masked() -> None:
    masking = masker("O'Brien")
    name = masking.text("O'Brien")
    sql = "WHERE b = 'O'Brien' -- O'Brien"
    masked = masking.sql(sql, known=masking.known_names("Ask O'Brien."))
    assert masked == f"WHERE b = '{name}' -- {name}"


def test_a_column_in_double_quotes_is_not_read_as_a_name() -> None:
    sql = 'SELECT "Jordan" FROM shop.users'

    assert masker("Jordan").sql(sql) == sql


def test_a_key_of_one_word_is_a_name_only_where_a_text_has_it_as_one() -> None:
    names = masker("Jordan", "Anna")
    anna = mask_of("Anna")

    assert names.json({"Jordan": "Paris"}) == {"Jordan": "Paris"}
    assert names.json({"Anna": "ask Anna"}) == {anna: f"ask {anna}"}
    assert names.json({"Anna": 1}, known=KnownNames.of(["Anna"])) == {anna: 1}


def test_names_in_json_are_masked_in_texts_and_keys() -> None:
    given: JsonValue = {"Jan de Vries": ["ask Anna", 5, None], "note": "JAN DE VRIES"}
    jan, anna = mask_of("Jan de Vries"), mask_of("Anna")

    masked = masker("Jan de Vries", "Anna").json(given)

    assert masked == {jan: [f"ask {anna}", 5, None], "note": jan}


def test_the_texts_of_json_are_read_at_once_and_each_once() -> None:
    finder = ListedNames("Jan")
    made = MaskingPolicies(key=KEY).masker(
        UUID(int=1), MaskingMode.MASK, find_names=finder.find_here
    )
    assert made is not None

    made.json([{"name": "Jan"}, {"name": "Jan"}, {"name": "Piet"}])

    assert finder.read == ["Jan", "Piet"]


def test_known_names_are_masked_where_nothing_shows_that_they_are_names() -> None:
    seen = masker("who is jan de vries", "Anna")  # a finder that goes by the whole sentence
    known = KnownNames.of(["Jan de Vries", "Anna"])
    jan = mask_of("Jan de Vries")

    assert seen.json({"user": "jan de vries"}, known=known) == {"user": jan}
    assert seen.sql("SELECT 1 WHERE u = 'JAN DE VRIES'", known=known) == (
        f"SELECT 1 WHERE u = '{jan}'"
    )
    assert seen.known_names("Ask Anna", "or nobody") == KnownNames.of(["Anna"])
    assert masker().known_names("Ask Anna") == KnownNames()


def test_who_names_somebody_gets_the_name_back_as_they_wrote_it() -> None:
    names = masker("Jan de Vries", "Anna")
    stored = names.text("Jan de Vries asked, Anna answered")

    unmasking = Unmasking(names.masks_in("What did jan de vries ask?"))

    assert unmasking.text(stored) == f"jan de vries asked, {mask_of('Anna')} answered"


def test_thousands_of_names_are_looked_for_in_a_long_text_within_a_second() -> None:
    people = [f"Jan Person{number}" for number in range(5000)]
    text = " and ".join(people * 4)
    known = KnownNames.of(people)
    began = process_time()

    found = list(known.spans_in(text))

    assert len(found) == 20_000
    assert process_time() - began < 1  # one name after the other takes a minute


def test_thousands_of_texts_are_searched_for_thousands_of_names_within_a_second() -> None:
    people = [f"Jan Person{number}" for number in range(8000)]
    known = KnownNames.of(people)
    began = process_time()

    found = [[*known.spans_in(person)] for person in people]

    assert all(len(spans) == 1 for spans in found)
    assert process_time() - began < 1  # seven if the list of names is gone through for each text
