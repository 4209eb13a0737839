"""Signing in, the cookie that every process reads, and changes that no other site can cause."""

import html
import re
import time
from collections.abc import Mapping
from uuid import uuid4

import httpx
import jwt
import pytest

from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import TenantScope
from recollect.interfaces.dashboard.cookies import COOKIE
from recollect.interfaces.dashboard.routing import HEADERS
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.services.services import Services
from recollect.settings import load_settings
from support.servers.http_servers import serving
from support.timeouts import PATIENCE

_TOKEN = re.compile(r'name="csrf" value="([^"]+)"')


def _client(url: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, timeout=PATIENCE, trust_env=False)


async def _token(client: httpx.AsyncClient, path: str = "/dashboard/sign-in") -> str:
    match = _TOKEN.search((await client.get(path)).text)
    assert match
    return match[1]


async def _sign_in(client: httpx.AsyncClient, key: str, **more: str) -> httpx.Response:
    form = {"token": key, "csrf": await _token(client), **more}
    return await client.post("/dashboard/sign-in", data=form)


async def test_the_address_of_the_server_leads_to_the_dashboard(local: httpx.AsyncClient) -> None:
    response = await local.get("/")
    assert (response.status_code, response.headers["Location"]) == (307, "/dashboard")
    page = await local.get("/dashboard", follow_redirects=True)
    assert page.status_code == 200
    assert "Overview" in page.text


async def test_the_dashboard_can_be_switched_off(memory: Memory) -> None:
    app = create_app(memory, load_settings(dashboard="off"))
    async with serving(app) as url, _client(url) as client:
        for path in ("/", "/dashboard", "/dashboard/assets/dashboard.css"):
            assert (await client.get(path)).status_code == 404


@pytest.mark.parametrize("path", ["", "/memory", "/assets/dashboard.js", "/nowhere", "/sign-in"])
async def test_every_response_forbids_frames_inline_scripts_and_other_hosts(
    local: httpx.AsyncClient, path: str
) -> None:
    response = await local.get(f"/dashboard{path}")
    assert HEADERS.items() <= dict(response.headers).items() or all(
        response.headers[name] == value for name, value in HEADERS.items()
    )
    policy = response.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "style=" not in response.text
    assert "<script>" not in response.text


async def test_a_page_of_another_host_name_is_refused_to_the_local_user(
    local: httpx.AsyncClient,
) -> None:
    response = await local.get("/dashboard/memory", headers={"Host": "evil.example"})
    assert response.status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-CSRF-Token": "guessed"},
        {"Origin": "https://evil.example", "X-CSRF-Token": "given"},
        {"Sec-Fetch-Site": "cross-site", "X-CSRF-Token": "given"},
    ],
    ids=["no token", "another token", "another origin", "another site"],
)
async def test_a_change_that_another_site_causes_is_refused(
    local: httpx.AsyncClient, headers: Mapping[str, str]
) -> None:
    token = await _token(local, "/dashboard/memory")
    given = {name: token if value == "given" else value for name, value in headers.items()}
    for path in ("/memory", "/memory/clear", "/preferences", "/keys", "/chat"):
        response = await local.post(f"/dashboard{path}", data={"content": "x"}, headers=given)
        assert response.status_code == 403, path
    own = await local.post("/dashboard/memory", data={"content": "Works at ACME", "csrf": token})
    assert own.status_code == 303


async def test_a_token_without_its_cookie_is_refused(local: httpx.AsyncClient) -> None:
    token = await _token(local, "/dashboard/memory")
    local.cookies.clear()
    response = await local.post("/dashboard/memory", data={"content": "x", "csrf": token})
    assert response.status_code == 403


async def test_signing_out_ends_every_copy_of_the_cookie_in_every_process(
    memory: Memory, visitor: httpx.AsyncClient, key: str
) -> None:
    await _sign_in(visitor, key)
    copied = {COOKIE: visitor.cookies[COOKIE]}
    token = await _token(visitor, "/dashboard")
    app = create_app(memory, load_settings(user_id_source="api_key"))
    async with serving(app) as url, _client(url) as other, _client(url) as later:
        other.cookies.update(copied)
        assert (await other.get("/dashboard")).status_code == 200
        await _sign_in(later, key)
        signed_out = await visitor.post("/dashboard/sign-out", data={"csrf": token})
        assert signed_out.status_code == 303
        assert COOKIE not in visitor.cookies
        for browser in (other, visitor):
            browser.cookies.clear()
            browser.cookies.update(copied)
            page = await browser.get("/dashboard")
            assert page.headers["Location"].startswith("/dashboard/sign-in")
            browser.cookies.clear()
            browser.cookies.update(copied)
            change = await browser.post("/dashboard/memory", data={"content": "x", "csrf": token})
            assert change.status_code == 303
            assert change.headers["Location"].startswith("/dashboard/sign-in")
        assert (await later.get("/dashboard")).status_code == 200, "another visit with that key"


async def test_a_cookie_is_read_by_every_process_on_the_database(
    memory: Memory, visitor: httpx.AsyncClient, key: str
) -> None:
    signed_in = await _sign_in(visitor, key)
    assert signed_in.headers["Location"] == "/dashboard"
    cookie = visitor.cookies[COOKIE]
    assert key not in cookie
    app = create_app(memory, load_settings(user_id_source="api_key"))
    async with serving(app) as url, _client(url) as other:
        response = await other.get("/dashboard/memory", headers={"Cookie": f"{COOKIE}={cookie}"})
        assert response.status_code == 200
        altered = cookie[:-4] + ("AAAA" if cookie[-4:] != "AAAA" else "BBBB")
        response = await other.get("/dashboard/memory", headers={"Cookie": f"{COOKIE}={altered}"})
        assert response.status_code == 303


