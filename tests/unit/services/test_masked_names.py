"""Conversations in which names of people are masked when they are stored."""

import pytest

from recollect.domain.conversation.message import AnswerDetails, NewMessage, Role
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.scope import TenantScope
from recollect.domain.policy import Policies
from recollect.domain.privacy.masking import MaskingMode, MaskingPolicies
from recollect.domain.privacy.results import ResultPolicy
from recollect.domain.recall.entry import RecallPolicy
from support.chat_services import SCOPE, SESSION, Setup
from support.listed_names import ListedNames
from support.scripted_answerer import ScriptedAnswerer

MASKED = Policies(
    masking=MaskingPolicies(usual=MaskingMode.MASK, key=b"a key of a test, long enough"),
    recall=RecallPolicy(k=1),
    results=ResultPolicy.parse("rows:5"),
)
PEOPLE = ("Anna Bos", "Bert Kok", "Cees Mol", "Dora Vos")


def setup_with(*replies: str, policies: Policies = MASKED) -> Setup:
    return Setup(policies=policies, answerer=ScriptedAnswerer(*replies), names=ListedNames(*PEOPLE))


def mask_of(name: str) -> str:
    find = ListedNames(*PEOPLE).find_here
    masker = MASKED.masking.masker(SCOPE.owner_id, MaskingMode.MASK, find_names=find)
    assert masker is not None
    return masker.text(name)


async def test_a_name_is_stored_as_a_mask_and_the_user_gets_the_whole_answer() -> None:
    setup = setup_with("Anna Bos knows Bert Kok.")

    answered = await setup.ask("Who is Anna Bos?")

    assert answered.answer.content == "Anna Bos knows Bert Kok."
    assert setup.answerer.requests[-1].context.question == "Who is Anna Bos?"
    assert await setup.stored_texts() == [
        ("user", f"Who is {mask_of('Anna Bos')}?"),
        ("assistant", f"{mask_of('Anna Bos')} knows {mask_of('Bert Kok')}."),
    ]


@pytest.mark.parametrize("person", PEOPLE)
async def test_a_name_finds_the_exchange_that_has_its_mask(person: str) -> None:
    setup = setup_with("It is noted.")
    for name in PEOPLE:
        await setup.ask(f"The invoice of {name} is late", session_id=None)
    assert setup.services.indexing is not None
    while await setup.services.indexing.do_some():
        pass

    results = await setup.services.recall.search(SCOPE, f"invoice of {person.upper()}", k=1)
    await setup.ask(f"What was late of {person}?")

    assert [mask_of(person) in one.text for one in results.items] == [True]
    (recalled,) = setup.answerer.requests[-1].context.recalled
    assert f"The invoice of {person} is late" in recalled.text


async def test_a_follow_up_shows_the_name_that_it_has_and_masks_of_others() -> None:
    setup = setup_with("Noted.")

    await setup.ask("Who is Anna Bos?")
    await setup.ask("And what about Bert Kok?")
    await setup.ask("Was it ANNA BOS?")

    window = setup.answerer.requests[-1].context.window
    assert window[0].content == "Who is ANNA BOS?"
    assert window[2].content == f"And what about {mask_of('Bert Kok')}?"


async def test_a_name_in_an_answer_is_masked_in_its_sql_and_results_too() -> None:
    setup = setup_with()
    await setup.services.sessions.start(
        SCOPE, NewSession(session_id=SESSION, name="About Dora Vos")
    )
    sql = "SELECT owner FROM shop.users WHERE owner = 'anna bos'"
    details = AnswerDetails(
        sql_query=sql,
        execution_result=[{"owner": "ANNA BOS", "region": "North"}],
        citations=({"text": "Bert Kok wrote it"},),
    )
    message = NewMessage(
        message_id=SESSION,
        role=Role.ASSISTANT,
        content="Anna Bos has two.",
        metadata={"seen_by": ["Cees Mol"]},
        details=details,
    )

    await setup.services.messages.append(SCOPE, SESSION, [message])

    (stored,) = await setup.services.messages.last(SCOPE, SESSION, count=1)
    anna = mask_of("Anna Bos")
    assert stored.details.sql_query == sql.replace("anna bos", anna)
    assert stored.metadata == {"seen_by": [mask_of("Cees Mol")]}
    everything = str((stored, await setup.services.sessions.get(SCOPE, SESSION))).lower()
    assert not any(person.lower() in everything for person in PEOPLE)
    assert "north" in everything


async def test_names_stay_where_masking_is_off_and_nothing_is_read() -> None:
    setup = setup_with("Anna Bos knows.", policies=Policies())

    await setup.ask("Who is Anna Bos?")

    assert ("user", "Who is Anna Bos?") in await setup.stored_texts()
    assert isinstance(setup.names, ListedNames)
    assert setup.names.read == []


async def test_a_tenant_that_masks_has_names_masked_on_a_server_that_does_not() -> None:
    policies = Policies(masking=MaskingPolicies(key=MASKED.masking.key))
    setup = setup_with("Noted.", policies=policies)
    tenant = TenantScope(tenant=SCOPE.tenant)
    await setup.services.tenant_settings.change(tenant, {"mask_pii": "mask"})

    await setup.ask("Who is Anna Bos?")

    assert ("user", f"Who is {mask_of('Anna Bos')}?") in await setup.stored_texts()
