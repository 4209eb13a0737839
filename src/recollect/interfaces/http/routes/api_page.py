"""The API for people: GET /docs."""

import base64
import hashlib
from importlib.resources import files
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from recollect.interfaces.http.api_page.page import api_page

router = APIRouter()

_STYLE: Final = "style.css"


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> HTMLResponse:
    """Show the OpenAPI document; the page needs no scripts and loads nothing."""
    style = files("recollect.interfaces.http.api_page").joinpath(_STYLE).read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    headers = {"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"}
    return HTMLResponse(api_page(request.app.openapi(), style=style), headers=headers)
