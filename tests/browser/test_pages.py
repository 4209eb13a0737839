"""Every page: fit for screen readers, keyboards, small and large windows; contexts as they are."""

import json
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from playwright.async_api import Browser, Page

from recollect.domain.identity.accounts import KeyScope
from recollect.ports import Stores
from support.dashboard.visitors import Dashboard, Visitor
from support.recall.scripted_index import index_messages
from support.timeouts import PATIENCE

_AXE = (Path(__file__).parent / "assets" / "axe.min.js").read_text(encoding="utf-8")
_PAGES = (
    *("", "/memory", "/conversations", "/context", "/chat", "/privacy", "/keys", "/audit"),
    "/tenant",
    "/sign-in",
)
_WIDTHS = (320, 1100, 1200, 1440)
_IS_WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
_OPEN_SOME = "all => all.forEach((one, place) => { one.open = place % 25 === 0; })"
_KEEP_SOME = "all => all.forEach((one, place) => { if (place % 5) one.remove(); })"
"""All parts of the API's page are made alike, and to check every one takes five seconds."""
_HIDE = """
Object.defineProperty(document, "hidden", {{value: {is_hidden}, configurable: true}});
document.dispatchEvent(new Event("visibilitychange"));
"""
_SERIOUS = """async () => {
  const result = await axe.run(document, {resultTypes: ["violations"]});
  return result.violations
    .filter(one => ["serious", "critical"].includes(one.impact))
    .map(one => `${one.id}: ${one.nodes.map(node => node.html.slice(0, 120)).join(" | ")}`);
}"""


async def _serious_findings(page: Page) -> list[str]:
    await page.evaluate(_AXE)  # through the debugger, which the page's policy does not bind
    findings: list[str] = await page.evaluate(_SERIOUS)
    return findings


async def _fill(visitor: Visitor) -> str:
    await visitor.learn_from("I moved to Utrecht last year.", "Lives in Utrecht")
    session_id = await visitor.talk(
        "Revenue by region?",
        "Utrecht leads.",
        name="Revenue",
        sql_query="SELECT 1 -- one",
        execution_result=[{"region": "Utrecht", "revenue": 3}],
        tables_used=("shop.sales",),
    )
    await visitor.services.facts.add(visitor.scope, "Reports in euros")
    return str(session_id)


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("dark", 360)], ids=["light", "dark on a phone"]
)
async def test_no_page_has_a_serious_finding_of_axe_or_is_too_wide(
    browser: Browser, keyed: Dashboard, scheme: str, width: int
) -> None:
    async with keyed.visited(
        browser,
        scopes=(KeyScope.USER, KeyScope.ADMIN),
        color_scheme=scheme,
        viewport={"width": width, "height": 800},
    ) as visitor:
        session_id = await _fill(visitor)
        await visitor.arrive()
        for path in (*_PAGES, f"/conversations/{session_id}", "/conversations?q=revenue"):
            page = await visitor.open(path)
            assert ("/sign-in" in page.url) == (path == "/sign-in")
            assert await _serious_findings(page) == [], path
            assert not await page.evaluate(_IS_WIDER), path
        await visitor.page.goto(f"{visitor.url}/docs")
        parts = visitor.page.locator("details")
        await parts.evaluate_all(_OPEN_SOME)
        assert not await visitor.page.evaluate(_IS_WIDER)
        await parts.evaluate_all(_KEEP_SOME)
        assert await _serious_findings(visitor.page) == []
        page = await visitor.open("/memory")
        await page.get_by_role("button", name="Edit: Lives in Utrecht").click()
        await page.locator(".editing textarea").wait_for()
        assert await _serious_findings(page) == []


@pytest.mark.parametrize("language", ["en", "nl"])
async def test_no_page_is_wider_than_its_window(
    browser: Browser, keyed: Dashboard, language: str
) -> None:
    async with keyed.visited(
        browser, scopes=(KeyScope.USER, KeyScope.ADMIN), locale=language
    ) as visitor:
        session_id = await _fill(visitor)
        await visitor.services.contexts.build(visitor.scope, UUID(session_id), "And in 2024?")
        await visitor.arrive()
        for path in (*_PAGES, f"/conversations/{session_id}"):
            page = await visitor.open(path)
            for width in _WIDTHS:
                await page.set_viewport_size({"width": width, "height": 800})
                assert not await page.evaluate(_IS_WIDER), f"{path} at {width}"
            has_times = await page.locator("#times").count()
            assert has_times == (path == ""), "the table of the steps is the widest part"


