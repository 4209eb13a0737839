"""What the pages of the dashboard say is true, and looking at them changes nothing."""

import html
import re
from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from recollect.composition import build_services
from recollect.domain.facts.ranking import FactPolicy
from recollect.domain.policy import Policies
from recollect.engines.in_memory import in_memory_stores
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.models.tokens import token_counter_for
from recollect.services.services import ServiceDependencies
from recollect.settings import load_settings
from recollect.system import RandomIds, SystemClock
from recollect.testing import WordEmbedder
from support.servers.http_servers import serving
from support.timeouts import PATIENCE


@pytest.fixture
def memory() -> Memory:
    """A memory that compares meanings by words, and needs no database."""
    around = ServiceDependencies(
        clock=SystemClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        embedder=WordEmbedder(dimensions=512),
    )
    policies = Policies(facts=FactPolicy(is_enabled=True))
    return Memory(build_services(in_memory_stores(), around, policies))


@pytest_asyncio.fixture
async def browser(memory: Memory) -> AsyncIterator[httpx.AsyncClient]:
    """A browser of the local user, who may change things."""
    app = create_app(memory, load_settings(tenant=f"tenant-{uuid4()}"))
    async with (
        serving(app) as url,
        httpx.AsyncClient(base_url=url, timeout=PATIENCE, trust_env=False) as client,
    ):
        page = (await client.get("/dashboard/memory")).text
        token = re.search(r'name="csrf" value="([^"]+)"', page)
        assert token
        client.headers["X-CSRF-Token"] = token[1]
        yield client


async def _talk(browser: httpx.AsyncClient, *texts: str, name: str | None = None) -> str:
    """Store a conversation of these texts, the user's first; its id."""
    started = await browser.post("/api/v1/sessions", json={"name": name})
    session_id: str = started.json()["session_id"]
    for place, text in enumerate(texts):
        role = ("user", "assistant")[place % 2]
        message = {"role": role, "content": text}
        stored = await browser.post(f"/api/v1/sessions/{session_id}/messages", json=message)
        assert stored.is_success, stored.text
    return session_id


async def test_to_inspect_a_context_is_no_use_of_its_facts(
    memory: Memory, browser: httpx.AsyncClient
) -> None:
    await browser.post("/dashboard/memory", data={"content": "Reports in euros"})
    session_id = await _talk(browser, "Hi", "Hello")
    form = {"session": session_id, "question": "Which reports in euros are there?"}

    for preset in ("", "assistant"):
        page = await browser.post("/dashboard/context", data={**form, "preset": preset})
        assert "Reports in euros" in page.text
    await memory.services.contexts.settle()

    (fact,) = (await browser.get("/api/v1/memory")).json()["items"]
    assert fact["access_count"] == 0


async def test_a_search_shows_what_matches_in_the_words_that_were_said(
    memory: Memory, browser: httpx.AsyncClient
) -> None:
    await _talk(browser, "Where do zebras live?", "On the plains of Africa.")
    await _talk(browser, "How much was sold?", "Three million.")
    assert memory.services.indexing is not None
    while await memory.services.indexing.do_some():
        pass

    found = html.unescape((await browser.get("/dashboard/conversations?q=zebras")).text)
    nothing = (await browser.get("/dashboard/conversations?q=cucumber")).text

    assert "1 result" in found
    assert "Where do zebras live?\nOn the plains of Africa." in found
    assert "Result summary" not in found
    assert "Nothing like that was said." in nothing


async def test_conversations_of_one_name_are_told_apart_by_their_time(
    browser: httpx.AsyncClient,
) -> None:
    for _ in range(2):
        await _talk(browser, "Hi", "Hello", name="Sales")

    page = (await browser.get("/dashboard/context")).text

    options = re.findall(r'<option value="[0-9a-f-]{36}" data-time="[^"]+Z">([^<]+)</option>', page)
    assert len(options) == 2
    for option in options:
        assert re.fullmatch(r"Sales · \d{4}-\d\d-\d\d \d\d:\d\d UTC", option)


async def test_the_history_of_a_fact_tells_what_was_changed_in_the_dashboard(
    browser: httpx.AsyncClient,
) -> None:
    made = await browser.post("/api/v1/memory", json={"content": "Works at ACME"})
    fact_id = made.json()["fact_id"]
    await browser.post(f"/dashboard/memory/{fact_id}", data={"content": "Works at Globex"})
    await browser.post(f"/dashboard/memory/{fact_id}/delete")
    await browser.post(f"/dashboard/memory/{fact_id}/restore")
    await browser.post("/dashboard/memory", data={"content": "Reports in euros"})

    changed = (await browser.get(f"/api/v1/memory/{fact_id}")).json()["history"]
    listed = (await browser.get("/api/v1/memory")).json()["items"]
    (added,) = (one["fact_id"] for one in listed if one["fact_id"] != fact_id)
    (creation,) = (await browser.get(f"/api/v1/memory/{added}")).json()["history"]

    assert sorted(one["actor"] for one in changed) == ["api", "dashboard", "dashboard", "dashboard"]
    assert creation["actor"] == "dashboard"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"name": " "}, "Say what the key is for."),
        ({}, "Tick at least one thing that it opens."),
        ({"scope_user": "1"}, "Name the user whose memory it opens."),
        ({"scope_admin": "1", "user": "piet"}, "Tick “the memory of one user”, or name no user."),
    ],
    ids=["no name", "opens nothing", "no user", "another user"],
)
async def test_a_key_that_is_not_made_says_why_in_the_words_of_its_form_and_keeps_what_was_typed(
    browser: httpx.AsyncClient, given: dict[str, str], problem: str
) -> None:
    form = {"name": "for the tests", "memory": "read", **given}

    page = await browser.post("/dashboard/keys", data=form)
    part = await browser.post("/dashboard/keys", data=form, headers={"HX-Request": "true"})

    assert (page.status_code, part.status_code) == (422, 422)
    assert problem in page.text
    assert problem in part.text
    assert f'name="name" value="{form["name"]}"' in page.text
    assert '<option value="read" selected>' in page.text
    for name in given.keys() - {"name", "user"}:
        assert f'name="{name}" value="1" checked' in page.text
    assert f'name="user" value="{given.get("user", "")}"' in page.text
