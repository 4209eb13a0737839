"""Which reading of a question is taken, and when a language model is asked for another."""

import asyncio
import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import _lru_cache_wrapper

import pytest

from recollect.composition import build_services
from recollect.domain import followup
from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage, Method, Proposal, Rewrite
from recollect.domain.policy import Policies
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import ModelUnavailable
from recollect.models.tokens import token_counter_for
from recollect.ports.models import FollowUpModel, Prompt
from recollect.services.context.rewriting import Rewriting
from recollect.services.services import ServiceDependencies
from recollect.testing import CountingIds, FakeFollowUpModel, FixedClock
from support.chat_services import SCOPE, Setup
from support.followups import conversation
from support.tables import for_each
from support.timeouts import PATIENCE

HISTORY = conversation(
    "user: Who was Marie Curie?", "assistant: Marie Curie was a physicist and chemist."
)
SALES = [
    HistoryMessage(role=Role.USER, content="Show me total sales by region for 2024"),
    HistoryMessage(
        role=Role.ASSISTANT,
        content="Here is the result.",
        sql_query="SELECT region, SUM(amount) FROM sales WHERE year = 2024 GROUP BY region",
    ),
]
FOLLOW_UP = "When did she die?"
BY_MODEL = "When did Marie Curie die?"
PROPOSAL = Proposal(
    standalone_question=BY_MODEL,
    need=0.95,
    confidence=0.8,
    explanations=('"she" stands for "Marie Curie"',),
    topic="Marie Curie",
)


@dataclass
class FakeLlm:
    """Gives the reply it was given, and records the prompts."""

    reply: str = ""
    delay: float = 0.0
    fails: bool = False
    prompts: list[Sequence[Prompt]] = field(default_factory=list)

    async def complete(
        self,
        messages: Sequence[Prompt],
        *,
        max_tokens: int,
        timeout: float,  # noqa: ASYNC109  # the port's
    ) -> str:
        self.prompts.append(messages)
        await asyncio.sleep(self.delay)
        if self.fails:
            raise ModelUnavailable
        return self.reply


def rewriting(
    follow_ups: FollowUpModel | None, llm: FakeLlm | None = None, **policies: object
) -> Rewriting:
    dependencies = ServiceDependencies(
        clock=FixedClock(),
        ids=CountingIds(),
        counter_for=token_counter_for,
        follow_up_model=follow_ups,
        answering_model=llm,
    )
    made = build_services(in_memory_stores(), dependencies, Policies(**policies))  # type: ignore[arg-type]
    return replace(made.rewriting, time_limit=PATIENCE)


async def by_model(proposal: Proposal, **policies: object) -> Rewrite:
    model = FakeFollowUpModel({FOLLOW_UP: proposal})
    return await rewriting(model, **policies).after(HISTORY, FOLLOW_UP, language="en")


async def by_llm(
    llm: FakeLlm, *, size: str = "70b", question: str = FOLLOW_UP, **policies: object
) -> Rewrite:
    model = FakeFollowUpModel({FOLLOW_UP: PROPOSAL})
    made = rewriting(model, llm, model=f"wonder:{size}", **policies)
    return await made.after(HISTORY, question, language="en")


async def test_a_sure_rewrite_of_the_model_is_returned_with_its_explanation_and_topic() -> None:
    result = await by_model(PROPOSAL)

    assert result == Rewrite(
        standalone_question=BY_MODEL,
        is_follow_up=True,
        method=Method.MODEL,
        signals=('"she" stands for "Marie Curie"',),
        confidence=0.8,
        language="en",
        topic="Marie Curie",
        context_terms=("Marie", "Curie"),
    )
    assert result.search_text == BY_MODEL


async def test_an_unsure_follow_up_stays_as_asked_and_its_topic_goes_beside_it() -> None:
    result = await by_model(replace(PROPOSAL, confidence=0.59))

    assert (result.standalone_question, result.method) == (FOLLOW_UP, Method.NONE)
    assert result.is_follow_up
    assert result.signals == ()
    assert result.confidence == pytest.approx(0.05)
    assert result.topic == "Marie Curie"
    assert result.search_text == "When did she die? Marie Curie"


async def test_the_least_confidence_of_a_rewrite_is_configurable() -> None:
    assert (await by_model(PROPOSAL, rewrite_confidence=0.81)).method is Method.NONE
    unsure = replace(PROPOSAL, confidence=0.2)
    assert (await by_model(unsure, rewrite_confidence=0.2)).method is Method.MODEL


