"""What is known after conversations, as the network and the rules together learn it."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from recollect.adapters import open_adapters
from recollect.composition import build_services
from recollect.domain.facts.fact import MERGED_BY, Fact
from recollect.engines.in_memory import in_memory_stores
from recollect.memory import Memory
from recollect.settings import load_settings
from support.tables import for_each


@pytest.fixture(scope="module")
async def learner() -> AsyncIterator[Memory]:
    async with open_adapters(load_settings()) as adapters:
        services = build_services(in_memory_stores(), adapters.dependencies)
        yield Memory(services)
        await services.close()


async def facts_after(memory: Memory, *texts: str) -> list[Fact]:
    """The facts of a new user who says this."""
    user = str(uuid4())
    session = await memory.session(user=user)
    for text in texts:
        await session.add_exchange(text, "OK.")
        while await memory.catch_up():
            pass
    return list((await memory.facts(user=user).list(limit=100)).items)


async def known_after(memory: Memory, *texts: str) -> dict[str, str | None]:
    """What is known of a new user who says this, with its slots."""
    facts = await facts_after(memory, *texts)
    return {part: fact.slot for fact in facts for part in fact.content.split(MERGED_BY)}


@pytest.mark.parametrize(
    ("fact", "later"),
    [
        ("I live in Ghent.", "I don't live in Ghent because of the weather."),
        ("I live in Ghent.", "I don't live in Ghent for the weather."),
        ("I have a dog.", "I don't have a dog because I'm lonely."),
        ("I work for the council.", "I don't work for the council for the money."),
        ("Ik woon in Gent.", "Ik woon niet in Gent omdat het er meer regent."),
        ("Ik heb een hond.", "Ik heb geen hond omdat ik eenzaam ben, maar omdat ik wandel."),
        ("Ich wohne in Gent.", "Ich wohne nicht in Gent, weil es dort schön ist."),
        ("J'habite à Gand.", "Je n'habite pas à Gand parce que c'est plus joli."),
        ("Vivo en Gante.", "No vivo en Gante por el clima."),
        ("Vivo en Gante.", "No vivo en Gante porque me guste el calor, sino por mi familia."),
        ("Soy vegetariano.", "No soy vegetariano por los animales."),
    ],
)
async def test_who_denies_a_reason_ends_nothing(learner: Memory, fact: str, later: str) -> None:
    assert [*await known_after(learner, fact, later)] == [fact]


@pytest.mark.parametrize(
    ("fact", "later"),
    [
        ("I live in Ghent.", "I don't live in Ghent anymore because of the weather."),
        ("Ik woon in Gent.", "Ik woon niet meer in Gent vanwege het weer."),
        ("I live in Ghent.", "My sister and I don't live in Ghent any more."),
        ("J'habite à Gand.", "Je n'habite plus à Gand à cause du temps."),
        ("I live in Ghent.", "I don't live in Ghent."),
        ("I work for the council.", "I don't work for the council."),
    ],
)
async def test_who_denies_the_fact_ends_it(learner: Memory, fact: str, later: str) -> None:
    assert fact not in await known_after(learner, fact, later)


@for_each(
    "text",
    [
        "I don't eat meat because of my religion.",
        "Ik eet geen vlees omdat ik vegetariër ben.",
        "Ich esse kein Fleisch, weil ich Vegetarier bin.",
        "Je ne mange pas de viande parce que je suis végétarien.",
        "No como carne porque soy vegetariano.",
    ],
)
async def test_a_denial_with_its_reason_is_learnt_where_nothing_is_known(
    learner: Memory, text: str
) -> None:
    assert [*await known_after(learner, text)] == [text]


@for_each(
    "text",
    [
        "My sister and I run a shop.",
        "My twin sister and I run a shop.",
        "My brother Tom and I own a boat.",
        "Tom and I run a shop.",
        "Mijn zus en ik runnen een winkel.",
        "Meine Schwester und ich führen einen Laden.",
        "Ma sœur et moi tenons un magasin.",
        "Mi hermana y yo llevamos una tienda.",
    ],
)
async def test_what_two_do_is_learnt_of_both(learner: Memory, text: str) -> None:
    assert [*await known_after(learner, text)] == [text]


@pytest.mark.parametrize(
    ("fact", "later"),
    [
        ("I live in Leeds.", "My wife and I live in Ghent."),
        ("Ik woon in Breda.", "Mijn vrouw en ik wonen in Gent."),
        ("Ich wohne in Bonn.", "Meine Frau und ich wohnen in Gent."),
        ("J'habite à Lille.", "Ma femme et moi habitons à Gand."),
        ("Vivo en Murcia.", "Mi mujer y yo vivimos en Gante."),
    ],
)
async def test_a_home_of_both_is_the_users(learner: Memory, fact: str, later: str) -> None:
    assert await known_after(learner, fact, later) == {later: "home"}


@pytest.mark.parametrize(
    ("fact", "later"),
    [
        ("Trabajo en Repsol.", "Trabajo en Telefónica."),
        ("Trabajo en Repsol.", "Trabajo en Telefónica como técnico."),
        ("Trabajo en Repsol.", "Trabajo como técnico en Telefónica."),
        ("Trabajo en Repsol.", "En realidad, trabajo en Telefónica."),
        ("I work at Shell.", "I'm at Philips as an engineer."),
        ("Ik werk bij Philips.", "Ik heb de baan bij ASML aangenomen."),
        ("Ich arbeite bei Bosch.", "Ich habe die Stelle bei Siemens angenommen."),
        ("I work at Shell.", "I accepted the job at Philips."),
        ("Je travaille chez Airbus.", "J'ai accepté le poste chez Dassault."),
        ("Trabajo en Repsol.", "He aceptado el puesto en Telefónica."),
    ],
)
async def test_a_new_employer_takes_the_place_of_the_old_one(
    learner: Memory, fact: str, later: str
) -> None:
    assert await known_after(learner, fact, later) == {later: "employer"}


@for_each(
    ("known", "later"),
    [
        ("J'ai un chat, Minou.", "Je suis maintenant chez Airbus comme ingénieur."),
        ("Ik heb een kat, Minou.", "Ik ben nu bij Philips als ingenieur."),
        ("Ik werk bij Shell.", "Ik zit bij Ziggo als abonnee."),
        ("I work at Shell.", "I'm at Mayo as an outpatient."),
        ("Ich arbeite bei Bosch.", "Ich bin bei Greenpeace als Fördermitglied."),
    ],
)
async def test_where_somebody_is_ends_nothing_else(learner: Memory, known: str, later: str) -> None:
    learnt = await known_after(learner, known, later)
    assert known.rstrip(".") in {one.rstrip(".") for one in learnt}


@pytest.mark.parametrize(
    ("fact", "later", "employer"),
    [
        (
            "Ich arbeite bei SAP.",
            "Ich wurde entlassen und habe bei BMW angefangen.",
            "Ich habe bei BMW angefangen.",
        ),
        (
            "Ik werk bij KPN.",
            "Ik werd ontslagen en ben bij ASML begonnen.",
            "Ik ben bij ASML begonnen.",
        ),
    ],
)
async def test_who_was_fired_and_has_started_elsewhere_has_a_new_employer(
    learner: Memory, fact: str, later: str, employer: str
) -> None:
    known = await known_after(learner, fact, later)

    assert known[employer] == "employer"
    assert fact not in known


async def test_an_opening_is_no_part_of_the_new_employer(learner: Memory) -> None:
    later = "En fait, je travaille chez Dassault."
    known = await known_after(learner, "Je travaille chez Airbus.", later)

    assert known == {"Je travaille chez Dassault.": "employer"}


@pytest.mark.parametrize(
    ("fact", "later"),
    [
        ("Trabajo en Repsol.", "Trabajo en Madrid."),
        ("Trabajo en Repsol.", "Trabajo en Madrid como técnico."),
        ("Trabajo en Repsol.", "Trabajo en un proyecto para Nike."),
        ("Trabajo en Repsol.", "Trabajo en Excel todo el día."),
        ("I work at Shell.", "I'm at the Hilton as a guest."),
        ("Ik werk bij Shell.", "Ik zit bij Anna."),
        ("Ik werk bij Philips.", "Ik heb de baan bij ASML niet aangenomen."),
        ("Ik werk bij Philips.", "Aangenomen dat ik bij ASML werk, wat verdien ik dan?"),
        ("Ich arbeite bei Bosch.", "Ich habe die Stelle bei Siemens noch nicht angenommen."),
        ("Ich arbeite bei Bosch.", "Angenommen, ich arbeite bei Siemens."),
        ("I work at Shell.", "I haven't accepted the job at Philips yet."),
        ("I work at Shell.", "My wife accepted the job at Philips."),
        ("Je travaille chez Airbus.", "Je n'ai pas accepté le poste chez Dassault."),
        ("Trabajo en Repsol.", "No he aceptado el puesto en Telefónica."),
        ("Ich arbeite bei Shell.", "Ich habe bei Null angefangen."),
        ("Ik werk bij Shell.", "Ik zit bij Eneco."),
        ("I work at Shell.", "My wife or I work at Philips."),
    ],
)
async def test_what_is_no_new_employer_leaves_the_old_one(
    learner: Memory, fact: str, later: str
) -> None:
    known = await known_after(learner, fact, later)

    assert known[fact] == "employer"
    assert [*known.values()].count("employer") == 1


async def test_another_employer_is_no_repetition_of_the_first(learner: Memory) -> None:
    later = "Ich arbeite bei Siemens."
    known = await known_after(learner, "Ich bin Ingenieur bei Bosch.", later)

    assert known[later] == "employer"


@pytest.mark.parametrize(
    ("fact", "later"),
    [
        ("I have a bike, a red Gazelle.", "I don't have a bike anymore."),
        ("I have a dog called Rex.", "I don't have a dog anymore."),
        ("Ik heb een fiets, een rode Gazelle.", "Ik heb geen fiets meer."),
        ("Ich habe einen Hund, der Bello heißt.", "Ich habe keinen Hund mehr."),
        ("Ich habe ein Auto, einen alten Golf.", "Ich habe kein Auto mehr."),
        ("J'ai un vélo, un Gazelle rouge.", "Je n'ai plus de vélo."),
        ("Tengo un coche, un Seat rojo.", "Ya no tengo coche."),
        ("I have a red bike.", "I don't have a red bike anymore."),
        ("I have a blue bike.", "I have a red bike now."),
    ],
)
async def test_what_a_fact_tells_more_of_a_thing_ends_with_it(
    learner: Memory, fact: str, later: str
) -> None:
    assert fact not in await known_after(learner, fact, later)


@pytest.mark.parametrize(
    ("fact", "later"),
    [
        ("I have a blue bike.", "I don't have a red bike anymore."),
        ("I have a blue bike.", "I sold my red bike."),
        ("Ik heb een blauwe fiets.", "Ik heb geen rode fiets meer."),
        ("Ich habe ein blaues Fahrrad.", "Ich habe kein rotes Fahrrad mehr."),
        ("J'ai un vélo bleu.", "Je n'ai plus de vélo rouge."),
        ("Tengo una bici azul.", "Ya no tengo bici roja."),
        ("I have a dog, a cat and a horse.", "I don't have a dog anymore."),
    ],
)
async def test_a_thing_of_another_kind_stays(learner: Memory, fact: str, later: str) -> None:
    assert fact in await known_after(learner, fact, later)


@for_each(
    ("text", "facts"),
    [
        (
            "I'm vegetarian and my wife's name is Priya.",
            {"I'm vegetarian.", "My wife's name is Priya."},
        ),
        (
            "Ik ben vegetariër en de naam van mijn vrouw is Priya.",
            {"Ik ben vegetariër.", "De naam van mijn vrouw is Priya."},
        ),
        (
            "Ich bin Vegetarier und der Name meiner Frau ist Priya.",
            {"Ich bin Vegetarier.", "Der Name meiner Frau ist Priya."},
        ),
        (
            "Je suis végétarien et le prénom de ma femme est Priya.",
            {"Je suis végétarien.", "Le prénom de ma femme est Priya."},
        ),
        (
            "Soy vegetariano y mi mujer se llama Priya.",
            {"Soy vegetariano.", "Mi mujer se llama Priya."},
        ),
        (
            "Ik ben allergisch voor pinda's en ik heb een hond die Bello heet.",
            {"Ik ben allergisch voor pinda's.", "Ik heb een hond die Bello heet."},
        ),
        ("Ik woon nu in Gent, in België.", {"Ik woon nu in Gent, in België."}),
    ],
)
async def test_all_facts_of_a_sentence_are_learnt(
    learner: Memory, text: str, facts: set[str]
) -> None:
    assert set(await known_after(learner, text)) == facts


async def test_what_is_added_to_an_assent_is_no_irony(learner: Memory) -> None:
    assert [*await known_after(learner, "Sure, and I'm allergic to nuts.")] == [
        "I'm allergic to nuts."
    ]
    assert [*await known_after(learner, "Oh, and I live in Ghent.")] == ["I live in Ghent."]


@pytest.mark.parametrize("text", ["Klar, und ich wohne in Bonn.", "Sure, and I live in a palace."])
async def test_an_assent_itself_is_no_fact(learner: Memory, text: str) -> None:
    assert [*await known_after(learner, text)] == []


@pytest.mark.parametrize(
    "texts",
    [
        ("My wife is called Sophie.", "My brother works at Bosch."),
        ("Mijn broer heet Jan.", "Mijn zus woont in Parijs."),
        ("Ma femme s'appelle Sophie.", "Mein Bruder arbeitet bei Bosch."),
    ],
)
async def test_what_is_said_of_two_persons_is_not_one_fact(
    learner: Memory, texts: tuple[str, str]
) -> None:
    assert {fact.content for fact in await facts_after(learner, *texts)} == set(texts)


@pytest.mark.parametrize("text", ["My dog is called Rex.", "Mijn kat heet Minoes."])
async def test_examples_in_an_answer_of_the_memory_hide_nothing(learner: Memory, text: str) -> None:
    user = str(uuid4())
    session = await learner.session(user=user)
    greeting = await session.ask("Hi!")
    assert "I live in Utrecht" in greeting.answer.content
    await session.ask(text)
    while await learner.catch_up():
        pass
    assert [one.content for one in (await learner.facts(user=user).list()).items] == [text]


async def test_a_statement_does_not_end_with_an_abbreviation(learner: Memory) -> None:
    for text in (
        "My doctor is Dr. Jansen.",
        "My name is J. R. Ewing.",
        "I live at 5 Main St. in Leeds.",
        "My son works for Procter & Gamble Inc. in Ohio.",
        "My birthday is on Dec. 5.",
        "I'm allergic to penicillin (since 2010).",
        "Mijn huisarts is dr. Peeters.",
        "Ich wohne in der Goethestr. 5 in Bonn.",
        "Mon médecin est le Dr. Martin.",
        "Mi profesora es la Sra. López.",
    ):
        assert [*await known_after(learner, text)] == [text]


async def test_the_next_sentence_is_a_statement_of_its_own(learner: Memory) -> None:
    known = await known_after(learner, "My sister lives in St. Louis. I take ibuprofen daily.")

    assert {*known} == {"My sister lives in St. Louis.", "I take ibuprofen daily."}


@pytest.mark.parametrize(
    ("saying", "before", "later", "value"),
    [
        ("My favorite color is", "blue", "My favorite color is green now.", "green"),
        ("My favorite film is", "Alien", "Actually, my favorite film is Up.", "Up"),
        ("Mijn lievelingskleur is", "blauw", "Mijn lievelingskleur is nu groen.", "groen"),
        ("Meine Lieblingsfarbe ist", "Blau", "Meine Lieblingsfarbe ist Grün.", "Grün"),
        ("Ma couleur préférée est", "le bleu", "Ma couleur préférée est le vert.", "le vert"),
        ("Mi color favorito es", "el azul", "Ahora mi color favorito es el rojo.", "el rojo"),
    ],
)
async def test_a_new_favourite_takes_the_place_of_the_old_one(
    learner: Memory, saying: str, before: str, later: str, value: str
) -> None:
    known = await known_after(learner, f"{saying} {before}.", later)

    assert [*known] == [f"{saying} {value}."]


async def test_what_others_like_and_what_is_only_supposed_replaces_no_favourite(
    learner: Memory,
) -> None:
    for later in (
        "What if my favorite color is red?",
        "Pretend you are a pirate. My favorite color is red.",
        'My friend said: "My favorite color is red."',
        "Translate: My favorite color is red.",
        "My favorite food is pizza.",
        "My favorite color is out of fashion.",
        "My favorite color is green, right?",
    ):
        assert "My favorite color is blue." in await known_after(
            learner, "My favorite color is blue.", later
        )


@for_each(
    ("known", "later"),
    [
        ("I have two kids, Lea and Tom.", "We just had our third, Nina."),
        ("Ik heb twee kinderen, Lea en Tom.", "We hebben een derde kind gekregen, Nina."),
        ("Ich habe zwei Kinder, Lea und Tom.", "Wir haben ein drittes Kind bekommen, Nina."),
        ("J'ai deux enfants, Léa et Tom.", "Nous avons eu un troisième enfant, Nina."),
        ("Tengo dos hijos, Lea y Tom.", "Hemos tenido otro hijo, Nico."),
    ],
)
async def test_one_more_child_leaves_the_others(learner: Memory, known: str, later: str) -> None:
    learnt = await known_after(learner, known, later)
    assert {one.rstrip(".") for one in learnt} == {known.rstrip("."), later.rstrip(".")}


@for_each(
    ("known", "later"),
    [
        ("I'm lactose intolerant.", "It turns out that I'm not lactose intolerant."),
        ("I'm allergic to nuts.", "I'm not allergic to nuts after all."),
        ("Ik ben allergisch voor noten.", "Ik ben toch niet allergisch voor noten."),
        ("Ich bin allergisch gegen Nüsse.", "Ich bin doch nicht allergisch gegen Nüsse."),
        ("Je suis allergique aux noix.", "Finalement, je ne suis pas allergique aux noix."),
    ],
)
async def test_what_turns_out_not_to_be_so_is_no_longer_known(
    learner: Memory, known: str, later: str
) -> None:
    assert known not in await known_after(learner, known, later)


async def test_what_turns_out_of_something_else_ends_nothing(learner: Memory) -> None:
    for later in ("I'm not allergic to cats after all.", "I'm not allergic to all nuts."):
        assert "I'm allergic to nuts." in await known_after(learner, "I'm allergic to nuts.", later)


async def test_what_is_said_of_a_favourite_does_not_take_its_place(learner: Memory) -> None:
    for known, later in (
        ("My favorite aunt is Mary.", "My favorite aunt is a nurse."),
        ("My favorite dish is lasagne.", "My favorite dish is very easy to make."),
        ("My favorite book is Dune.", "My favorite book is by Frank Herbert."),
    ):
        assert known in await known_after(learner, known, later)
