"""Which settings make chats go to the endpoint, and with which key."""

from recollect.adapters import open_adapters
from recollect.settings import load_settings
from support.doubles.chat_endpoint import chat_double
from support.tables import for_each

URL = "http://127.0.0.1:9/v1"


async def test_the_endpoint_is_the_one_of_the_settings() -> None:
    async with chat_double() as double:
        settings = load_settings(llm_base_url=f"{double.url}/", llm_api_key="upstream")
        async with open_adapters(settings) as adapters:
            endpoint = adapters.dependencies.endpoint
            assert endpoint is not None
            async with endpoint.complete(b'{"messages": []}') as reply:
                assert reply.status == 200
                assert b"Fine." in b"".join([piece async for piece in reply.pieces])
            async with endpoint.models() as reply:
                assert b'"object": "list"' in b"".join([piece async for piece in reply.pieces])
        assert [request.path for request in double.requests] == [
            "/v1/chat/completions",
            "/v1/models",
        ]
        assert {request.headers["authorization"] for request in double.requests} == {
            "Bearer upstream"
        }


@for_each(
    ("settings", "passes_on"),
    [
        ({}, False),
        ({"llm_base_url": URL}, True),
        ({"llm_base_url": URL, "llm_model": "m"}, True),
        ({"llm_base_url": URL, "llm_model": "m", "answerer": "llm"}, True),
        ({"llm_base_url": URL, "llm_model": "m", "answerer": "from_memory"}, False),
        ({"llm_base_url": URL, "llm_model": "m", "denodo_url": "http://127.0.0.1:9"}, False),
    ],
)
async def test_chat_completions_are_proxied_only_if_the_answerer_is_a_model(
    settings: dict[str, object], *, passes_on: bool
) -> None:
    async with open_adapters(load_settings(**settings)) as adapters:
        assert (adapters.dependencies.endpoint is not None) is passes_on