async def test_a_question_that_probably_stands_alone_is_not_rewritten() -> None:
    result = await by_model(replace(PROPOSAL, need=0.4, confidence=0.9))

    assert (result.standalone_question, result.is_follow_up) == (FOLLOW_UP, False)
    assert result.confidence == pytest.approx(0.6)
    assert (result.topic, result.context_terms) == (None, ())


async def test_line_breaks_of_the_history_do_not_get_into_a_question() -> None:
    broken = replace(PROPOSAL, standalone_question="When did Marie\n  Curie die?")

    assert (await by_model(broken)).standalone_question == BY_MODEL


async def test_context_terms_are_at_most_twelve() -> None:
    long = " ".join(f"word{number}" for number in range(20))
    model = FakeFollowUpModel({FOLLOW_UP: replace(PROPOSAL, topic=long)})

    result = await rewriting(model).after(HISTORY, FOLLOW_UP, language="en")

    assert len(result.context_terms) == 12


async def test_a_question_without_a_history_is_never_shown_to_the_model() -> None:
    model = FakeFollowUpModel({FOLLOW_UP: PROPOSAL})
    made = rewriting(model)

    for _ in range(2):
        assert not (await made.after([], FOLLOW_UP)).is_follow_up
        await made.prepare()

    assert model.questions == []


async def test_a_question_about_the_user_stands_alone_after_another_language() -> None:
    question = "Waar woon ik?"
    history = conversation("user: what is the name of the man who lives with me?", "assistant: Al.")
    wrong = replace(PROPOSAL, standalone_question="Waar woon ik the name of the man?")
    model = FakeFollowUpModel({question: wrong})

    result = await rewriting(model).after(history, question)

    assert result.standalone_question == question
    assert model.questions == []


async def test_the_model_reads_what_users_and_assistants_said() -> None:
    model = FakeFollowUpModel()
    system = HistoryMessage(role=Role.SYSTEM, content="You are kind.")

    await rewriting(model).after([system, *HISTORY], FOLLOW_UP)

    assert model.histories == [tuple(HISTORY)]


async def test_questions_at_once_get_their_own_answers() -> None:
    questions = {f"And in {year}?": f"What was sold in {year}?" for year in range(1990, 2010)}
    made = rewriting(FakeFollowUpModel(questions))

    results = await asyncio.gather(*(made.after(HISTORY, question) for question in questions))

    assert [one.standalone_question for one in results] == list(questions.values())


@for_each(
    ("question", "standalone"),
    [
        ("What about 2023?", "Show me total sales by region for 2023"),
        ("Exclude North", "Show me total sales by region for 2024, without North"),
        ("Break that down by month", "Show me total sales by month for 2024"),
        ("What is our refund policy?", "What is our refund policy?"),
        ("Why is the North so far ahead?", "Why is the North so far ahead?"),
    ],
)
async def test_rules_read_fragments_that_change_one_part_of_the_last_question(
    question: str, standalone: str
) -> None:
    result = await rewriting(None).after(SALES, question, language="en")

    assert result.standalone_question == standalone
    assert (result.method is Method.RULES) == (question != standalone)
    assert bool(result.signals) == (question != standalone)


async def test_the_model_is_asked_where_the_rules_are_not_sure() -> None:
    by_model = Proposal(standalone_question="Total sales in 2023?", need=0.95, confidence=0.97)
    made = rewriting(FakeFollowUpModel({"What about 2023?": by_model}))
    strict = replace(made, policies=replace(made.policies, rewrite_confidence=0.96))

    assert (await made.after(SALES, "What about 2023?")).method is Method.RULES
    assert (await strict.after(SALES, "What about 2023?")).method is Method.MODEL


@for_each("remark", ["without emojis please", "per email", "by the way", "in French"])
async def test_remarks_and_wishes_about_form_are_not_shown_to_the_model(remark: str) -> None:
    sure = Proposal(standalone_question=f"{SALES[0].content} {remark}", need=1.0, confidence=1.0)

    rewrite = await rewriting(FakeFollowUpModel({remark: sure})).after(SALES, remark, language="en")

    assert (rewrite.standalone_question, rewrite.is_follow_up) == (remark, False)


async def test_the_model_reads_fragments_as_the_questions_they_stand_for() -> None:
    model = FakeFollowUpModel({"Was that higher?": "Were sales in 2023 higher?"})
    history = [*SALES, HistoryMessage(role=Role.USER, content="What about 2023?")]

    await rewriting(model).after(history, "Was that higher?")

    assert model.histories[-1][-1].content == "Show me total sales by region for 2023"


async def test_rules_need_no_sql() -> None:
    history = [replace(message, sql_query=None) for message in SALES]

    assert (await rewriting(None).after(history, "What about 2023?")).method is Method.RULES


