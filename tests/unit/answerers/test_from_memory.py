"""Answers without a model: quoted, dated, and nothing made up."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from recollect.answerers.from_memory import FromMemory
from recollect.domain.chat.answers import Answer, AnswerRequest, UserFacts
from recollect.domain.context.context import Context, Sources, Tokens, Truncation
from recollect.domain.conversation.message import FROM_MEMORY, AnswerDetails, Message, Role
from recollect.domain.facts.fact import Evidence, Fact, FactSource, FactType, Priority
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Recalled
from recollect.testing import FIRST_MOMENT
from support.tables import for_each

SCOPE = Scope(tenant="acme", user="alice")
SESSION = UUID(int=9)


def exchange(number: int, question: str, answer: str, model: str | None = None) -> list[Message]:
    said = ((Role.USER, question, None), (Role.ASSISTANT, answer, model))
    return [
        Message(
            message_id=UUID(int=2 * number + offset),
            session_id=SESSION,
            sequence=2 * number + offset,
            turn_number=number,
            role=role,
            content=content,
            metadata={},
            details=AnswerDetails(model=by),
            created_at=FIRST_MOMENT + timedelta(days=number),
        )
        for offset, (role, content, by) in enumerate(said)
    ]


def context(question: str, *exchanges: list[Message], language: str = "en") -> Context:
    return Context(
        question=question,
        standalone_question=question,
        language=language,
        summary=None,
        window=tuple(message for pair in exchanges for message in pair),
        tokens=Tokens(),
        cut=Truncation(),
        sources=Sources(),
    )


async def answer_to(asked: Context, facts: UserFacts | None = None) -> Answer:
    request = AnswerRequest(context=asked, user_facts=facts or UserFacts())
    return await FromMemory().answer(SCOPE, request)


SALES = exchange(1, "Show me the sales of 2024", "North sold 2.5M.")
COSTS = exchange(2, "What did the zeppelin cost?", "Three million.")


async def test_the_nearest_exchange_is_quoted_with_its_dates_and_named_as_a_source() -> None:
    answer = await answer_to(context("How much was the zeppelin?", SALES, COSTS))
    assert answer.content == (
        "No language model is set (MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL), so this is not a "
        "new answer.\n\n"
        "What was said before that comes nearest to: How much was the zeppelin?\n\n"
        "> You asked (2026-01-03 12:00 UTC): “What did the zeppelin cost?”\n"
        "> The answer was (2026-01-03 12:00 UTC): “Three million.”"
    )
    assert answer.details.citations == (
        {
            "source": "conversation",
            "session_id": str(SESSION),
            "message_id": str(COSTS[1].message_id),
            "created_at": "2026-01-03T12:00:00Z",
        },
    )


async def test_the_best_match_comes_first() -> None:
    also = exchange(3, "What else did it cost?", "Sales of the north were 2024.")
    answer = await answer_to(context("What did the zeppelin cost?", COSTS, SALES, also))
    quoted = [line for line in answer.content.splitlines() if line.startswith("> You asked")]
    assert [line.split("“")[1] for line in quoted] == [
        "What did the zeppelin cost?”",
        "What else did it cost?”",
    ]


async def test_where_nothing_matches_nothing_is_quoted() -> None:
    answer = await answer_to(context("Who is Zoë?", SALES))
    assert "Nothing is stored yet that could answer: Who is Zoë?" in answer.content
    assert "2.5M" not in answer.content
    assert answer.details.citations is None


async def test_what_users_tell_is_said_to_be_stored() -> None:
    told = await answer_to(context("I work at Philips in Eindhoven."))
    assert "This is stored, and can be asked for later: I work at Philips" in told.content
    verteld = await answer_to(context("Ik werk bij Philips in Eindhoven.", language="nl"))
    assert "Dit is opgeslagen" in verteld.content
    corrected = await answer_to(context("Nein, Moritz.", language="de"))
    assert "Das ist gespeichert" in corrected.content


def fact(content: str, language: str = "en", slot: str | None = None) -> Fact:
    return Fact(
        fact_id=uuid4(),
        type=FactType.FACT,
        priority=Priority.HIGH,
        content=content,
        source=FactSource.EXTRACTED,
        slot=slot,
        language=language,
        **dict.fromkeys(("created_at", "updated_at", "accessed_at", "valid_from"), FIRST_MOMENT),
    )


async def test_facts_about_the_user_are_quoted_first() -> None:
    asked = replace(context("Where do I work?", SALES), facts=(fact("I work at Philips."),))
    answer = await answer_to(asked)
    assert "> Known about you (2026-01-01 12:00 UTC): “I work at Philips.”" in answer.content
    assert "Nothing is stored yet" not in answer.content


@for_each(
    ("question", "language", "slot", "content"),
    [
        ("Where do I live now?", "en", "home", "I moved to Leiden."),
        ("Waar woon ik nu?", "nl", "home", "Ik ben verhuisd naar Leiden."),
        ("Wanneer ben ik jarig?", "nl", "birthday", "Mijn verjaardag is 12 maart."),
        ("Wanneer ben ik jarig?", "nl", "other", "Mijn verjaardag is 12 maart."),
        ("Wie heiße ich?", "de", "name", "Ich bin Sanne."),
        ("Quel âge ai-je ?", "fr", "age", "Trente-quatre ans."),
        ("¿A qué me dedico?", "es", "role", "Soy enfermera."),
    ],
)
async def test_a_fact_answers_what_a_question_asks_for_though_no_word_is_shared(
    question: str, language: str, slot: str, content: str
) -> None:
    facts = (fact("Tom", language, slot="family"), fact(content, language, slot=slot))
    answer = await answer_to(replace(context(question, language=language), facts=facts))
    assert f"“{content}”" in answer.content
    assert "“Tom”" not in answer.content


async def test_a_fact_told_in_the_conversation_answers_before_what_it_replaced() -> None:
    before = exchange(1, "Ik woon in Haarlem.", "", FROM_MEMORY)
    now = exchange(2, "Ik ben verhuisd naar Leiden", "", FROM_MEMORY)
    home = fact("Ik ben verhuisd naar Leiden.", "nl", "home")
    told = [
        replace(
            home, evidence=Evidence(session_id=SESSION, message_id=one, turn_number=2, quote="")
        )
        for one in (now[0].message_id, UUID(int=99))
    ]
    asked = context("Waar woon ik nu?", before, now, language="nl")
    here, elsewhere = [await answer_to(asked, UserFacts(known=(one,))) for one in told]
    assert here.content.index("Leiden") < here.content.index("Haarlem")
    assert "Leiden" not in elsewhere.content, "what a context may not recall is not quoted"


async def test_a_fact_about_what_is_asked_for_comes_before_one_that_shares_a_word() -> None:
    facts = (fact("Tom woon ik bij.", "nl", "family"), fact("Ik zit in Gent.", "nl", "home"))
    answer = await answer_to(replace(context("Waar woon ik?", language="nl"), facts=facts))
    assert answer.content.index("Ik zit in Gent.") < answer.content.index("Tom woon ik bij.")


async def test_a_fact_of_another_language_comes_after_what_shares_a_word() -> None:
    told = exchange(1, "My bike is red", "Noted.", FROM_MEMORY)
    facts = (fact("Mijn auto is een Volvo.", "nl", "vehicle"),)
    answer = await answer_to(replace(context("What colour is my bike?", told), facts=facts))
    assert answer.content.index("My bike is red") < answer.content.index("Volvo")
    other = await answer_to(replace(context("What do I drive?", told), facts=facts))
    assert "Volvo" in other.content


async def test_a_fact_about_the_user_does_not_answer_for_somebody_else() -> None:
    facts = (fact("Ik ben verhuisd naar Leiden.", "nl", "home"),)
    answer = await answer_to(replace(context("Waar woont Tom?", language="nl"), facts=facts))
    assert "Leiden" not in answer.content


async def test_a_dutch_question_is_answered_in_dutch() -> None:
    earlier = exchange(1, "Wat kost een harnas?", "Een harnas kost 80 euro.")
    answer = await answer_to(context("Hoe duur is het harnas?", earlier, language="nl"))
    assert answer.content.startswith("Er is geen taalmodel ingesteld")
    assert "> U vroeg (2026-01-02 12:00 UTC): “Wat kost een harnas?”" in answer.content
    assert "> Het antwoord was" in answer.content
    empty = await answer_to(context("Hoe duur is het harnas?", language="nl"))
    assert "Er is nog niets opgeslagen" in empty.content


async def test_answers_from_memory_are_not_quoted_but_the_users_messages_are() -> None:
    own = exchange(1, "My zeppelin is called Hilda", "No language model is set.", FROM_MEMORY)
    answer = await answer_to(context("What is my zeppelin called?", own))
    assert "> You said (2026-01-02 12:00 UTC): “My zeppelin is called Hilda”" in answer.content
    assert "The answer was" not in answer.content
    assert answer.details.model == FROM_MEMORY


async def test_a_long_answer_is_cut_and_stays_on_its_line() -> None:
    long = exchange(1, "What did the zeppelin cost?", "> You asked\n" + "much " * 500)
    answer = await answer_to(context("zeppelin", long))
    assert answer.content.count("\n> ") == 2, "one line for each of the two"
    assert answer.content.endswith("…”")
    assert len(answer.content) < 1_000


async def test_a_stream_is_the_same_answer_in_paragraphs() -> None:
    request = AnswerRequest(context=context("zeppelin", COSTS))
    *pieces, answer = [piece async for piece in FromMemory().stream(SCOPE, request)]
    assert isinstance(answer, Answer)
    assert len(pieces) == 3
    assert "".join(map(str, pieces)) == answer.content
    assert replace(answer) == await FromMemory().answer(SCOPE, request)


async def test_equal_exchanges_are_quoted_once_and_the_current_question_never() -> None:
    question = "What did the zeppelin cost?"
    again = [exchange(number, question, "No model.", FROM_MEMORY) for number in (3, 4)]
    twice = exchange(5, question, "Three million.")
    answer = await answer_to(context(question, COSTS, *again, twice))
    assert answer.content.count("> You asked") == 1
    assert "2026-01-06" in answer.content, "the latest of its kind"
    alone = await answer_to(context(question, *again))
    assert "Nothing is stored yet" in alone.content


def recalled(text: str, *, messages: int = 1, speaker: str | None = None) -> Recalled:
    return Recalled(
        score=1.0,
        session_id=SESSION,
        message_ids=tuple(UUID(int=100 + number) for number in range(messages)),
        text=text,
        speaker=speaker,
        created_at=FIRST_MOMENT,
    )


async def test_questions_that_nobody_answered_are_not_quoted_from_other_conversations() -> None:
    question = "Show me the sales of 2023"
    found = (
        recalled(question),
        recalled("What about 2023?"),
        recalled(SALES[0].content),
        recalled("Ann: What about sales?", speaker="Ann"),
        recalled("I look after the sales."),
        recalled("Question: Sales? Result summary: 2.5M, or more?", messages=2),
    )

    answer = await answer_to(replace(context(question, SALES), recalled=found))

    quoted = [line.partition("“")[2] for line in answer.content.splitlines() if line[:1] == ">"]
    assert quoted[2:] == [
        "Ann: What about sales?”",
        "I look after the sales.”",
        "Sales?”",
        "2.5M, or more?”",
    ]


async def test_only_facts_that_have_to_do_with_the_question_are_quoted() -> None:
    work, home = fact("I work at Philips."), fact("Ik woon in Gent.", "nl", "home")
    asked = replace(context("Where do I work?"), facts=(home, work))
    assert "Gent" not in (await answer_to(asked)).content
    other = replace(context("What is the weather like?"), facts=(work,))
    assert "Nothing is stored yet" in (await answer_to(other)).content
    abroad = replace(context("Where do I live?"), facts=(home,))
    assert "Ik woon in Gent." in (await answer_to(abroad)).content
    for question in ("What is my name?", "What did I say yesterday?"):
        named = replace(context(question), facts=(home,))
        assert "Gent" not in (await answer_to(named)).content


async def test_small_talk_gets_a_kind_word_and_no_quotes() -> None:
    asked = replace(context("Thanks!", SALES, COSTS), facts=(fact("I work at Philips."),))
    answer = await answer_to(asked)
    assert answer.content.startswith("You're welcome!\n\nNo language model is set")
    assert ">" not in answer.content
    assert "(“Where do I live?”)" in (await answer_to(context("hello"))).content


@for_each(
    ("question", "language", "known", "reply"),
    [
        ("Hallo!", "en", [], "Hallo!\n\nEr is geen taalmodel"),
        ("Hallo!", "en", ["de"], "Hallo!\n\nEs ist kein Sprachmodell"),
        ("Hola", "de", [], "¡Hola!"),
        ("merci", "en", [], "Je vous en prie !"),
        ("ok", "de", [], "All right."),
        ("🙂" * 300, "de", [], "No language model is set"),
        ("🙂" * 300, "de", ["nl"], "Er is geen taalmodel"),
        ("ok", "en", ["nl", "nl", "en"], "Prima."),
    ],
)
async def test_small_talk_is_answered_in_its_own_language(
    question: str, language: str, known: list[str], reply: str
) -> None:
    facts = UserFacts(known=tuple(fact("…", code) for code in known))
    answer = await answer_to(context(question, language=language), facts)
    assert answer.content.startswith(reply)


async def test_in_a_conversation_its_language_decides() -> None:
    known = UserFacts(known=(fact("Ik woon in Gent.", "nl"),))
    answer = await answer_to(context("ok", SALES), known)
    assert answer.content.startswith("All right.")


@for_each(
    ("language", "told", "question", "label", "opening"),
    [
        ("nl", "Mijn zeppelin heet Hilda.", "Hoe heet mijn zeppelin?", "U zei", "Er is geen"),
        ("de", "Mein Zeppelin heißt Hilda.", "Wie heißt mein Zeppelin?", "Sie sagten", "Es ist"),
        ("fr", "Mon zeppelin s'appelle Hilda.", "Où est mon zeppelin ?", "Vous avez dit", "Aucun"),
        ("es", "Mi zepelín se llama Hilda.", "¿Dónde está mi zepelín?", "Usted dijo", "No hay"),
    ],
)
async def test_what_was_told_is_quoted_as_told(
    language: str, told: str, question: str, label: str, opening: str
) -> None:
    earlier = exchange(1, told, "…", FROM_MEMORY)
    answer = await answer_to(context(question, earlier, language=language))
    assert answer.content.startswith(opening)
    assert f"> {label} (2026-01-02 12:00 UTC): “{told}”" in answer.content
    noted = await answer_to(context(told, earlier, language=language))
    assert told in noted.content
    assert ">" not in noted.content, "what is told gets no quotes"


async def test_a_recalled_exchange_reads_as_one() -> None:
    text = "Question: Wat kost een harnas? SQL: SELECT 1 Tables: items Result summary: 80 euro."
    found = recalled(text, messages=2)._replace(tables=("items",))
    asked = context("Hoe duur is een harnas?", language="nl")
    answer = await answer_to(replace(asked, recalled=(found,)))
    assert answer.content.endswith(
        "> U vroeg (2026-01-01 12:00 UTC): “Wat kost een harnas?”\n"
        "> Het antwoord was (2026-01-01 12:00 UTC): “80 euro.”"
    )


async def test_what_was_forgotten_is_named_once_and_not_quoted_again() -> None:
    home = fact("I live in Ghent.")
    told = exchange(1, "I live in Ghent and like chess.", "…", FROM_MEMORY)
    forgetting = UserFacts(forgotten=(home,), withheld=frozenset({told[0].message_id}))
    answer = await answer_to(context("Forget that I live in Ghent.", told), forgetting)
    assert answer.content.startswith("This is forgotten, and is not quoted any more: “I live")
    later = replace(forgetting, forgotten=())
    asked = replace(context("Do I live in Ghent?", told), recalled=(recalled("I live in Ghent."),))
    shown = await answer_to(asked, later)
    assert "chess" not in shown.content
    gone = replace(later, withheld=later.withheld | {UUID(int=100)})
    assert "Nothing is stored yet" in (await answer_to(asked, gone)).content


async def test_a_command_to_forget_hides_what_was_said_before_it_and_itself() -> None:
    told = exchange(1, "My address is 5 Main Street, Boston.", "…", FROM_MEMORY)
    dog = exchange(2, "My dog lives at this address, too.", "…", FROM_MEMORY)
    command = exchange(3, "Forget my address.", "…", FROM_MEMORY)
    again = exchange(4, "My address is 7 High Street.", "…", FROM_MEMORY)
    asked = context("What is my address?", told, dog, command, again)
    answer = await answer_to(asked)
    quotes = [line.partition("“")[2] for line in answer.content.splitlines() if line[:1] == ">"]
    assert quotes == ["My address is 7 High Street.”", "My dog lives at this address, too.”"]


@for_each(
    ("language", "told", "command", "question", "reply"),
    [
        ("en", "I'm Ann and I live in Hull.", "Forget where I live.", "Where do I live?", "What"),
        ("nl", "Ik ben Jan en ik woon in Gent", "Vergeet mijn adres", "Waar woon ik?", "Wat u"),
        ("de", "Ich bin Jan und ich wohne in Ulm", "Vergiss meine Adresse", "Wo wohne ich?", "Was"),
        ("fr", "Je suis Luc et j'habite à Lyon", "Oublie mon adresse", "Où j'habite ?", "Ce que"),
        ("es", "Me llamo Lucía y vivo en Cádiz", "Olvida dónde vivo", "¿Dónde vivo?", "Lo que"),
    ],
)
async def test_what_is_no_fact_yet_is_hidden_in_the_conversation(
    language: str, told: str, command: str, question: str, reply: str
) -> None:
    said = exchange(1, told, "…", FROM_MEMORY)
    answer = await answer_to(context(command, said, language=language))
    assert answer.content.startswith(reply)
    after = exchange(2, command, answer.content, FROM_MEMORY)
    asked = await answer_to(context(question, said, after, language=language))
    assert "> " not in asked.content


async def test_where_nothing_fits_nothing_is_said_to_be_forgotten() -> None:
    answer = await answer_to(context("Vergeet mijn adres", language="nl"))
    assert answer.content.startswith("Geen feit over u past hierbij")
    unclear = await answer_to(context("Vergeet mijn budget", language="nl"))
    assert unclear.content.startswith("Ik begrijp niet wat ik moet vergeten")
    apart = AnswerRequest(context=context("Forget my address."), is_stored=False)
    unstored = await FromMemory().answer(SCOPE, apart)
    assert (
        unstored.content == "Nothing is stored in this conversation, and so nothing is forgotten."
    )


async def test_all_that_is_known_about_the_user_is_listed_on_request() -> None:
    known = UserFacts(known=(fact("I live in Ghent."), fact("Ik heb een hond.", "nl")))
    answer = await answer_to(context("What do you know about me?"), known)
    assert answer.content == (
        "This is known about you:\n\n"
        "- I live in Ghent. (2026-01-01)\n"
        "- Ik heb een hond. (2026-01-01)"
    )
    nothing = await answer_to(context("Wie ben ik?", language="nl"))
    assert nothing.content.startswith("Er is nog niets over u bekend.")


async def test_small_talk_and_open_questions_are_never_quoted() -> None:
    talk = [exchange(n, said, "…", FROM_MEMORY) for n, said in enumerate(("hello zeppelin", "ok"))]
    found = (recalled("Goedemorgen"), recalled("where is my zeppelin"))
    asked = replace(context("What is a zeppelin?", *talk), recalled=found)
    assert "Nothing is stored yet" in (await answer_to(asked)).content


async def test_a_huge_question_is_not_repeated_whole() -> None:
    answer = await answer_to(context("What is " + "very " * 200_000 + "long?"))
    assert len(answer.content) < 1_000


async def test_what_was_said_at_a_named_time_is_quoted_without_a_shared_word() -> None:
    days = [exchange(n, f"I told it on day {n}.", "…", FROM_MEMORY) for n in range(3)]
    asked = context("What did I say yesterday?", *days)
    at = FIRST_MOMENT + timedelta(days=2, hours=1)
    answer = await FromMemory().answer(SCOPE, AnswerRequest(context=asked, asked_at=at))
    quotes = [line.partition("“")[2] for line in answer.content.splitlines() if line[:1] == ">"]
    assert quotes == ["I told it on day 1.”"]


@for_each("text", ["asdf", "2+2", "<script>alert(1)</script>", "qwerty zxcv"])
async def test_what_is_no_sentence_gets_no_quote_that_shares_nothing(text: str) -> None:
    bike = exchange(1, "My bike is red.", "…", FROM_MEMORY)
    asked = replace(context(text, bike), context_terms=("bike",))
    assert "bike" not in (await answer_to(asked)).content


@for_each(
    ("told", "question", "language"),
    [
        ("My dog is called Rex.", "What am I called?", "en"),
        ("Mijn hond heet Rex.", "Hoe heet ik?", "nl"),
        ("Mein Hund heißt Rex.", "Wie heißt meine Katze?", "de"),
        ("Mon chien s'appelle Rex.", "Comment s'appelle mon chat ?", "fr"),
        ("Mi perro se llama Rex.", "¿Cómo se llama mi gato?", "es"),
    ],
)
async def test_to_be_called_something_is_nothing_in_common(
    told: str, question: str, language: str
) -> None:
    asked = context(question, exchange(1, told, "…", FROM_MEMORY), language=language)
    assert "Rex" not in (await answer_to(asked)).content


async def test_a_lone_word_that_was_said_is_quoted() -> None:
    bike = exchange(1, "My bike is red.", "…", FROM_MEMORY)
    assert "“My bike is red.”" in (await answer_to(context("bike", bike))).content


@for_each(
    ("told", "question", "language", "expected"),
    [
        ("I live in Leeds", "What do you know about me?", "en", "No fact about you is stored yet"),
        ("Ik woon in Leiden", "Wat weet je over mij?", "nl", "Er is nog geen feit over u"),
        ("Ich wohne in Bremen", "Was weißt du über mich?", "de", "Es ist noch keine Tatsache"),
        ("J'habite à Lyon", "Que sais-tu de moi ?", "fr", "Aucun fait à votre sujet"),
        ("Vivo en Sevilla", "¿Qué sabes de mí?", "es", "Todavía no hay ningún dato"),
    ],
)
async def test_what_was_told_and_is_not_learnt_yet_is_quoted(
    told: str, question: str, language: str, expected: str
) -> None:
    asked = context(question, exchange(1, told, "…", FROM_MEMORY), language=language)
    answer = await answer_to(asked)

    assert answer.content.startswith(expected)
    assert f"“{told}”" in answer.content


@for_each(
    ("told", "joke", "language", "expected"),
    [
        ("I have three sisters", "Just kidding!", "en", "What you just said will not be kept"),
        ("Ik heb drie zussen", "Grapje!", "nl", "Wat u net zei, wordt niet als feit bewaard"),
        ("Ich habe drei Schwestern", "War nur ein Scherz", "de", "Was Sie eben sagten, wird nicht"),
        ("J'ai trois sœurs", "C'était une blague", "fr", "Ce que vous venez de dire ne sera pas"),
        ("Tengo tres hermanas", "Era broma", "es", "Lo que acaba de decir no se guardará"),
    ],
)
async def test_what_is_taken_back_before_it_is_learnt_is_not_called_unknown(
    told: str, joke: str, language: str, expected: str
) -> None:
    asked = context(joke, exchange(1, told, "…", FROM_MEMORY), language=language)
    assert (await answer_to(asked)).content.startswith(expected)


async def test_where_nothing_was_said_there_is_nothing_to_take_back() -> None:
    assert (await answer_to(context("Just kidding!"))).content.startswith("No fact about you fits")


async def test_where_nothing_was_told_nothing_is_known() -> None:
    asked = context("What do you know about me?", exchange(1, "Is it late?", "…", FROM_MEMORY))
    assert (await answer_to(asked)).content.startswith("Nothing is known about you yet")


async def test_what_was_told_before_everything_was_to_be_forgotten_is_not_quoted() -> None:
    told = exchange(1, "My bike is red.", "…", FROM_MEMORY)
    command = exchange(2, "Forget everything you know about me", "…", FROM_MEMORY)
    later = exchange(3, "My boat is blue.", "…", FROM_MEMORY)

    answer = await answer_to(context("What do you know about me?", told, command))
    assert answer.content.startswith("Nothing is known about you yet")
    answer = await answer_to(context("What do you know about me?", told, command, later))
    assert "boat" in answer.content
    assert "bike" not in answer.content


@pytest.mark.parametrize("question", ["What do you know about me?", "What is my dog called?"])
async def test_where_memory_did_not_answer_nobody_says_that_nothing_is_known(question: str) -> None:
    request = AnswerRequest(context=context(question), is_memory_read=False)
    answer = await FromMemory().answer(SCOPE, request)

    assert "Memory was not read for this answer" in answer.content
    assert "yet" not in answer.content


async def test_of_several_facts_that_a_noun_may_mean_none_is_forgotten() -> None:
    known = UserFacts(known=(fact("My bike is red."), fact("I sold my bike."), fact("I am 40.")))
    answer = await answer_to(context("Forget my bike"), known)

    assert answer.content.startswith("Nothing is forgotten yet")
    assert answer.content.count("my bike") + answer.content.count("My bike") == 2


@for_each(
    ("question", "language", "expected"),
    [
        ("Never mind, forget it", "en", "Nothing was forgotten"),
        ("Laat maar, vergeet het", "nl", "niets vergeten"),
        ("Egal, vergiss es", "de", "nichts vergessen"),
        ("Laisse tomber, oublie ça", "fr", "Rien n'a été oublié"),
        ("Da igual, olvídalo", "es", "No se ha olvidado"),
    ],
)
async def test_who_drops_a_matter_is_told_that_nothing_was_forgotten(
    question: str, language: str, expected: str
) -> None:
    told = exchange(1, "I live in Ghent.", "…", FROM_MEMORY)
    answer = await answer_to(context(question, told, language=language))
    assert expected in answer.content
    assert "Ghent" not in answer.content


async def test_what_could_not_be_forgotten_at_once_is_said_to_be_forgotten_later() -> None:
    known = UserFacts(known=(fact("I live in Ghent.", slot="home"), fact("I am 40.")))
    answer = await answer_to(context("Forget where I live"), known)

    assert answer.content.startswith("This is not forgotten yet")
    assert "Ghent" in answer.content
    assert "40" not in answer.content


@for_each(
    ("question", "language", "expected"),
    [
        ("?", "en", "I do not understand that by itself."),
        ("???", "nl", "Dat alleen begrijp ik niet."),
        ("…", "de", "Das allein verstehe ich nicht."),
        ("¿?", "es", "Eso solo no lo entiendo."),
        ("?!", "fr", "Cela seul, je ne le comprends pas."),
    ],
)
async def test_marks_alone_are_not_understood(question: str, language: str, expected: str) -> None:
    told = exchange(1, "I live in Ghent.", "…", FROM_MEMORY)
    answer = await answer_to(context(question, told, language=language))
    assert answer.content.startswith(expected)


async def test_an_insult_is_not_said_to_be_stored_and_answered_in_its_language() -> None:
    answer = await answer_to(context("Tu es stupide", language="de"))
    assert answer.content.startswith("Je ne suis qu'une mémoire")
    assert "enregistr" not in answer.content


@for_each(
    ("question", "language", "expected"),
    [
        ("Forget everything", "en", "Nothing is forgotten by that alone."),
        ("Please forget everything now", "en", "Nothing is forgotten by that alone."),
        ("Vergeet alles", "nl", "Daarmee alleen wordt niets vergeten."),
        ("Vergeet alles wat ik heb gezegd", "nl", "Daarmee alleen wordt niets vergeten."),
        ("Vergiss alles!", "de", "Damit allein wird nichts vergessen."),
        ("Oublie tout", "fr", "Cela seul ne fait rien oublier."),
        ("Olvida todo", "es", "Con eso solo no se olvida nada."),
        ("Olvídalo todo", "es", "Con eso solo no se olvida nada."),
        ("Delete everything", "en", "Nothing is forgotten by that alone."),
        ("Wis alles", "nl", "Daarmee alleen wordt niets vergeten."),
        ("Lösche alles", "de", "Damit allein wird nichts vergessen."),
        ("Efface tout", "fr", "Cela seul ne fait rien oublier."),
    ],
)
async def test_who_wants_everything_forgotten_is_told_how_to_erase_it(
    question: str, language: str, expected: str
) -> None:
    known = UserFacts(known=(fact("I live in Ghent."),))
    answer = await answer_to(context(question, language=language), known)

    assert answer.content.startswith(expected)
    assert "/dashboard/privacy" in answer.content
    assert "recollect erase" in answer.content


async def test_a_message_that_may_mean_known_facts_is_shown_them() -> None:
    known = UserFacts(known=(fact("My shoe size is 43."), fact("I live in Ghent.")))
    answer = await answer_to(context("Forget my usual European shoe size"), known)
    assert answer.content.startswith("I did not understand what to forget")
    assert "“My shoe size is 43.”" in answer.content
    assert "Ghent" not in answer.content


async def test_what_was_to_be_forgotten_in_vain_is_not_quoted() -> None:
    command = exchange(1, "Forget my shoe size", "…", FROM_MEMORY)
    answer = await answer_to(context("What is my shoe size?", command))
    assert "Nothing is stored yet" in answer.content


async def test_words_of_the_question_count_more_than_those_of_the_conversation() -> None:
    nuts = exchange(1, "Noten en allergie zijn lastig.", "…", FROM_MEMORY)
    sanne = exchange(2, "Mijn dochter heet Sanne.", "…", FROM_MEMORY)
    asked = replace(
        context("Hoe oud is mijn dochter?", nuts, sanne, language="nl"),
        context_terms=("noten", "allergie"),
    )
    answer = await answer_to(asked)
    quotes = [line.partition("“")[2] for line in answer.content.splitlines() if line[:1] == ">"]
    assert quotes == ["Mijn dochter heet Sanne.”", "Noten en allergie zijn lastig.”"]


async def test_lone_words_of_a_question_are_no_answer_to_it() -> None:
    asked = exchange(1, "dog", "…", FROM_MEMORY)
    answer = await answer_to(context("Do I have a dog?", asked))
    assert "> " not in answer.content
    told = exchange(2, "Dog: Rex", "…", FROM_MEMORY)
    answer = await answer_to(context("Do I have a dog?", asked, told))
    assert answer.content.count("> ") == 1
    assert "Rex" in answer.content


@for_each(
    ("question", "language", "is_quoted"),
    [
        ("Do I have a dog?", "en", True),
        ("dog", "en", True),
        ("Heb ik een hond?", "nl", True),
        ("Habe ich einen Hund?", "de", True),
        ("Ai-je un chien ?", "fr", True),
        ("Est-ce que j'ai un chien ?", "fr", True),
        ("¿Cómo se llama mi mascota?", "es", True),
        ("Which animals bark?", "en", False),
        ("Wat is de hoofdstad van Frankrijk?", "nl", False),
        ("Was ist die Hauptstadt von Frankreich?", "de", False),
        ("Quelle est la capitale de la France ?", "fr", False),
        ("¿Quién descubrió el oxígeno?", "es", False),
    ],
)
async def test_a_fact_in_another_language_answers_only_what_is_asked_of_the_user(
    question: str, language: str, *, is_quoted: bool
) -> None:
    facts = (fact("Olen koiran omistaja.", language="fi"),)
    answer = await answer_to(replace(context(question, language=language), facts=facts))
    assert ("koiran" in answer.content) is is_quoted


@for_each(
    ("command", "expected"),
    [
        ("Vergiss mein Fahrrad", "Keine bekannte Tatsache"),
        ("Olvida mi perro", "Ningún dato conocido"),
        ("Oublie mon chien", "Aucun fait connu"),
        ("Vergeet mijn fiets", "Geen feit over u"),
        ("Forget my bike", "No fact about you"),
    ],
)
async def test_a_command_is_answered_in_its_own_language(command: str, expected: str) -> None:
    told = exchange(1, "Bonjour, il fait beau.", "…", FROM_MEMORY)
    for language in ("fr", "en"):
        answer = await answer_to(context(command, told, language=language))
        assert answer.content.startswith(expected)


@pytest.mark.parametrize(
    ("question", "asked", "language"),
    [
        ("What did I ask about Rome?", "How many people live in Rome?", "en"),
        ("Wat vroeg ik over Rome?", "Hoeveel mensen wonen er in Rome?", "nl"),
        ("Was habe ich dich über Rom gefragt?", "Wie viele Menschen wohnen in Rom?", "de"),
        ("Qu'est-ce que je t'ai demandé sur Rome ?", "Combien de gens vivent à Rome ?", "fr"),
        ("¿Qué te pregunté sobre Roma?", "¿Cuánta gente vive en Roma?", "es"),
        ("What questions have I asked about Rome?", "How many people live in Rome?", "en"),
        ("Welke vragen heb ik gesteld over Rome?", "Hoeveel mensen wonen er in Rome?", "nl"),
        ("Welche Fragen habe ich gestellt über Rom?", "Wie viele Menschen wohnen in Rom?", "de"),
        ("Quelles questions t'ai-je posées sur Rome ?", "Combien de gens vivent à Rome ?", "fr"),
        ("¿Qué preguntas te hice sobre Roma?", "¿Cuánta gente vive en Roma?", "es"),
    ],
)
async def test_who_asks_for_an_earlier_question_gets_it_though_nobody_answered_it(
    question: str, asked: str, language: str
) -> None:
    unanswered = exchange(1, asked, "Nothing answers this yet.", FROM_MEMORY)

    answer = await answer_to(context(question, unanswered, language=language))

    assert asked in answer.content
    other = context(asked.replace("Rom", "Lissabon"), unanswered, language=language)
    assert asked not in (await answer_to(other)).content


async def test_who_asks_for_an_earlier_question_gets_none_about_something_else() -> None:
    rome = exchange(1, "How many people live in Rome?", "Nothing answers this yet.", FROM_MEMORY)
    meta = exchange(2, "What did I ask about Oslo?", "Nothing answers this yet.", FROM_MEMORY)

    answer = await answer_to(context("What did I ask about Paris?", rome, meta))
    assert "Rome" not in answer.content
    assert "Oslo" not in answer.content

    answer = await answer_to(context("What was my last question?", rome, meta))
    assert "Rome" in answer.content
    assert "Oslo" not in answer.content


@for_each(
    "text",
    ["Quería saber cuándo sale el tren.", "Have I asked my landlord about it?", "Ik vroeg me af"],
)
async def test_not_everything_with_asking_asks_for_an_earlier_question(text: str) -> None:
    rome = exchange(1, "How many people live in Rome?", "Nothing answers this yet.", FROM_MEMORY)
    assert "Rome" not in (await answer_to(context(text, rome))).content