@pytest.mark.parametrize(
    "address", ["https://evil.example", "//evil.example", "/dashboard\\..", "/api", "javascript:1"]
)
async def test_signing_in_leads_to_no_other_site(
    visitor: httpx.AsyncClient, key: str, address: str
) -> None:
    response = await _sign_in(visitor, key, next=address)
    assert response.headers["Location"] == "/dashboard"


async def test_a_visitor_signs_in_with_a_token_and_is_told_if_it_is_none(memory: Memory) -> None:
    secret = "a secret of at least thirty-two bytes"
    settings = load_settings(user_id_source="jwt_claim", jwt_secret=secret)
    claims = {"sub": "carol", "exp": int(time.time()) + 600}
    async with serving(create_app(memory, settings)) as url, _client(url) as visitor:
        refused = await _sign_in(visitor, "some.other.text")
        assert refused.status_code == 401
        assert "<p>The token is not valid, or no longer.</p>" in refused.text
        signed_in = await _sign_in(visitor, jwt.encode(claims, secret, algorithm="HS256"))
        assert signed_in.headers["Location"] == "/dashboard"
        assert "carol" in (await visitor.get("/dashboard/memory")).text


async def test_a_reverse_proxy_may_sign_the_visitor_in(
    visitor: httpx.AsyncClient, services: Services
) -> None:
    scope = TenantScope(tenant=f"tenant-{uuid4()}", actor="test")
    _, key = await services.api_keys.create(scope, name="proxy", scopes=[KeyScope.SERVICE])
    headers = {"Authorization": f"Bearer {key}", "X-Memory-User": "zoë".encode()}
    response = await visitor.get("/dashboard/memory", headers=headers)  # type: ignore[arg-type]
    assert "zoë" in response.text
    refused = await visitor.get("/dashboard/memory", headers={"Authorization": "Bearer rec_x"})
    assert refused.status_code == 401


async def test_an_expired_visit_leads_to_the_sign_in_also_inside_of_a_page(
    visitor: httpx.AsyncClient,
) -> None:
    response = await visitor.get("/dashboard/memory?q=a", headers={"HX-Request": "true"})
    assert response.headers["HX-Redirect"].startswith("/dashboard/sign-in")


async def test_a_change_after_the_visit_has_expired_leaves_the_page_as_it_is(
    visitor: httpx.AsyncClient,
) -> None:
    headers = {"HX-Request": "true", "Accept-Language": "nl"}
    response = await visitor.post("/dashboard/memory", data={"content": "a"}, headers=headers)
    assert response.status_code == 401
    assert response.headers["HX-Retarget"] == "#problems"
    assert "HX-Redirect" not in response.headers
    assert "Wat je typte staat er nog." in response.text
    assert 'href="/dashboard/sign-in" target="_blank"' in response.text


async def test_an_address_that_leads_nowhere_has_the_menu_and_the_language_of_the_visitor(
    local: httpx.AsyncClient, visitor: httpx.AsyncClient
) -> None:
    for browser, menu in ((local, "/dashboard/memory"), (visitor, None)):
        response = await browser.get("/dashboard/nowhere", headers={"Accept-Language": "nl"})
        assert response.status_code == 404
        assert "Op dit adres is geen pagina." in response.text
        assert ('href="/dashboard/memory"' in response.text) == (menu is not None)


async def test_another_language_is_shown_on_the_same_page(local: httpx.AsyncClient) -> None:
    page = (await local.get("/dashboard/memory?q=acme&type=fact")).text
    fields = dict(re.findall(r'<input type="hidden" name="(csrf|next)" value="([^"]+)"', page))
    assert html.unescape(fields["next"]) == "/dashboard/memory?q=acme&type=fact"
    chosen = {"csrf": fields["csrf"], "next": html.unescape(fields["next"]), "language": "nl"}
    response = await local.post("/dashboard/preferences", data=chosen)
    assert response.headers["Location"] == "/dashboard/memory?q=acme&type=fact"


async def test_without_scripts_a_fact_is_changed_deleted_and_restored(
    local: httpx.AsyncClient,
) -> None:
    token = await _token(local, "/dashboard/memory")
    await local.post("/dashboard/memory", data={"content": "Works at ACME", "csrf": token})
    page = (await local.get("/dashboard/memory")).text
    (fact,) = set(re.findall(r'id="f-([0-9a-f-]{36})"', page))
    address = f"/dashboard/memory/{fact}"
    await local.post(address, data={"content": "Works at Globex", "csrf": token})
    assert "Works at Globex" in (await local.get("/dashboard/memory")).text
    await local.post(f"{address}/delete", data={"csrf": token})
    assert "Works at Globex" not in (await local.get("/dashboard/memory")).text
    await local.post(f"{address}/restore", data={"csrf": token})
    assert "Works at Globex" in (await local.get("/dashboard/memory")).text
    old = {"content": "Works at Initech", "version": "1", "csrf": token}
    assert (await local.post(address, data=old)).status_code == 412