async def test_a_large_language_model_rewrites() -> None:
    llm = FakeLlm(reply="In which year did Marie Curie die?")

    result = await by_llm(llm)

    assert result.standalone_question == "In which year did Marie Curie die?"
    assert result.method is Method.LLM
    assert result.signals == ("rewritten by a language model",)
    assert result.topic == "Marie Curie"
    assert "When did she die?" in llm.prompts[0][-1].content
    assert "Who was Marie Curie?" in llm.prompts[0][-1].content


async def test_labels_and_quotes_around_the_reply_are_taken_off() -> None:
    llm = FakeLlm(reply='Standalone question: "When did Marie Curie die?"\n\nI hope this helps')

    result = await by_llm(llm, size="14b")

    assert result.standalone_question == "When did Marie Curie die?"
    assert result.method is Method.LLM


async def test_a_request_may_be_repeated_with_another_value() -> None:
    llm = FakeLlm(reply="Show me total sales by region for 2023")
    model = FakeFollowUpModel({"What about 2023?": replace(PROPOSAL, confidence=0.1)})
    history = [replace(said, sql_query=None) for said in SALES]

    result = await rewriting(model, llm, model="gpt-4o").after(history, "What about 2023?")

    assert (result.standalone_question, result.method) == (llm.reply, Method.LLM)


@for_each("size", ["unknown", "3b", "13.9b"])
async def test_a_small_or_unknown_language_model_is_not_asked(size: str) -> None:
    llm = FakeLlm(reply="When did Marie Curie die?")

    result = await by_llm(llm, size=size)

    assert result.method is Method.MODEL
    assert not llm.prompts


async def test_the_minimum_size_of_rewriting_models_is_configurable() -> None:
    llm = FakeLlm(reply="When did Marie Curie die?")

    result = await by_llm(llm, size="8b", rewrites_from_billions=7)

    assert result.method is Method.LLM


async def test_a_language_model_is_not_asked_where_more_confidence_is_wanted_than_it_gives() -> (
    None
):
    llm = FakeLlm(reply="When did Marie Curie die?")

    await by_llm(llm, rewrite_confidence=0.9)

    assert not llm.prompts


async def test_a_standalone_question_never_reaches_the_language_model() -> None:
    llm = FakeLlm(reply="What is the capital of Germany?")

    result = await by_llm(llm, question="What is the capital of France?")

    assert result.standalone_question == "What is the capital of France?"
    assert result.method is Method.NONE
    assert not llm.prompts


@for_each(
    "reply",
    [
        "",
        FOLLOW_UP,
        "Marie Curie died on 4 July 1934 in Passy, France.",
        "Marie Curie died in 1934.",
        "Wanneer is Marie Curie overleden in Frankrijk?",
        "When did Marie Curie die? " * 60,
        "What is the tallest mountain on Earth?",
        "I am sorry, but I cannot help with that request.",
        "asdf qwer zxcv",
    ],
)
async def test_a_reply_that_is_no_rewrite_falls_back_to_the_proposal(reply: str) -> None:
    result = await by_llm(FakeLlm(reply=reply))

    assert result.standalone_question == BY_MODEL
    assert result.method is Method.MODEL


async def test_a_language_model_that_fails_falls_back_to_the_proposal() -> None:
    result = await by_llm(FakeLlm(fails=True))

    assert result.standalone_question == BY_MODEL


async def test_a_language_model_that_takes_too_long_falls_back_to_the_proposal() -> None:
    llm = FakeLlm(reply="When did Marie Curie die?", delay=30)
    model = FakeFollowUpModel({FOLLOW_UP: PROPOSAL})
    made = replace(rewriting(model, llm, model="gpt-4o"), time_limit=0.02)

    result = await made.after(HISTORY, FOLLOW_UP)

    assert result.method is Method.MODEL


async def test_an_erasure_drops_the_questions_that_the_process_has_read() -> None:
    setup = Setup()
    await setup.ask("Show me total sales by region for 2024")
    await setup.ask("What about 2023?")
    assert any(map(_cached, _caches_of_questions()))
    await setup.services.erasing.complete(await setup.services.erasing.begin(SCOPE))
    assert not any(map(_cached, _caches_of_questions()))


def _caches_of_questions() -> "list[_lru_cache_wrapper[object]]":
    """All bounded caches of the package: those without a bound are of languages."""
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(followup.__path__, f"{followup.__name__}.")
    ]
    held = [one for module in modules for one in vars(module).values()]
    caches = [one for one in held if isinstance(one, _lru_cache_wrapper)]
    return [one for one in caches if one.cache_info().maxsize is not None]


def _cached(read: "_lru_cache_wrapper[object]") -> int:
    return read.cache_info().currsize
