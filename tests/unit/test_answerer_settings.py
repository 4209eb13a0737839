"""Who answers, by what is set."""

from recollect.adapters import open_adapters
from recollect.answerers.denodo import DenodoAnswerer
from recollect.answerers.from_memory import FromMemory
from recollect.answerers.llm import LlmAnswerer
from recollect.domain.policy import MissingSession
from recollect.settings import load_settings
from support.tables import for_each

MODEL = {"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": "m"}
DENODO = {"denodo_url": "http://127.0.0.1:9"}


@for_each(
    ("settings", "answerer"),
    [
        ({}, FromMemory),
        ({"llm_model": "m"}, FromMemory),
        (MODEL, LlmAnswerer),
        (DENODO, DenodoAnswerer),
        (MODEL | DENODO, DenodoAnswerer),
        (MODEL | DENODO | {"answerer": "llm"}, LlmAnswerer),
        (MODEL | DENODO | {"answerer": "from_memory"}, FromMemory),
    ],
)
async def test_the_first_that_is_set_up_answers_unless_another_is_named(
    settings: dict[str, object], answerer: type[object]
) -> None:
    async with open_adapters(load_settings(**settings)) as adapters:
        assert type(adapters.dependencies.answerer) is answerer
        assert (adapters.denodo is not None) == ("denodo_url" in settings)


@for_each(
    ("settings", "missing"),
    [
        ({}, MissingSession.CREATE),
        ({"preset": "chat"}, MissingSession.REJECT),
        ({"preset": "app"}, MissingSession.USER_WIDE),
        ({"preset": "chat", "missing_session": "create"}, MissingSession.CREATE),
    ],
)
def test_the_preset_decides_about_missing_sessions_unless_a_setting_does(
    settings: dict[str, object], missing: MissingSession
) -> None:
    policies = load_settings(**settings).policies()
    assert policies.missing_session is missing
    assert not policies.rejects_unknown_sessions
    assert load_settings(unknown_session="reject").policies().rejects_unknown_sessions
