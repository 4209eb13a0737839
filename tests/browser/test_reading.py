"""Pages are read with ease: times of the reader, whole widths, and what was looked for stays."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from playwright.async_api import Browser

from support.dashboard.visitors import Dashboard, Visitor

_LINE_UP = """cards => {
  const rows = {};
  for (const card of cards) {
    const { top, left, right } = card.getBoundingClientRect();
    (rows[Math.round(top)] ||= []).push([left, right]);
  }
  const { left, right } = cards[0].parentElement.getBoundingClientRect();
  return Object.values(rows).every(row =>
    Math.abs(Math.min(...row.map(one => one[0])) - left) < 2 &&
    Math.abs(Math.max(...row.map(one => one[1])) - right) < 2);
}"""
"""Whether every row of cards fills the width of the page."""
_NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
_LISTEN = """document.addEventListener("copy", () => { copied = getSelection().toString(); })"""


async def test_times_and_days_are_those_of_the_reader(browser: Browser, keyed: Dashboard) -> None:
    zone = "Pacific/Auckland"
    async with keyed.visited(browser, locale="nl-NL", timezone_id=zone) as visitor:
        await visitor.talk("Hoeveel verkocht Utrecht?", "Drie miljoen.", name="Verkoop")
        await visitor.arrive()
        now = datetime.now(ZoneInfo(zone))
        page = await visitor.open("/context")
        option = page.locator("[name=session] option")
        assert f"Verkoop · {now.day} " in (await option.text_content() or "")
        assert "UTC" not in (await option.text_content() or "")
        page = await visitor.open("")
        day = page.locator(".charts .axis span").nth(1)
        today = datetime.now(UTC)
        assert (await day.text_content() or "").startswith(f"{today.day} "), "it is counted by UTC"
        assert str(today.year) in (await day.text_content() or "")
        assert await page.locator("[data-day]").count() == 0


async def test_cards_leave_no_hole_from_a_phone_to_four_thousand_pixels(sanne: Visitor) -> None:
    session_id = await sanne.talk("How much did Utrecht sell?", "Three million.")
    await sanne.services.contexts.build(sanne.scope, session_id, "And in 2024?")
    for width in (360, 700, 1280, 1900, 3840):
        await sanne.page.set_viewport_size({"width": width, "height": 900})
        page = await sanne.open("")
        for cards in await page.locator(".two, .charts").all():
            assert await cards.locator("> *").evaluate_all(_LINE_UP), width


async def test_the_history_of_a_fact_has_the_whole_width_below_it(sanne: Visitor) -> None:
    await sanne.learn("Works at ACME")
    page = await sanne.open("/memory")
    buttons = page.get_by_role("button", name="Delete: Works at ACME")
    await page.get_by_text("History", exact=True).click()
    await page.locator(".changes li").wait_for()
    history = await page.locator(".history").bounding_box()
    fact = await page.locator(".fact").bounding_box()
    beside = await buttons.bounding_box()
    assert beside
    assert history
    assert fact
    assert history["width"] > 0.9 * fact["width"]
    assert history["y"] > beside["y"] + beside["height"]


async def test_another_language_keeps_what_was_searched_for(sanne: Visitor) -> None:
    await sanne.learn("Works at ACME", "Lives in Utrecht")
    page = await sanne.open("/memory")
    await page.fill("[name=q]", "acme")
    await page.wait_for_url("**q=acme*")
    await page.get_by_role("button", name="Nederlands").first.click()
    await page.get_by_role("heading", name="Geheugen").wait_for()
    assert await page.locator(".fact-content").all_text_contents() == ["Works at ACME"]
    assert await page.input_value("[name=q]") == "acme"


async def test_text_is_copied_also_where_the_browser_has_no_clipboard(
    browser: Browser, keyed: Dashboard
) -> None:
    async with keyed.visited(browser) as visitor:
        await visitor.page.add_init_script(_NO_CLIPBOARD)  # as by HTTP from another machine
        session_id = await visitor.talk("How much did Utrecht sell?", "Three million.")
        await visitor.arrive()
        page = await visitor.open(f"/context?session={session_id}")
        await page.fill("[name=question]", "And Gelderland?")
        await page.get_by_role("button", name="Inspect").click()
        await page.evaluate(_LISTEN)
        await page.locator("[data-copy=sent-messages]").click()
        await page.get_by_role("button", name="Copied").wait_for()
        assert "And Gelderland?" in await page.evaluate("copied")
