"""Users say on the page of their rights whether anything is learnt about them."""

import re

import httpx

from recollect.composition import build_services
from recollect.domain.facts.ranking import FactPolicy
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import Policies
from recollect.engines.in_memory import in_memory_stores
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.models.tokens import token_counter_for
from recollect.services.facts.learning import LEARNS_FACTS
from recollect.services.services import ServiceDependencies
from recollect.settings import load_settings
from recollect.system import RandomIds, SystemClock
from support.facts.scripted_models import ScriptedExtractor

_PAGE = "/dashboard/privacy"


def _learning_memory() -> Memory:
    needs = ServiceDependencies(
        clock=SystemClock(),
        ids=RandomIds(),
        counter_for=token_counter_for,
        fact_extractor=ScriptedExtractor({}),
    )
    policies = Policies(facts=FactPolicy(is_enabled=True))
    return Memory(build_services(in_memory_stores(), needs, policies))


async def test_a_user_opts_out_of_learning_and_in_again() -> None:
    memory, settings = _learning_memory(), load_settings()
    scope = Scope(tenant=settings.tenant, user=settings.local_user)
    transport = httpx.ASGITransport(app=create_app(memory, settings))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as browser:
        page = (await browser.get(_PAGE)).text
        assert "Facts about you are learnt" in page
        (token, *_) = re.findall(r'name="csrf" value="([^"]+)"', page)

        out = await browser.post(f"{_PAGE}/learning", data={"learn": "off", "csrf": token})
        assert out.status_code == 303
        assert (await memory.services.profiles.get(scope, LEARNS_FACTS)).value is False
        assert "You have opted out." in (await browser.get(_PAGE)).text

        for _ in range(2):
            await browser.post(f"{_PAGE}/learning", data={"learn": "on", "csrf": token})
            assert "You have opted out." not in (await browser.get(_PAGE)).text
        assert await memory.services.profiles.find(scope, LEARNS_FACTS) is None
