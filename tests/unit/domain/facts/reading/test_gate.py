"""What users say about themselves may be stored; what only looks like it may not."""

import tomllib
from dataclasses import replace
from pathlib import Path
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.facts.fact import MAX_QUOTE, FactSource
from recollect.domain.facts.reading.gate import Refusal, only_asks, refuses
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Statement
from recollect.domain.speech.phrases import LANGUAGES
from support.tables import for_each

_DATA = Path(__file__).parent / "data"
_TABLES = {code: tomllib.loads((_DATA / f"{code}.toml").read_text("utf-8")) for code in LANGUAGES}


def _statement(quote: str, **changes: str) -> Statement:
    operation = Operation(changes.get("operation", "add"))
    content = changes.get("content", quote)
    return Statement(
        message_id=UUID(int=1), quote=quote, content=content, slot=Slot.OTHER, operation=operation
    )


def _refusal(line: str) -> Refusal | None:
    """The gate's answer to a line that has its quote in brackets."""
    before, rest = line.split("[", 1)
    quote, after = rest.split("]", 1)
    return refuses(_statement(quote), before + quote + after)


_PASSING = [line for table in _TABLES.values() for line in table["passing"].strip().splitlines()]
_REFUSED = [
    (reason, line)
    for table in _TABLES.values()
    for reason, lines in table["refused"].items()
    for line in lines.strip().splitlines()
]


@for_each("line", _PASSING)
def test_what_a_user_says_about_themselves_may_be_stored(line: str) -> None:
    assert _refusal(line) is None


@for_each(("reason", "line"), _REFUSED)
def test_what_only_looks_like_a_fact_is_refused(reason: str, line: str) -> None:
    assert _refusal(line) == reason


@for_each(
    "message",
    [
        "hoteles Ibiza agosto",
        "bladmuziek saxofoon gratis",
        "goedkope vluchten Lissabon mei",
        "vegan restaurants Rotterdam",
        "Ferienwohnung Ostsee Hund",
    ],
)
def test_what_people_type_into_a_search_is_no_fact_unless_they_were_asked(message: str) -> None:
    found = replace(_statement(message), source=FactSource.EXTRACTED)
    assert refuses(found, message) is Refusal.FRAGMENT
    assert refuses(found, message, reply="Sure.") is Refusal.FRAGMENT
    assert refuses(found, message, reply="What are you looking for?") is None


@for_each(
    ("message", "slot"),
    [
        ("Emma plays violin.", Slot.OTHER),
        ("Lena spielt Geige.", Slot.OTHER),
        ("Tenemos tres hijos", Slot.FAMILY),
        ("Prefer window seats", Slot.OTHER),
        ("prefer metric units", Slot.UNIT),
        ("Spreek vloeiend Duits", Slot.LANGUAGE),
        ("Severe nut allergy", Slot.ALLERGY),
        ("severe nut allergy", Slot.ALLERGY),
        ("Type 2 diabetes", Slot.HEALTH),
        ("Tomo café molido", Slot.OTHER),
        ("Hond heet Rex", Slot.PET),
    ],
)
def test_a_short_statement_is_no_search(message: str, slot: Slot) -> None:
    found = replace(_statement(message), source=FactSource.EXTRACTED, slot=slot)
    assert refuses(found, message) is None


@for_each("quote", ["I live in ghent", "", "  "])
def test_a_quote_that_the_message_does_not_have_is_refused(quote: str) -> None:
    assert refuses(_statement(quote), "I live in Ghent.") is Refusal.NOT_VERBATIM


def test_a_secret_in_the_content_is_refused_although_the_quote_has_none() -> None:
    statement = _statement("my card", content="Has the card 4111 1111 1111 1111.")
    assert refuses(statement, "Pay with my card, please.") is Refusal.SECRET


def test_the_rest_of_a_message_with_a_secret_may_be_stored() -> None:
    message = "My wifi password is Merluza_2024#, and I live in Lugo."
    assert refuses(_statement("I live in Lugo"), message) is None
    assert refuses(_statement("Merluza_2024#"), message) is Refusal.SECRET


def test_what_memory_has_wrong_may_be_withdrawn_in_its_own_words() -> None:
    message = "You said that I live in Delft, that is wrong."
    quote = "I live in Delft"
    assert refuses(_statement(quote), message) is Refusal.RECALLED
    assert refuses(_statement(quote, operation="retract"), message) is None


