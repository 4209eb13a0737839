"""`/docs` shows the whole API, in any browser, without scripts and without the internet."""

import base64
import hashlib
import re
from html.parser import HTMLParser

from support.http.callers import Caller
from support.http.openapi_operations import openapi_document, operations


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []
        self.loaded += [found["src"] or ""] if "src" in found else []


async def test_the_page_lists_every_route_and_schema(anonymous: Caller) -> None:
    response = await anonymous.get("/docs")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    document = openapi_document()
    page = Page(response.text)
    for operation in operations(document):
        assert operation.spec["operationId"] in page.ids
        assert operation.path in response.text
    for name in document["components"]["schemas"]:
        assert f"schema-{name}" in page.ids


async def test_the_page_loads_nothing_and_its_links_lead_somewhere(anonymous: Caller) -> None:
    response = await anonymous.get("/docs")
    page = Page(response.text)
    assert page.loaded == []
    assert not {"script", "link", "img", "iframe", "form"} & set(page.tags)
    elsewhere = {link.removeprefix("#") for link in page.links} - set(page.ids)
    assert elsewhere == {"openapi.json", "dashboard"}
    assert len(page.ids) == len(set(page.ids))


async def test_the_policy_of_the_page_allows_its_own_style_and_nothing_else(
    anonymous: Caller,
) -> None:
    response = await anonymous.get("/docs")
    (style,) = re.findall("<style>(.*?)</style>", response.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = response.headers["Content-Security-Policy"].split("; ")
    assert policy[:2] == ["default-src 'none'", f"style-src 'sha256-{digest}'"]


async def test_the_404_of_an_unknown_route_names_the_api_page(anonymous: Caller) -> None:
    response = await anonymous.get("/nothing")
    assert response.status_code == 404
    assert "/docs" in response.json()["detail"]
