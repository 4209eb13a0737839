"""Settings under which nobody's memory would be safe are refused at the start."""

from typing import Final

import pytest

from recollect.errors import ConfigurationError
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.settings import load_settings
from support.http.jwt_tokens import SECRET
from support.tables import for_each

JWKS: Final = "https://issuer.example/jwks.json"


@for_each("host", ["0.0.0.0", "::", "192.168.1.5", "memory.example", ""])  # noqa: S104
def test_no_address_but_loopback_without_authentication(host: str) -> None:
    with pytest.raises(ConfigurationError, match="without authentication"):
        load_settings(host=host).check_address()


@for_each("host", ["127.0.0.1", "::1", "localhost", "LOCALHOST"])
def test_loopback_needs_no_authentication(host: str) -> None:
    load_settings(host=host).check_address()


@for_each(
    "settings",
    [
        {"user_id_source": "api_key"},
        {"user_id_source": "jwt_claim", "jwt_secret": SECRET},
        {"user_id_source": "jwt_claim", "jwt_jwks_url": JWKS},
        {"user_id_source": "bearer_token", "bearer_hash_secret": SECRET},
    ],
)
def test_with_authentication_any_address_will_do(settings: dict[str, object]) -> None:
    load_settings(host="0.0.0.0", **settings).check_address()  # noqa: S104  # on purpose


@for_each(
    ("settings", "told"),
    [
        ({"user_id_source": "basic_username"}, "MEMORY_DENODO_URL"),
        ({"answerer": "denodo"}, "MEMORY_DENODO_URL"),
        ({"answerer": "llm", "llm_model": "m"}, "MEMORY_LLM_BASE_URL"),
        ({"store_results": "rows"}, "MEMORY_STORE_RESULTS"),
        ({"mask_pii": "mask"}, "MEMORY_MASKING_KEY"),
        ({"mask_pii": "hash", "masking_key": "too short"}, "MEMORY_MASKING_KEY"),
        ({"mask_pii": "all"}, "MEMORY_MASK_PII"),
        ({"mask_names": "en_core_web_sm"}, "MEMORY_MASKING_KEY"),
        ({"user_id_source": "jwt_claim"}, "MEMORY_JWT_SECRET"),
        (
            {"user_id_source": "jwt_claim", "jwt_secret": SECRET, "jwt_jwks_url": JWKS},
            "not both",
        ),
        ({"user_id_source": "bearer_token"}, "MEMORY_BEARER_HASH_SECRET"),
        ({"user_id_source": "bearer_token", "bearer_hash_secret": ""}, "MEMORY_BEARER_HASH_SECRET"),
        ({"user_id_source": "nobody"}, "MEMORY_USER_ID_SOURCE"),
        ({"user_id_source": "jwt_claim", "jwt_secret": ""}, "MEMORY_JWT_SECRET"),
        ({"user_id_source": "jwt_claim", "jwt_secret": "x"}, "MEMORY_JWT_SECRET"),
        ({"user_id_source": "bearer_token", "bearer_hash_secret": "x"}, "HASH_SECRET"),
        ({"openwebui_jwt_secret": "x"}, "MEMORY_OPENWEBUI_JWT_SECRET"),
    ],
)
def test_incomplete_or_insecure_authentication_settings_are_refused(
    settings: dict[str, object], told: str
) -> None:
    with pytest.raises(ConfigurationError, match=told) as raised:
        load_settings(**settings)

    assert SECRET not in str(raised.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"jwt_secret": SECRET, "jwt_algorithms": "none"},
        {"jwt_secret": SECRET, "jwt_algorithms": "HS256,none"},
        {"jwt_secret": SECRET, "jwt_algorithms": "RS256"},
        {"jwt_jwks_url": JWKS, "jwt_algorithms": "HS256"},
        {"jwt_jwks_url": JWKS, "jwt_algorithms": "RS256, HS256"},
        {"jwt_jwks_url": JWKS, "jwt_algorithms": "none"},
    ],
)
def test_algorithms_that_do_not_fit_the_key_are_refused(
    memory: Memory, settings: dict[str, object]
) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_JWT_ALGORITHMS"):
        create_app(memory, load_settings(user_id_source="jwt_claim", **settings))