@for_each(
    ("message", "quote"),
    [
        ("Don't forget where I live.", "where I live"),
        ("Vergeet niet waar ik woon!", "waar ik woon"),
        ("Vergeet mijn naam niet.", "mijn naam"),
        ("Vergiss nicht, wo ich wohne.", "wo ich wohne"),
        ("Vergiss meinen Namen nicht.", "meinen Namen"),
        ("N'oublie pas où j'habite.", "où j'habite"),
        ("No olvides dónde vivo.", "dónde vivo"),
        ("How can you forget my name!", "forget my name"),
        ("Hoe kun je mijn naam vergeten!", "mijn naam vergeten"),
    ],
)
def test_what_is_not_to_be_forgotten_is_not_withdrawn(message: str, quote: str) -> None:
    assert refuses(_statement(quote, operation="retract"), message) is Refusal.KEPT


def test_what_is_not_to_be_forgotten_is_not_told_either() -> None:
    message = "Please don't forget my name."
    assert refuses(_statement("don't forget my name"), message) is Refusal.KEPT
    assert refuses(_statement("I ski"), "Don't forget my name, I ski.") is None


@for_each(
    ("message", "quote"),
    [
        ("Forget where I live.", "where I live"),
        ("Forget that I'm not vegan.", "I'm not vegan"),
        ("Could you forget that I smoke?", "I smoke"),
        ("Vergeet dat ik niet rook.", "ik niet rook"),
        ("Je veux que tu oublies que je fume.", "je fume"),
    ],
)
def test_what_is_to_be_forgotten_is_withdrawn_by_its_command_alone(
    message: str, quote: str
) -> None:
    found = _statement(quote, operation="retract")
    assert refuses(replace(found, source=FactSource.STATED), message) is None
    assert refuses(found, message) is Refusal.COMMAND


@for_each(
    ("message", "quote"),
    [
        ("Vergeet mijn vrouw niet te vermelden", "Vergeet mijn vrouw niet te vermelden"),
        ("Vergeet mijn naam niet te vermelden in de brief.", "mijn naam"),
        ("Vergeet mijn vrouw", "Vergeet mijn vrouw"),
        ("Hoi, onthoud mijn vrouw Ann", "onthoud mijn vrouw Ann"),
        ("Please remember me as Tom", "me as Tom"),
        ("Vergiss meine Frau beim Einkaufen", "meine Frau"),
        ("Oublie ma femme", "ma femme"),
        ("Olvida mi coche rojo", "mi coche rojo"),
    ],
)
@for_each("operation", Operation)
def test_a_sentence_that_begins_as_a_command_is_no_statement(
    message: str, quote: str, operation: Operation
) -> None:
    assert refuses(_statement(quote, operation=operation), message) is Refusal.COMMAND


@for_each(
    ("message", "quote"),
    [
        ("Forget it, I live in Hull.", "I live in Hull"),
        ("Please note I live in Hull.", "I live in Hull"),
        ("I live in Hull, remember that.", "I live in Hull"),
        ("Onthoud dit. Ik woon in Aalst.", "Ik woon in Aalst"),
        ("I forget names easily.", "I forget names easily"),
        ("Notes are how I learn.", "Notes are how I learn"),
    ],
)
def test_what_is_said_beside_a_command_may_be_stored(message: str, quote: str) -> None:
    assert refuses(_statement(quote), message) is None


def test_the_users_own_words_count_where_a_quotation_has_them_too() -> None:
    message = 'The form says "I live in Ghent and pay tax". And it is true: I live in Ghent.'
    assert refuses(_statement("I live in Ghent"), message) is None


_PIECES = st.sampled_from(
    ("I live in Ghent", "if", "you said", "```", '"', "\n", ": ", "? ", ". ", ", ", "> ", "¿", "é")
)


@given(st.lists(_PIECES, max_size=20).map("".join) | st.text(max_size=200), st.data())
def test_any_quote_of_any_message_gets_an_answer(message: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(message)))
    quote = message[start : start + data.draw(st.integers(0, MAX_QUOTE))]
    refusal = refuses(_statement(quote), message)
    assert refusal is None or refusal in set(Refusal)


@for_each(
    ("quote", "reply", "refusal"),
    [
        ("So 318", "There are 318 open orders.", Refusal.ECHO),
        ("that 3.1 is wrong for us", "The mean is 3.1 days.", Refusal.ECHO),
        ("we are 12 people", "There are 318 open orders.", None),
        ("35", "Are you 34 or 35?", None),
        ("I live in Ghent", "There are 318 open orders.", None),
    ],
)
def test_figures_of_the_reply_before_are_no_facts(
    quote: str, reply: str, refusal: Refusal | None
) -> None:
    assert refuses(_statement(quote), f"{quote}.", reply=reply) is refusal


