"""What the overview tells of the server, and to whom."""

import re

import httpx

from recollect.interfaces.dashboard.server_figures import QUEUES


async def test_queues_are_shown_to_those_who_run_the_server(
    local: httpx.AsyncClient, visitor: httpx.AsyncClient, key: str
) -> None:
    page = (await local.get("/dashboard")).text
    assert all(name in page for name in QUEUES.values())
    assert "Another process cleans up." in page
    headers = {"Authorization": f"Bearer {key}"}
    page = (await visitor.get("/dashboard", headers=headers)).text
    assert "Health" in page
    assert not any(name in page for name in ("turns to index", "Deleted since"))


async def test_counts_follow_what_the_visitor_changes(local: httpx.AsyncClient) -> None:
    page = (await local.get("/dashboard/memory")).text
    assert '<p class="figure-value" data-total>0</p>' in page
    (token, *_) = re.findall(r'name="csrf" value="([^"]+)"', page)
    await local.post("/dashboard/memory", data={"content": "Works at ACME", "csrf": token})
    assert "data-total>1</p>" in (await local.get("/dashboard/memory")).text
