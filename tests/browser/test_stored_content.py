"""Whatever is stored is shown as text: nothing of it runs, loads or breaks the page."""

from uuid import uuid4

from playwright.async_api import Browser, Page, Route

from recollect.domain.conversation.message import AnswerDetails, NewMessage, Role
from recollect.domain.conversation.session import NewSession
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import TenantScope
from recollect.ports import Stores
from support.dashboard.payloads import HARMFUL_ELEMENTS, SCRIPTS
from support.dashboard.visitors import Dashboard, Visitor
from support.recall.scripted_index import index_messages

_USER = "<img src=x onerror=alert(1)>"


async def _store_everywhere(visitor: Visitor) -> NewSession:
    """Put every payload into every field that a page shows."""
    services, scope = visitor.services, visitor.scope
    session = NewSession(
        session_id=uuid4(),
        name=SCRIPTS[0],
        tags=tuple(text[:250] for text in SCRIPTS),
        databases=tuple(text[:250] for text in SCRIPTS),
    )
    await services.sessions.start(scope, session)
    await services.messages.append(
        scope,
        session.session_id,
        [one for text in SCRIPTS for one in _exchange(text)],
    )
    for number, text in enumerate(SCRIPTS):
        other = NewSession(session_id=uuid4(), name=text)
        await services.sessions.start(scope, other)
        await visitor.learn_from(f"I said: {text}", f"Likes {number} {text}")
    await services.profiles.set(scope, "company", {text: text for text in SCRIPTS})
    tenant = TenantScope(tenant=scope.tenant, actor=_USER)
    for text in SCRIPTS:
        await services.api_keys.create(tenant, name=text[:250], scopes=[KeyScope.SERVICE])
    return session


def _exchange(text: str) -> list[NewMessage]:
    details = AnswerDetails(
        sql_query=f"SELECT '{text}' AS \"{text}\" -- {text}",
        query_explanation=text,
        tables_used=(text,),
        execution_result=[{text: text, "b": [text]}],
        citations=(text, {text: text}),
        model=text,
        database=text,
    )
    return [
        NewMessage(message_id=uuid4(), role=Role.USER, content=text),
        NewMessage(message_id=uuid4(), role=Role.ASSISTANT, content=text, details=details),
    ]


async def _check(page: Page) -> None:
    assert await page.evaluate(HARMFUL_ELEMENTS) == [], page.url
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(overflow) <= 0, f"{page.url} is wider than the window"


async def test_thirty_payloads_in_every_field_are_harmless_on_every_page(
    browser: Browser, keyed: Dashboard
) -> None:
    scopes = (KeyScope.USER, KeyScope.ADMIN)
    async with keyed.visited(browser, user=_USER, scopes=scopes) as visitor:
        session = await _store_everywhere(visitor)
        await visitor.arrive()
        await _check(await visitor.open(""))
        talk = f"/conversations/{session.session_id}"
        for path in (
            *("/memory?sort=priority", "/memory?q=<script>", "/conversations"),
            *("/conversations?q=script alert", talk, f"{talk}?page=2"),
            f"/chat?session={session.session_id}",
            *("/privacy", "/keys", "/audit", "/<script>alert(1)</script>"),
        ):
            visitor.expected = ("status of 404",) if "</script>" in path else ()
            await _check(await visitor.open(path))
        page = await visitor.open("/memory?sort=created&order=asc")
        await page.get_by_text("History", exact=True).first.click()
        await page.locator(".changes li").first.wait_for()
        await page.get_by_role("button", name="Edit: ").first.click()
        await page.locator(".editing textarea").wait_for()
        await _check(page)
        assert await page.input_value(".editing textarea") == f"Likes 0 {SCRIPTS[0]}"
        page = await visitor.open(f"/context?session={session.session_id}")
        await page.fill("[name=question]", SCRIPTS[3])
        await page.get_by_role("button", name="Inspect").click()
        await page.locator("[data-tokens]").wait_for()
        await _check(page)
        assert SCRIPTS[0] in (await page.locator("#inspection").text_content() or "")


async def test_an_answer_streams_into_the_page_as_text_with_its_sources(
    sanne: Visitor, stores: Stores
) -> None:
    said = ("I like <b>bold</b> umbrellas", "Noted: <img src=x onerror=alert(1)>")
    session_id = await sanne.talk(*said)
    messages = await stores.messages.last(sanne.scope, session_id, count=2)
    await index_messages(stores, sanne.scope, messages or ())
    page = await sanne.open("/chat")
    await page.fill("[name=question]", "Which umbrellas do I like?")
    await page.keyboard.press("Enter")
    await page.locator(".sources summary").wait_for()
    answer = await page.locator(".message.assistant .text").text_content()
    assert "<b>bold</b> umbrellas" in (answer or "")
    await _check(page)
    await page.wait_for_url("**/chat?session=*")
    assert await page.locator(".message").count() == 2
    await page.reload()
    assert await page.locator(".message").count() == 2, "the conversation was stored"


async def test_a_question_waits_for_the_answer_before_it(sanne: Visitor) -> None:
    page = await sanne.open("/chat")
    asked: list[Route] = []

    async def hold(route: Route) -> None:
        if route.request.method == "POST":
            asked.append(route)
        else:
            await route.continue_()

    await page.route("**/dashboard/chat", hold)
    await page.fill("[name=question]", "Where do I work?")
    await page.keyboard.press("Enter")
    await page.locator(".message.waiting").wait_for()
    await page.fill("[name=question]", "And since when?")
    await page.keyboard.press("Enter")
    await page.wait_for_timeout(200)
    assert len(asked) == 1, "a second one would begin another conversation"
    assert await page.input_value("[name=question]") == "And since when?"
    await asked[0].continue_()
    await page.locator(".sources").wait_for()
    await page.keyboard.press("Enter")
    await page.locator(".message.user", has_text="And since when?").wait_for()


async def test_an_answer_that_breaks_off_says_so_and_gives_the_question_back(
    sanne: Visitor,
) -> None:
    page = await sanne.open("/chat")
    pieces = (
        'event: piece\ndata: {"text":"At Glo"}\n\n'
        'event: problem\ndata: {"html":"<div class=\\"problem\\"><p>It broke off.</p></div>"}\n\n'
    )

    async def answer(route: Route) -> None:
        await route.fulfill(content_type="text/event-stream", body=pieces)

    await page.route("**/dashboard/chat", answer)
    await page.fill("[name=question]", "Where do I work?")
    await page.keyboard.press("Enter")
    await page.get_by_text("It broke off.").wait_for()
    assert await page.locator(".message.assistant .text").text_content() == "At Glo"
    assert await page.input_value("[name=question]") == "Where do I work?"
