"""The API's document is made when somebody first asks for it."""

from typing import Any

import httpx
from fastapi import FastAPI

from recollect.interfaces.http.routes import api_page

DOCUMENT = {"info": {"title": "Recollect", "version": "1", "description": "Memory."}, "paths": {}}


class _FailsOnce(FastAPI):
    has_failed = False

    def openapi(self) -> dict[str, Any]:
        if not self.has_failed:
            self.has_failed = True
            raise MemoryError
        return DOCUMENT


async def test_a_document_that_could_not_be_made_is_made_for_the_next_who_asks() -> None:
    app = _FailsOnce(openapi_url=None)
    app.include_router(api_page.router)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
        assert (await client.get("/openapi.json")).status_code == 500
        assert (await client.get("/openapi.json")).json() == DOCUMENT
        assert "Memory." in (await client.get("/docs")).text