async def test_the_first_press_of_tab_skips_the_menu_and_the_current_page_is_in_view(
    sanne: Visitor,
) -> None:
    page = await sanne.open("/memory")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.className") == "skip"
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.textContent") == "Export JSON"
    await page.set_viewport_size({"width": 360, "height": 740})
    page = await sanne.open("/privacy")
    box = await page.locator(".side nav [aria-current]").bounding_box()
    assert box
    assert 0 <= box["x"] <= 360 - box["width"]


async def test_a_fact_is_edited_and_deleted_by_keyboard_alone(sanne: Visitor) -> None:
    await sanne.learn("Works at ACME")
    page = await sanne.open("/memory")
    focused = "document.activeElement.getAttribute('aria-label') || document.activeElement.name"

    async def tab_to(name: str) -> None:
        for _ in range(60):
            if await page.evaluate(focused) == name:
                return
            await page.keyboard.press("Tab")
        pytest.fail(f"no way by keyboard to {name!r}")

    await tab_to("Edit: Works at ACME")
    await page.keyboard.press("Enter")
    await page.locator(".editing textarea:focus").wait_for()
    await page.keyboard.press("Control+a")
    await page.keyboard.type("Works at Globex")
    for _ in range(3):
        await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.locator("[aria-label='Edit: Works at Globex']:focus").wait_for()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.locator("button:focus", has_text="Undo").wait_for()
    await page.keyboard.press("Enter")
    await page.locator("[aria-label='Edit: Works at Globex']:focus").wait_for()


async def test_the_inspector_shows_what_the_api_returns(sanne: Visitor) -> None:
    await sanne.learn("Reports in euros")
    session_id = await sanne.talk("How much did Utrecht sell in 2023?", "3 million euros.")
    page = await sanne.open(f"/context?session={session_id}")
    await page.fill("[name=question]", "And in 2024?")
    await page.fill("[name=max_tokens]", "700")
    await page.get_by_role("button", name="Inspect").click()
    await page.locator("[data-tokens]").wait_for()
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        response = await client.post(
            f"{sanne.url}/api/v1/sessions/{session_id}/context",
            json={"question": "And in 2024?", "max_tokens": 700},
            headers={"Authorization": f"Bearer {sanne.key}"},
        )
    context = response.json()
    shown = json.loads(await page.locator("[data-messages]").text_content() or "")
    assert shown == context["messages"]
    assert await page.locator("[data-tokens]").text_content() == str(context["tokens"])
    standalone = await page.locator("[data-standalone]").text_content()
    assert standalone == context["standalone_question"]
    assert "of at most 700" in await page.locator("#inspection").inner_text()
    await page.locator("[name=preset]").select_option("chat")
    await page.locator("[data-tokens]").wait_for()


async def test_conversations_are_searched_renamed_and_deleted(
    sanne: Visitor, stores: Stores
) -> None:
    session_id = await sanne.talk("How much did Utrecht sell?", "Three million.", name="Sales")
    messages = await stores.messages.last(sanne.scope, session_id, count=2)
    await index_messages(stores, sanne.scope, messages or ())
    page = await sanne.open("/conversations")
    await page.fill("[name=q]", "Utrecht")
    await page.locator(".snippet", has_text="Utrecht").wait_for()
    await page.get_by_role("link", name="Sales").click()
    assert str(session_id) in page.url
    await page.get_by_text("Rename", exact=True).click()
    await page.fill("[name=name]", "Sales of Utrecht")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("heading", name="Sales of Utrecht").wait_for()
    await page.get_by_text("Delete", exact=True).click()
    await page.get_by_role("button", name="Delete the conversation").click()
    await page.get_by_text("No conversations yet.").wait_for()


async def test_everything_is_erased_with_a_receipt(sanne: Visitor) -> None:
    await _fill(sanne)
    page = await sanne.open("/privacy")
    await page.fill("[name=confirmation]", "erase everything")
    await page.get_by_role("button", name="Erase everything").click()
    await page.get_by_role("heading", name="Erasing …").wait_for()
    await page.evaluate(_HIDE.format(is_hidden="true"))
    await page.locator("#erasure[data-waits]").wait_for()  # it asks for nothing while nobody looks
    await page.evaluate(_HIDE.format(is_hidden="false"))
    while await sanne.services.erasing.do_some():
        pass
    await page.get_by_role("heading", name="Everything is erased.").wait_for()
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Download the receipt").click()
    receipt = json.loads((await (await download.value).path()).read_text())
    assert receipt["user"] == "sanne"
    await sanne.services.erasing.check(receipt)
