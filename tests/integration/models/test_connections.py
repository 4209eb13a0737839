"""What happens to connections: kept, closed by the other side, encrypted, through a proxy."""

import asyncio
import ipaddress
import ssl
from asyncio import StreamReader, StreamWriter
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from recollect import http_client
from recollect.errors import ConfigurationError, ModelUnavailable
from recollect.models.endpoint import endpoint
from recollect.models.endpoint.chat_model import OpenAICompatibleChat
from recollect.models.endpoint.endpoint import OpenAICompatibleEndpoint
from recollect.ports.models import Prompt, Sampling
from support.doubles.chat_endpoint import ChatDouble, Received, Reply, chat_double, serving
from support.servers.http_servers import free_port
from support.timeouts import PATIENCE

KEY = "sk-very-secret"
PROMPT = (Prompt(role="user", content="Sales?"),)


class BriefDouble(ChatDouble):
    """Closes a connection after each answer, and does not say so."""

    async def _reply(self, request: Received, writer: StreamWriter) -> bool:
        await super()._reply(request, writer)
        return False


def a_model(url: str, *, attempts: int = 1) -> OpenAICompatibleChat:
    return OpenAICompatibleChat(
        url, model="small", api_key=KEY, attempts=attempts, first_pause=0.01
    )


async def ask(model: OpenAICompatibleChat, times: int = 1) -> list[str]:
    async with model:
        return [await model.complete(PROMPT, max_tokens=5, timeout=PATIENCE) for _ in range(times)]


async def passed(through: OpenAICompatibleEndpoint) -> bytes:
    async with through.complete(b"{}") as reply:
        return b"".join([piece async for piece in reply.pieces])


def test_a_model_may_be_made_before_there_is_a_loop() -> None:
    async def use(model: OpenAICompatibleChat, double: ChatDouble) -> list[str]:
        server = await asyncio.start_server(double.serve, "127.0.0.1", port)
        async with server:
            return await ask(model)

    port = free_port()
    model = a_model(f"http://127.0.0.1:{port}/v1")
    assert asyncio.run(use(model, ChatDouble())) == ["Fine."]


async def test_an_endpoint_that_closes_its_connections_unannounced_does_no_harm() -> None:
    async with serving(BriefDouble()) as double:
        assert await ask(a_model(double.url), times=10) == ["Fine."] * 10
        async with OpenAICompatibleEndpoint(double.url, silence=10) as through:
            for _ in range(10):
                assert b"Fine." in await passed(through)
    assert len(double.requests) == 20


@pytest.mark.parametrize("is_kept", [False, True])
async def test_a_request_that_is_hung_up_on_is_not_passed_on_twice(
    monkeypatch: pytest.MonkeyPatch, *, is_kept: bool
) -> None:
    monkeypatch.setattr(http_client, "_CLOSING_SECONDS", 0)  # as if it had been answered late
    before = [Reply()] if is_kept else []
    async with (
        chat_double(*before, Reply(hangs_up=True)) as double,
        OpenAICompatibleEndpoint(double.url, silence=10) as through,
    ):
        for _ in before:
            await passed(through)
        with pytest.raises(ModelUnavailable, match=r"not answer \(RemoteProtocolError\)"):
            await passed(through)
    assert [request.connection for request in double.requests] == [1] * (1 + is_kept)


async def test_a_truncated_response_is_retried_or_reported_as_an_error() -> None:
    cut = Reply(body=b'{"choices": [', headers={"Content-Length": "100"})
    async with serving(BriefDouble(cut, Reply())) as double:
        assert await ask(a_model(double.url, attempts=2)) == ["Fine."]
    async with serving(BriefDouble(cut)) as double, a_model(double.url) as model:
        with pytest.raises(ModelUnavailable, match=r"was complete \(RemoteProtocolError\)"):
            await anext(model.stream(PROMPT, Sampling(), timeout=PATIENCE))


async def test_a_request_waits_for_a_free_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endpoint, "_MAX_CONNECTIONS", 1)
    async with chat_double(Reply(delay=0.02)) as double, a_model(double.url) as model:
        calls = [model.complete(PROMPT, max_tokens=5, timeout=PATIENCE) for _ in range(3)]
        assert await asyncio.gather(*calls) == ["Fine."] * 3
    assert {request.connection for request in double.requests} == {1}


