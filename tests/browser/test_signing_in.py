"""Who sees what: signing in and out, users apart, service and admin keys, the local user."""

from collections.abc import Callable
from typing import Any

from playwright.async_api import Browser

from recollect.domain.conversation.paging import PageRequest
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import TenantScope
from support.dashboard.visitors import Dashboard, Visitor

_REFUSED = ("status of 401",)


async def test_a_visitor_signs_in_with_a_key_and_out_again(
    browser: Browser, keyed: Dashboard
) -> None:
    async with keyed.visited(browser) as visitor:
        visitor.expected = _REFUSED
        page = await visitor.open("/memory?status=any")
        assert "/dashboard/sign-in?next=" in page.url
        await page.fill("[name=token]", "rec_of-nobody")
        await page.click("main form button.primary")
        await page.get_by_text("the API key is not valid").wait_for()
        await page.fill("[name=token]", visitor.key)
        await page.click("main form button.primary")
        await page.wait_for_url(f"{keyed.url}/dashboard/memory?status=any")
        (cookie,) = [one for one in await page.context.cookies() if one["path"] == "/dashboard"]
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
        assert visitor.key not in cookie["value"]
        await page.get_by_role("button", name="Sign out").click()
        await page.wait_for_url("**/dashboard/sign-in")
        page = await visitor.open("/memory")
        assert "/dashboard/sign-in?next=" in page.url


async def test_two_users_see_only_their_own(browser: Browser, keyed: Dashboard) -> None:
    async with (
        keyed.visited(browser, user="sanne", tenant="shared-tenant") as sanne,
        keyed.visited(browser, user="piet", tenant="shared-tenant") as piet,
    ):
        piet.expected = ("status of 404",)
        await sanne.learn("Works at ACME")
        talk = await sanne.talk("Where do I work?", "At ACME.", name="About work")
        await piet.learn("Works at Globex")
        await piet.arrive()
        page = await piet.open("/memory")
        assert await page.locator(".fact-content").all_text_contents() == ["Works at Globex"]
        page = await piet.open("/conversations")
        await page.get_by_text("No conversations yet.").wait_for()
        page = await piet.open(f"/conversations/{talk}")
        await page.get_by_role("heading", name="Session not found").wait_for()


async def test_a_revoked_key_ends_the_visit_at_once(sanne: Visitor) -> None:
    tenant = TenantScope(tenant=sanne.scope.tenant, actor="test")
    (key,) = await sanne.services.api_keys.list(tenant)
    await sanne.services.api_keys.revoke(tenant, key.key_id)
    page = await sanne.open("/memory")
    assert "/dashboard/sign-in" in page.url


async def test_a_service_key_chooses_the_user_and_every_look_is_audited(
    browser: Browser, keyed: Dashboard
) -> None:
    scopes = (KeyScope.SERVICE, KeyScope.ADMIN)
    async with keyed.visited(browser, user="piet", scopes=scopes) as operator:
        await operator.learn("Works at Globex")
        await operator.sign_in("/dashboard/user")
        page = operator.page
        await page.fill("[name=user]", "piet")
        await page.click("main form button.primary")
        page = await operator.open("/memory")
        assert await page.locator(".fact-content").all_text_contents() == ["Works at Globex"]
        assert operator.services.audit_trail is not None
        await operator.services.audit_trail.settle()
        page = await operator.open("/audit?user=piet")
        rows = await page.locator("tbody tr").all_inner_texts()
        looks = [row for row in rows if "fact.read" in row]
        assert looks
        assert all("key:" in row and "dashboard" in row for row in looks)


async def test_an_admin_makes_a_key_that_works_and_revokes_it(
    browser: Browser, keyed: Dashboard
) -> None:
    async with keyed.visited(browser, scopes=(KeyScope.ADMIN,)) as admin:
        await admin.sign_in("/dashboard/keys")
        page = admin.page
        await page.get_by_text("Make a key").first.click()
        await page.fill("[name=name]", "for the tests")
        await page.check("[name=scope_user]")
        await page.fill(".adding [name=user]", "piet")
        await page.get_by_role("button", name="Make a key").click()
        made = await page.locator("#new-key").text_content()
        assert (await admin.services.api_keys.recognise(made or "")).user == "piet"
        await page.get_by_role("link", name="Done").click()
        await page.get_by_text("Revoke", exact=True).first.click()
        await page.get_by_role("button", name="Revoke the key").first.click()
        await page.get_by_text("revoked").first.wait_for()
        page = await admin.open("/tenant")
        await page.fill("[name=retention]", "sliding:30")
        await page.get_by_role("button", name="Save").click()
        await page.locator("code", has_text="sliding:30").wait_for()
        await page.select_option("[name=mask_pii]", "off")
        await page.get_by_role("button", name="Save").click()
        await page.locator("[name=version][value='2']").first.wait_for(state="attached")
        assert await page.input_value("[name=mask_pii]") == "off"
        assert await page.input_value("[name=retention]") == "sliding:30"


async def test_a_key_that_is_refused_keeps_what_was_typed(
    browser: Browser, keyed: Dashboard
) -> None:
    async with keyed.visited(browser, scopes=(KeyScope.ADMIN,)) as admin:
        admin.expected = ("status of 422",)
        await admin.arrive()
        page = await admin.open("/keys")
        await page.get_by_text("Make a key").first.click()
        await page.fill("[name=name]", "for the tests")
        await page.get_by_role("button", name="Make a key").click()
        await page.get_by_text("Tick at least one thing that it opens.").wait_for()
        assert await page.input_value("[name=name]") == "for the tests"
        await page.check("[name=scope_admin]")
        await page.get_by_role("button", name="Make a key").click()
        await page.locator("#new-key").wait_for()
        assert await page.input_value("[name=name]") == ""


async def test_the_local_user_needs_no_key_and_language_and_colours_are_remembered(
    browser: Browser, dashboards: Callable[..., Any]
) -> None:
    local: Dashboard = await dashboards(tenant="dashboard-local")
    async with local.visited(browser, locale="nl-NL") as visitor:
        page = await visitor.open("")
        await page.get_by_role("heading", name="Overzicht").wait_for()
        assert await page.locator("html").get_attribute("lang") == "nl"
        await page.get_by_role("button", name="English").first.click()
        await page.get_by_role("heading", name="Overview").wait_for()
        await page.get_by_role("button", name="Dark").first.click()
        await page.locator("html[data-theme=dark]").wait_for()
        listed = await visitor.services.sessions.list(visitor.scope, PageRequest())
        assert listed.items == ()