@for_each(
    ("reply", "earlier", "refusal"),
    [
        ("Do you work in Ghent too?", "I live in Ghent.", Refusal.FRAGMENT),
        ("Do you live in Ghent?", "Please fill in my form.", None),
        ("Okay.", "I live in Ghent.", Refusal.FRAGMENT),
    ],
)
def test_a_short_answer_tells_nothing_of_what_was_told_before_the_question(
    reply: str, earlier: str, refusal: Refusal | None
) -> None:
    statement = replace(_statement("No, in Bruges"), slot=Slot.HOME)
    assert refuses(statement, "No, in Bruges.", reply=reply, earlier=earlier) is refusal


@for_each("message", ["What about 2015?", "¿Cuánto cuesta el envío?", " Wie spät? "])
def test_one_question_without_the_user_in_it_only_asks(message: str) -> None:
    assert only_asks(message)


@for_each(
    "message",
    [
        "Show sales by month",
        "Wo kann ich parken?",
        "Mido 1,98, ¿qué asiento cojo?",
        "Pregnant. What may one eat?",
        "As a nurse, what is there to know?",
        "",
        "what " * 100 + "?",
    ],
)
def test_what_may_state_something_does_not_only_ask(message: str) -> None:
    assert not only_asks(message)


@for_each(
    ("text", "is_name"),
    [
        ("Call me when you are ready.", False),
        ("Call me when I am ready.", False),
        ("Bel me als je klaar bent.", False),
        ("call me jan", True),
        ("hoi ik ben jan de bakker", True),
        ("my first name is jan", True),
        ("hola a todos me llamo juan", True),
        ("You can call me Jan.", True),
        ("Emma here!", True),
        ("Call me Emma.", True),
    ],
)
def test_a_name_is_stored_only_where_one_is_told(text: str, *, is_name: bool) -> None:
    statement = replace(_statement(text), slot=Slot.NAME)
    assert refuses(statement, text) == (None if is_name else Refusal.NO_NAME)


@for_each(
    ("reply", "message"),
    [
        ("Where do you work?", "I'm at Google"),
        ("Waar woon je?", "Ik ben in Gent"),
        ("Wo arbeitest du?", "Ich bin bei Siemens"),
        ("Où habitez-vous ?", "Je suis à Paris"),
        ("¿Dónde trabajas?", "Estoy en Telefónica"),
    ],
)
def test_where_users_are_answers_where_they_live_or_work(reply: str, message: str) -> None:
    assert refuses(_statement(message), message, reply=reply) is None
    assert refuses(_statement(message), message, reply="How can I help?") is Refusal.PASSING


def test_where_users_are_is_stored_if_they_ask_for_it() -> None:
    statement = replace(_statement("I'm at Starbucks"), source=FactSource.STATED)

    assert refuses(statement, "Remember that I'm at Starbucks") is None


@for_each(
    ("message", "quote"),
    [
        ("I almost lost my job.", "I almost lost my job"),
        ("Ik werd bijna ontslagen.", "Ik werd bijna ontslagen"),
        ("Ich wäre fast nach Bonn gezogen.", "Ich wäre fast nach Bonn gezogen"),
        ("J'ai failli être viré.", "J'ai failli être viré"),
        ("Casi me mudo a Vigo.", "Casi me mudo a Vigo"),
    ],
)
def test_what_nearly_happened_is_not_so(message: str, quote: str) -> None:
    assert refuses(_statement(quote), message) is Refusal.HYPOTHETICAL


@for_each(
    "message", ["I almost always cycle to work.", "Ik fiets bijna altijd.", "Ik ben bijna 40."]
)
def test_what_is_nearly_always_so_is_so(message: str) -> None:
    assert refuses(_statement(message[:-1]), message) is None


@for_each(
    ("message", "quote"),
    [
        ("Give me ten sentences like: I work as a nurse.", "I work as a nurse"),
        ("Geef me tien zinnen zoals: ik werk in de zorg.", "ik werk in de zorg"),
        ("Gib mir zehn Sätze wie: Ich arbeite als Arzt.", "Ich arbeite als Arzt"),
        ("Donne-moi dix phrases comme : je travaille à Lille.", "je travaille à Lille"),
        ("Dame diez frases como: trabajo en Vigo.", "trabajo en Vigo"),
    ],
)
def test_an_example_of_a_sentence_is_not_told(message: str, quote: str) -> None:
    assert refuses(_statement(quote), message) is Refusal.NOT_OWN_WORDS
