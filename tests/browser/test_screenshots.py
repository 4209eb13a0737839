"""The program that takes the pictures of the documentation finds its way on every page."""

import importlib
from pathlib import Path

import pytest
from playwright.async_api import Browser

from recollect.settings import load_settings

_TOOLS = Path(__file__).parents[2] / "tools" / "screenshots"


async def test_every_picture_of_the_documentation_can_be_taken(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(_TOOLS))
    take = importlib.import_module("take")
    settings = load_settings(local_user="Sanne", preset="assistant", recall="user")
    async with (
        take.told_story(settings) as memory,
        take.serving(memory, settings) as address,
    ):
        context = await browser.new_context(locale="en-GB")
        page = await context.new_page()
        for picture in take.PICTURES:
            response = await page.goto(address + picture.path)
            assert response is not None
            assert response.ok, picture.name
            await picture.prepare(page)
        await context.close()
