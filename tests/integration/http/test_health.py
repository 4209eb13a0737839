import pytest

from recollect.errors import DatabaseUnavailable
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.services.services import Services
from recollect.settings import load_settings
from support.callers import Caller
from support.serving import serving


@pytest.mark.parametrize(("path", "status"), [("/healthz", "ok"), ("/readyz", "ready")])
async def test_health_is_told_to_everybody(anonymous: Caller, path: str, status: str) -> None:
    response = await anonymous.get(path)

    assert (response.status_code, response.json()) == (200, {"status": status})


async def test_a_server_without_its_database_lives_but_is_not_ready(
    anonymous: Caller, services: Services
) -> None:
    async def is_answering() -> bool:
        raise DatabaseUnavailable("the database does not answer: connection refused")

    app = create_app(Memory(services, is_answering=is_answering), load_settings())
    async with serving(app) as url:
        caller = Caller(client=anonymous.client, url=url)
        alive, ready = await caller.get("/healthz"), await caller.get("/readyz")

    assert alive.status_code == 200
    assert ready.status_code == 503
    assert set(ready.json()) == {"error", "detail"}
    assert ready.headers["Retry-After"]
