"""Talking to OpenSearch, and telling what its answers mean."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

import httpx
import orjson

from recollect.errors import ConfigurationError, InvalidInput, VectorStoreUnavailable

_SECONDS: Final = 30.0
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
        response = await self._send(method, path, content, "application/json", query)
        if response.status_code == HTTPStatus.NOT_FOUND and missing is not None:
            return missing
        return _read(response)

    async def bulk(self, lines: Iterable[Mapping[str, object]], **query: str) -> None:
        """Send many small writes at once; raises unless every single one was taken."""
        content = b"".join(orjson.dumps(line) + b"\n" for line in lines)
        response = await self._send("POST", "/_bulk", content, "application/x-ndjson", query)
        answer = _read(response)
        if answer.get("errors"):
            items = [next(iter(item.values())) for item in answer["items"]]
            _raise(next(item["error"] for item in items if "error" in item))

    async def _send(
        self, method: str, path: str, content: bytes | None, kind: str, query: Mapping[str, str]
    ) -> httpx.Response:
        headers = {"Content-Type": kind} if content is not None else {}
        try:
            return await self._client.request(
                method, path, content=content, headers=headers, params=dict(query)
            )
        except httpx.HTTPError as error:
            raise VectorStoreUnavailable(
                f"OpenSearch cannot be reached ({type(error).__name__})"
            ) from None


def _read(response: httpx.Response) -> Mapping[str, Any]:
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, Mapping):
        raise VectorStoreUnavailable(f"OpenSearch answered {response.status_code} without JSON")
    if response.status_code not in _ACCEPTED:
        _raise(answer.get("error"), response.status_code)
    return answer


def _raise(error: object, status: int = HTTPStatus.BAD_REQUEST) -> None:
    """Tell a vector of the wrong length from everything else; reasons may quote content."""
    causes = str(error).lower()
    if status == HTTPStatus.BAD_REQUEST and "dimension" in causes:
        raise InvalidInput("vector", "is not as long as the others of its model")
    kind = error.get("type", "error") if isinstance(error, Mapping) else "error"
    raise VectorStoreUnavailable(f"OpenSearch refused with {status} ({kind})")
