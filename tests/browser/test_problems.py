"""What goes wrong is seen where the reader is, says what to do, and keeps what was typed."""

import asyncio

from playwright.async_api import Browser, Route

from recollect.interfaces.dashboard.cookies import COOKIE
from support.dashboard.visitors import Dashboard, Visitor

_IN_VIEW = """element => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""
_LOST = "The connection was lost. What you typed is still here."


async def _edit(visitor: Visitor) -> None:
    await visitor.learn("Works at ACME")
    page = await visitor.open("/memory")
    await page.get_by_role("button", name="Edit: Works at ACME").click()
    await page.fill("[name=content]:focus", "Works at Globex")


async def test_a_problem_is_seen_at_the_foot_of_a_long_page_and_can_be_closed(
    sanne: Visitor,
) -> None:
    sanne.expected = ("status of 422",)
    await sanne.services.fact_transfer.take_in(
        sanne.scope, [{"content": f"Knows customer {number}"} for number in range(25)]
    )
    page = await sanne.open("/memory")
    await page.get_by_text("Clear all").click()
    await page.fill("[name=confirmation]", "yes")
    await page.get_by_role("button", name="Delete all facts").click()
    problem = page.locator("#problems .problem")
    await problem.get_by_text("Type “delete everything” to confirm.").wait_for()
    assert await page.evaluate("scrollY") > 500
    assert await problem.evaluate(_IN_VIEW)
    await problem.get_by_role("button", name="Close").click()
    assert await problem.count() == 0


async def test_a_lost_connection_is_told_and_the_change_can_be_repeated(sanne: Visitor) -> None:
    sanne.expected = ("ERR_INTERNET_DISCONNECTED", "htmx:")
    await _edit(sanne)
    page = sanne.page
    await page.context.set_offline(True)
    await page.get_by_role("button", name="Save").click()
    await page.locator("#problems").get_by_text(_LOST).wait_for()
    await page.context.set_offline(False)
    await page.get_by_role("button", name="Save").click()
    await page.locator(".fact-content", has_text="Works at Globex").wait_for()
    assert await page.locator("#problems .problem").count() == 0


async def test_the_error_page_of_a_proxy_replaces_no_part_of_the_page(sanne: Visitor) -> None:
    sanne.expected = ("status of 502", "htmx:")
    await _edit(sanne)
    page = sanne.page

    async def fail(route: Route) -> None:
        await route.fulfill(status=502, content_type="text/html", body="<h1>502 of nginx</h1>")

    for path, button, field in (
        ("memory", "Save", ".editing [name=content]"),
        ("chat", "Ask", "[name=question]"),
    ):
        if path == "chat":
            await page.goto(f"{sanne.url}/dashboard/chat")
            await page.fill(field, "Works at Globex")
        await page.route("**/dashboard/**", fail)
        await page.get_by_role("button", name=button, exact=True).click()
        await page.get_by_text("The server did not answer as it should.").wait_for()
        assert await page.input_value(field) == "Works at Globex"
        assert await page.get_by_text("502 of nginx").count() == 0
        await page.unroute("**/dashboard/**")


async def test_a_visit_that_has_expired_keeps_what_was_typed(sanne: Visitor) -> None:
    sanne.expected = ("status of 401",)
    await _edit(sanne)
    page = sanne.page
    await page.context.clear_cookies(name=COOKIE)
    await page.get_by_role("button", name="Save").click()
    problem = page.locator("#problems .problem")
    await problem.get_by_text("You are no longer signed in.").wait_for()
    assert await page.input_value(".editing [name=content]") == "Works at Globex"
    link = problem.get_by_role("link", name="Sign in")
    assert await link.get_attribute("target") == "_blank", "the page with the text stays open"


async def test_problems_are_told_in_the_language_of_the_page(
    browser: Browser, keyed: Dashboard
) -> None:
    async with keyed.visited(browser, locale="nl-NL") as visitor:
        visitor.expected = ("status of 409", "status of 401")
        page = await visitor.open("/memory")
        await page.fill("[name=token]", "rec_of-nobody")
        await page.click("main form button.primary")
        await page.get_by_text("De API-sleutel is niet geldig.").wait_for()
        await visitor.learn("Werkt bij ACME", "Woont in Utrecht")
        await visitor.arrive()
        page = await visitor.open("/memory")
        await page.get_by_role("button", name="Bewerk: Werkt bij ACME").click()
        await page.fill("[name=content]:focus", "Woont in Utrecht.")
        await page.get_by_role("button", name="Opslaan").click()
        await page.get_by_text("Een ander feit zegt hetzelfde.").wait_for()


async def test_a_change_that_takes_long_is_seen_at_the_top_of_the_window(sanne: Visitor) -> None:
    await _edit(sanne)
    page = sanne.page
    bar = "getComputedStyle(document.body, '::before').animationName"
    held: list[Route] = []

    async def hold(route: Route) -> None:
        if route.request.method == "POST":
            held.append(route)
        else:
            await route.continue_()

    await page.route("**/dashboard/memory/*", hold)
    assert await page.evaluate(bar) == "none"
    await page.get_by_role("button", name="Save").click()
    await page.locator("form.htmx-request").wait_for()
    assert await page.evaluate(bar) == "busy"
    await held[0].continue_()
    await page.locator(".fact-content", has_text="Works at Globex").wait_for()
    async with asyncio.timeout(30):
        while await page.evaluate(bar) != "none":  # noqa: ASYNC110  # no event tells it
            await asyncio.sleep(0.02)
