"""Dashboard > Memory does all that it was designed for, in a real browser."""

import json

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.facts.fact import FactType
from support.dashboard.visitors import Visitor


async def _shown(visitor: Visitor) -> list[str]:
    contents = await visitor.page.locator(".fact-content").all_text_contents()
    return sorted(contents)


async def test_facts_are_searched_filtered_and_sorted_as_one_types(sanne: Visitor) -> None:
    await sanne.learn("Works at Globex", "Lives in Utrecht")
    await sanne.learn("Prefers bar charts", type=FactType.PREFERENCE)
    page = await sanne.open("/memory")
    assert await _shown(sanne) == ["Lives in Utrecht", "Prefers bar charts", "Works at Globex"]
    await page.fill("[name=q]", "GLOBEX")
    await page.wait_for_url("**q=GLOBEX*")
    assert await _shown(sanne) == ["Works at Globex"]
    await page.fill("[name=q]", "")
    await page.select_option(".filters [name=type]", "preference")
    await page.wait_for_url("**type=preference*")
    assert await _shown(sanne) == ["Prefers bar charts"]
    await page.select_option(".filters [name=type]", "")
    await page.select_option("[name=sort]", "priority")
    await page.wait_for_url("**sort=priority*")
    last = page.locator(".fact-content").last
    assert await last.text_content() == "Prefers bar charts", "the least important comes last"
    await page.fill("[name=q]", "nobody said this")
    await page.get_by_text("No facts match.").wait_for()


async def test_badges_show_type_and_priority_and_the_evidence_leads_to_its_message(
    sanne: Visitor,
) -> None:
    await sanne.learn_from("By the way, I moved to Utrecht last year.", "Lives in Utrecht")
    page = await sanne.open("/memory")
    badges = await page.locator(".fact .badge").all_text_contents()
    assert badges == ["fact", "high"]
    assert await page.locator(".decay svg").get_attribute("aria-label") == "Freshness: 100 %"
    assert "By the way, I moved" in (await page.locator("blockquote").text_content() or "")
    await page.get_by_role("link", name="said here").click()
    pointed = page.locator(".message.pointed .text")
    assert await pointed.text_content() == "By the way, I moved to Utrecht last year."


async def test_a_fact_is_edited_in_place_and_its_history_tells_it(sanne: Visitor) -> None:
    await sanne.learn("Works at ACME")
    page = await sanne.open("/memory")
    await page.get_by_role("button", name="Edit: Works at ACME").click()
    await page.fill("[name=content]:focus", "Works at Globex")
    await page.select_option(".editing [name=priority]", "critical")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_text("never fades").wait_for()
    assert await _shown(sanne) == ["Works at Globex"]
    await page.get_by_text("History", exact=True).click()
    changes = page.locator(".changes li")
    await changes.first.wait_for()
    assert [await changes.nth(n).locator("p").nth(1).text_content() for n in range(2)] == [
        "Works at Globex",
        "Works at ACME",
    ]


async def test_a_deleted_fact_comes_back_by_undo(sanne: Visitor) -> None:
    await sanne.learn("Works at ACME", "Lives in Utrecht")
    page = await sanne.open("/memory")
    await page.get_by_role("button", name="Delete: Works at ACME").click()
    await page.get_by_role("button", name="Undo").wait_for()
    await page.locator("[data-total]", has_text="1").wait_for()
    await page.get_by_role("button", name="Undo").click()
    await page.locator("[data-total]", has_text="2").wait_for()
    assert await _shown(sanne) == ["Lives in Utrecht", "Works at ACME"]


async def test_a_change_that_is_refused_says_why_and_keeps_what_was_typed(sanne: Visitor) -> None:
    sanne.expected = ("status of 409",)
    await sanne.learn("Works at ACME", "Lives in Utrecht")
    page = await sanne.open("/memory")
    await page.get_by_role("button", name="Edit: Works at ACME").click()
    await page.fill("[name=content]:focus", "Lives in Utrecht.")
    await page.get_by_role("button", name="Save").click()
    await page.locator("#problems .problem").wait_for()
    assert await page.input_value(".editing [name=content]") == "Lives in Utrecht."


async def test_facts_are_exported_as_json(sanne: Visitor) -> None:
    await sanne.learn("Works at ACME")
    page = await sanne.open("/memory")
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Export JSON").click()
    document = json.loads((await (await download.value).path()).read_text())
    assert [fact["content"] for fact in document["facts"]] == ["Works at ACME"]


async def test_all_is_cleared_only_when_the_words_are_typed(sanne: Visitor) -> None:
    sanne.expected = ("status of 422",)
    await sanne.learn("Works at ACME", "Lives in Utrecht")
    page = await sanne.open("/memory")
    await page.get_by_text("Clear all").click()
    await page.fill("[name=confirmation]", "yes")
    await page.get_by_role("button", name="Delete all facts").click()
    await page.locator("#problems .problem").wait_for()
    listed = await sanne.services.facts.list(sanne.scope, PageRequest())
    assert len(listed.items) == 2
    await page.fill("[name=confirmation]", "Delete everything")
    await page.get_by_role("button", name="Delete all facts").click()
    await page.get_by_text("Nothing is known yet.").wait_for()


async def test_statistics_count_by_type_and_priority(sanne: Visitor) -> None:
    await sanne.learn("Works at ACME", "Lives in Utrecht")
    await sanne.learn("Prefers bar charts", type=FactType.PREFERENCE)
    page = await sanne.open("/memory")
    assert await page.locator("[data-total]").text_content() == "3"
    rows = [" ".join(text.split()) for text in await page.locator(".lines tr").all_inner_texts()]
    assert {"fact 2", "preference 1", "high 2", "medium 1"} <= set(rows)
    assert await page.locator("#stats figure svg[role=img]").count() == 1


async def test_many_facts_come_in_pages(sanne: Visitor) -> None:
    await sanne.services.fact_transfer.take_in(
        sanne.scope, [{"content": f"Knows customer {number}"} for number in range(60)]
    )
    page = await sanne.open("/memory")
    assert await page.locator(".fact").count() == 25
    await page.get_by_role("link", name="Show more").click()
    await page.locator(".fact").nth(49).wait_for()