async def test_an_endpoint_that_falls_silent_is_given_up() -> None:
    async with (
        chat_double(Reply(delay=30)) as double,
        OpenAICompatibleEndpoint(double.url, silence=0.1) as through,
    ):
        with pytest.raises(ModelUnavailable, match=r"not answer \((Read|Write)Timeout\)"):
            await passed(through)


async def test_a_large_request_arrives_as_it_was_sent() -> None:
    body = b'{"image": "%s"}' % (b"0123456789" * 300_000)
    async with (
        chat_double() as double,
        OpenAICompatibleEndpoint(double.url, silence=10) as through,
        through.complete(body) as reply,
    ):
        assert reply.status == 200
    assert double.requests[0].sent == body


async def test_long_headers_and_unusual_ones_are_taken() -> None:
    headers = {"X-Policy": "x" * 30_000, "X-RateLimit-Note": "caf\xc3\xa9", "OpenAI-Model": "m"}
    async with (
        chat_double(Reply(headers=headers)) as double,
        OpenAICompatibleEndpoint(double.url, silence=10) as through,
        through.complete(b"{}") as reply,
    ):
        assert dict(reply.headers) == {
            "content-type": "application/json",
            "x-ratelimit-note": "caf\xc3\x83\xc2\xa9",
            "openai-model": "m",
        }


async def test_a_name_and_password_in_the_address_are_sent_instead_of_the_key() -> None:
    async with chat_double() as double:
        await ask(a_model(double.url.replace("://", "://ada:p%40ss@")))
    named = b64encode(b"ada:p@ss").decode()
    assert double.requests[0].headers["authorization"] == f"Basic {named}"


async def test_requests_go_through_the_proxy_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = ChatDouble()
    proxy.path = "http://model.example/v1/chat/completions"
    async with serving(proxy):
        address = proxy.url.removesuffix("/v1").replace("://", "://ada:secret@")
        monkeypatch.setenv("http_proxy", address)
        assert await ask(a_model("http://model.example/v1"), times=2) == ["Fine."] * 2
    for request in proxy.requests:
        named = b64encode(b"ada:secret").decode()
        assert request.headers["proxy-authorization"] == f"Basic {named}"
        assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_a_proxy_is_not_asked_for_a_host_that_needs_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("all_proxy", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("no_proxy", "example.com,127.0.0.1")
    async with chat_double() as double:
        assert await ask(a_model(double.url)) == ["Fine."]
        monkeypatch.setenv("no_proxy", "example.com")
        with pytest.raises(ModelUnavailable, match=r"not be reached \(ConnectError\)"):
            await ask(a_model(double.url))


async def test_a_proxy_does_not_see_the_key_of_an_encrypted_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bytes] = []

    async def refuse(reader: StreamReader, writer: StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("https_proxy", f"127.0.0.1:{port}")
        with pytest.raises(ModelUnavailable, match=r"not be reached \(ProxyError\)"):
            await ask(a_model("https://model.example/v1"))
    assert asked[0].startswith(b"CONNECT model.example:443 ")
    assert KEY.encode() not in asked[0]


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "http://", "http://host:none"])
def test_a_proxy_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(ConfigurationError, match="NO_PROXY"):
        a_model("http://model.example/v1")


def certificate_for_loopback(folder: Path) -> Path:
    """A certificate that only those trust who are told to, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    now = datetime.now(UTC)
    loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([loopback]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file = folder / "loopback.pem"
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return file


async def test_an_encrypted_endpoint_needs_a_certificate_that_is_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = certificate_for_loopback(tmp_path)
    encrypted = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    encrypted.load_cert_chain(file)
    double = ChatDouble()
    async with await asyncio.start_server(double.serve, "127.0.0.1", 0, ssl=encrypted) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        assert await ask(a_model(url), times=2) == ["Fine."] * 2
        monkeypatch.delenv("SSL_CERT_FILE")
        monkeypatch.delenv("SSL_CERT_DIR", raising=False)
        with pytest.raises(ModelUnavailable, match=r"not be reached \(ConnectError\)"):
            await ask(a_model(url))
    assert {request.connection for request in double.requests} == {1}
