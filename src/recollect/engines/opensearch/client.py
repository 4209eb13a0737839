"""Talking to OpenSearch, and telling what its answers mean."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

import httpx
import orjson

from recollect.errors import ConfigurationError, InvalidInput, VectorStoreUnavailable

_SECONDS: Final = 30.0
_MAX_ANSWER_BYTES: Final = 32_000_000  # a page of 1,000 ids has 0.2 MB
_ACCEPTED: Final = frozenset({HTTPStatus.OK, HTTPStatus.CREATED})


class OpenSearchClient:
    """One pool of connections to one cluster; close it with `aclose`."""

    def __init__(
        self, address: str, *, username: str | None = None, password: str | None = None
    ) -> None:
        url = httpx.URL(address)
        if url.scheme not in {"http", "https"} or not url.host:
            raise ConfigurationError(
                "MEMORY_VECTOR_STORE_URL must be an address such as https://127.0.0.1:9200"
            )
        auth = (username, password or "") if username else None
        self._client = httpx.AsyncClient(base_url=url, auth=auth, timeout=_SECONDS)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        missing: Mapping[str, Any] | None = None,
        **query: str,
    ) -> Mapping[str, Any]:
        """Send JSON and read JSON; `missing` is the answer where there is no such index."""
        content = None if body is None else orjson.dumps(body)
        status, received = await self._send(method, path, content, "application/json", query)
        if status == HTTPStatus.NOT_FOUND and missing is not None:
            return missing
        return _read(status, received)

    async def bulk(self, lines: Iterable[Mapping[str, object]], **query: str) -> None:
        """Send many small writes at once; raises unless every single one was taken."""
        content = b"".join(orjson.dumps(line) + b"\n" for line in lines)
        answer = _read(*await self._send("POST", "/_bulk", content, "application/x-ndjson", query))
        if answer.get("errors"):
            items = [next(iter(item.values())) for item in answer["items"]]
            _raise(next(item["error"] for item in items if "error" in item))

    async def _send(
        self, method: str, path: str, content: bytes | None, kind: str, query: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """The status and the body, as long as that is not too large."""
        headers = {"Content-Type": kind} if content is not None else {}
        try:
            async with self._client.stream(
                method, path, content=content, headers=headers, params=dict(query)
            ) as response:
                return response.status_code, await _bounded(response)
        except httpx.HTTPError as error:
            raise VectorStoreUnavailable(
                f"OpenSearch cannot be reached ({type(error).__name__})"
            ) from None


async def _bounded(response: httpx.Response) -> bytes:
    received = bytearray()
    async for piece in response.aiter_bytes():
        received += piece
        if len(received) > _MAX_ANSWER_BYTES:
            raise VectorStoreUnavailable(f"OpenSearch sent more than {_MAX_ANSWER_BYTES:,} bytes")
    return bytes(received)


def _read(status: int, received: bytes) -> Mapping[str, Any]:
    try:
        answer = orjson.loads(received)
    except ValueError:
        answer = None
    if not isinstance(answer, Mapping):
        raise VectorStoreUnavailable(f"OpenSearch answered {status} without JSON")
    if status not in _ACCEPTED:
        _raise(answer.get("error"), status)
    return answer


def _raise(error: object, status: int = HTTPStatus.BAD_REQUEST) -> None:
    """Tell a vector of the wrong length from everything else; reasons may quote content."""
    causes = str(error).lower()
    if status == HTTPStatus.BAD_REQUEST and "dimension" in causes:
        raise InvalidInput("vector", "is not as long as the others of its model")
    kind = error.get("type", "error") if isinstance(error, Mapping) else "error"
    raise VectorStoreUnavailable(f"OpenSearch refused with {status} ({kind})")
