"""Takes the pictures of the dashboard for the documentation: `make screenshots`.

A server with a made-up memory runs in this process; a real browser looks at every page, in light
and dark, on a desktop and on a phone.
"""

import argparse
import asyncio
import re
import shutil
import sys
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from playwright.async_api import Browser, Page, async_playwright

from recollect.interfaces.http.app import create_app
from recollect.interfaces.worker import Heartbeat
from recollect.memory import Memory
from recollect.settings import Settings, load_settings
from recollect.settings.behaviour import AnswererKind
from story import USER, told_story

FOLDER = Path(__file__).parents[2] / "docs" / "images" / "dashboard"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SHOWN = {"answerer": AnswererKind.LLM, "llm_model": "gpt-4o"}
"""What the page of the chat says; nobody asks the model."""
DESKTOP, PHONE = (1280, 860), (390, 844)


async def _nothing(page: Page) -> None:
    """Take the page as it is."""


async def _edit_fact(page: Page) -> None:
    await page.get_by_role("button", name="Edit: The board meets").click()
    await page.get_by_role("button", name="Save").wait_for()


async def _open_conversation(page: Page) -> None:
    await page.get_by_role("link", name="Quarterly revenue by region").click()
    await page.locator(".sql").wait_for()


async def _inspect(page: Page) -> None:
    options = page.locator("[name=session] option", has_text="Quarterly revenue by region")
    await page.locator("[name=session]").select_option(await options.get_attribute("value"))
    await page.locator("[name=question]").fill("What about the first quarter?")
    await page.get_by_role("button", name="Inspect").click()
    await page.locator("[data-tokens]").wait_for()
    await page.locator("#understood").evaluate("heading => heading.parentElement.scrollIntoView()")


async def _ask(page: Page) -> None:
    await page.locator("[name=question]").fill("What do I tell the board about Utrecht?")
    await page.get_by_role("button", name="Ask").click()
    await page.locator(".sources summary").click()


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A page, and what is done on it before the picture is taken."""

    name: str
    path: str
    prepare: Callable[[Page], Awaitable[None]] = _nothing


PICTURES = (
    Picture(name="overview", path="/dashboard"),
    Picture(name="memory", path="/dashboard/memory?sort=priority"),
    Picture(name="edit", path="/dashboard/memory?q=board", prepare=_edit_fact),
    Picture(name="conversations", path="/dashboard/conversations"),
    Picture(name="conversation", path="/dashboard/conversations", prepare=_open_conversation),
    Picture(name="context", path="/dashboard/context", prepare=_inspect),
    Picture(name="chat", path="/dashboard/chat", prepare=_ask),
    Picture(name="privacy", path="/dashboard/privacy"),
    Picture(name="keys", path="/dashboard/keys"),
    Picture(name="tenant", path="/dashboard/tenant"),
    Picture(name="audit", path="/dashboard/audit"),
    Picture(name="api", path="/docs"),
)


@asynccontextmanager
async def serving(memory: Memory, settings: Settings) -> AsyncIterator[str]:
    """Serve the memory on a free port of this machine; its address."""
    app = create_app(memory, settings, pulse=Heartbeat())
    config = uvicorn.Config(app, port=0, lifespan="off", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  # uvicorn tells it in no other way
        await asyncio.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    await running


async def take(
    browser: Browser, address: str, picture: Picture, folder: Path, *, as_png: bool = False
) -> None:
    """Take one picture in light and dark, on a desktop and on a phone."""
    for device, (width, height) in {"desktop": DESKTOP, "phone": PHONE}.items():
        for scheme in ("light", "dark"):
            context = await browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                locale="en-GB",
                timezone_id="Europe/Amsterdam",
                reduced_motion="reduce",
            )
            page = await context.new_page()
            await page.goto(address + picture.path)
            await picture.prepare(page)
            path = folder / f"{picture.name}-{device}-{scheme}.webp"
            if as_png:
                await page.screenshot(path=path.with_suffix(".png"))
            else:
                await _save(page, path)
            await context.close()
            print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


async def _save(page: Page, path: Path) -> None:
    """Write the picture as WebP, a tenth of a PNG: the browser itself does it."""
    session = await page.context.new_cdp_session(page)
    result = await session.send("Page.captureScreenshot", {"format": "webp", "quality": 60})
    await asyncio.to_thread(path.write_bytes, b64decode(result["data"]))


async def main(folder: Path, wanted: str, *, executable: str, as_png: bool) -> None:
    """Take all pictures whose name matches."""
    settings = load_settings(
        local_user=USER,
        preset="assistant",
        recall="user",
        store_results="rows:50",
        allow_data_export=True,
        allow_data_deletion=True,
    )
    async with (
        told_story(settings) as memory,
        serving(memory, settings.model_copy(update=_SHOWN)) as address,
        async_playwright() as playwright,
    ):
        browser = await playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox"]
        )
        for picture in PICTURES:
            if re.search(wanted, picture.name):
                await take(browser, address, picture, folder, as_png=as_png)
        await browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--only", default="", help="pictures whose name matches this")
    parser.add_argument("--png", action="store_true", help="larger files that any program shows")
    given = parser.parse_args()
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        sys.exit("no browser was found; on Debian: apt install chromium")
    given.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(given.folder, given.only, executable=browser_path, as_png=given.png))
