"""Vectors in OpenSearch, one index for each model, each owner routed to one shard of it."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote
from uuid import UUID

import orjson

from recollect.domain.vectors import Vector
from recollect.errors import ConfigurationError, InvalidInput, VectorStoreUnavailable
from recollect.http_client import AsyncCloseable, HttpClient, http_address
from recollect.http_client.responses import HttpFailure, HttpReply, ReplyTooLarge
from recollect.ports.recall import EntryKey

_SECONDS: Final = 30.0
_MAX_ANSWER_BYTES: Final = 32_000_000  # a page of 1,000 ids has 0.2 MB
_ACCEPTED: Final = frozenset({HTTPStatus.OK, HTTPStatus.CREATED})
_PAGE: Final = 1000
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,100}")
_ALREADY_THERE: Final = "resource_already_exists_exception"


class OpenSearchClient(AsyncCloseable):
    """One pool of connections to one cluster; close it with `aclose`."""

    def __init__(
        self, address: str, *, username: str | None = None, password: str | None = None
    ) -> None:
        setting = "MEMORY_VECTOR_STORE_URL"
        problem = f"{setting} must be an address such as https://127.0.0.1:9200"
        url = http_address(address, problem)
        if username:
            host = url.netloc.rpartition("@")[2]
            url = url._replace(netloc=f"{quote(username, '')}:{quote(password or '', '')}@{host}")
        self._client = HttpClient(url, setting=setting, connect_seconds=_SECONDS, silence=_SECONDS)

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
        """Send JSON and read JSON; return `missing` where there is no such index."""
        content = None if body is None else orjson.dumps(body)
        reply = await self._send(method, path, content, "application/json", query)
        if reply.status == HTTPStatus.NOT_FOUND and missing is not None:
            return missing
        return _read(reply)

    async def bulk(self, lines: Iterable[Mapping[str, object]], **query: str) -> None:
        """Send many small writes at once; raises unless every one was accepted."""
        content = b"".join(orjson.dumps(line) + b"\n" for line in lines)
        answer = _read(await self._send("POST", "/_bulk", content, "application/x-ndjson", query))
        if answer.get("errors"):
            items = [next(iter(item.values())) for item in answer["items"]]
            _raise(next(item["error"] for item in items if "error" in item))

    async def _send(
        self, method: str, path: str, body: bytes | None, kind: str, query: Mapping[str, str]
    ) -> HttpReply:
        headers = {"Content-Type": kind} if body is not None else {}
        try:
            return await self._client.fetch(
                method, path, body, headers=headers, query=query, limit=_MAX_ANSWER_BYTES
            )
        except HttpFailure as error:
            raise VectorStoreUnavailable(f"OpenSearch cannot be reached ({error})") from None
        except ReplyTooLarge as error:
            raise VectorStoreUnavailable(f"OpenSearch {error}") from None


def _read(reply: HttpReply) -> Mapping[str, Any]:
    answer = reply.json()
    if not isinstance(answer, Mapping):
        raise VectorStoreUnavailable(f"OpenSearch answered {reply.status} without JSON")
    if reply.status not in _ACCEPTED:
        _raise(answer.get("error"), reply.status)
    return answer


def _raise(error: object, status: int = HTTPStatus.BAD_REQUEST) -> None:
    """Tell a vector of the wrong length from everything else; reasons may quote content."""
    causes = str(error).lower()
    if status == HTTPStatus.BAD_REQUEST and "dimension" in causes:
        raise InvalidInput("vector", "is not as long as the others of its model")
    kind = error.get("type", "error") if isinstance(error, Mapping) else "error"
    raise VectorStoreUnavailable(f"OpenSearch refused with {status} ({kind})")


class OpenSearchVectorStore:
    """A `VectorStore` in an OpenSearch cluster with the k-NN plugin, which is in every bundle."""

    def __init__(self, client: OpenSearchClient, *, collection: str) -> None:
        if not _NAME.fullmatch(collection):
            raise ConfigurationError(
                "MEMORY_VECTOR_COLLECTION_NAME must be lower-case letters, digits, dashes or "
                "underscores for OpenSearch, starting with a letter or digit"
            )
        self._client = client
        self._prefix = collection

    async def put(self, owner_id: UUID, vectors: Mapping[EntryKey, Vector], *, model: str) -> None:
        if not vectors:
            return
        index = self._index(model)
        lengths = {len(vector) for vector in vectors.values()}
        expected = await self._create(index, dimensions=min(lengths))
        if lengths != {expected}:
            raise InvalidInput("vector", "is not as long as the others of its model")
        items = list(vectors.items())
        for start in range(0, len(items), _PAGE):
            lines = _lines(index, owner_id, dict(items[start : start + _PAGE]))
            await self._client.bulk(lines, refresh="wait_for")

    async def nearest(
        self,
        owner_id: UUID,
        vector: Vector,
        *,
        model: str,
        count: int,
        session_id: UUID | None = None,
    ) -> dict[EntryKey, float]:
        filters = [{"term": {"owner_id": str(owner_id)}}]
        if session_id is not None:
            filters.append({"term": {"session_id": str(session_id)}})
        knn = {"vector": list(vector), "k": count, "filter": {"bool": {"filter": filters}}}
        answer = await self._client.send(
            "POST",
            f"/{self._index(model)}/_search",
            {"size": count, "query": {"knn": {"vector": knn}}, "_source": _FIELDS},
            missing=_NO_HITS,
            routing=str(owner_id),
        )
        # Lucene's score of a cosine is (1 + cosine) / 2, so that it is never negative.
        return {_key_of(hit): 2 * hit["_score"] - 1 for hit in answer["hits"]["hits"]}

    async def remove(self, owner_id: UUID, keys: Collection[EntryKey]) -> None:
        ids = [_id_of(owner_id, key) for key in keys]
        for start in range(0, len(ids), _PAGE):
            await self._delete(owner_id, {"ids": {"values": ids[start : start + _PAGE]}})

    async def erase(self, owner_id: UUID) -> None:
        await self._delete(owner_id, {"match_all": {}})

    async def keys(self, owner_id: UUID, *, model: str) -> frozenset[EntryKey]:
        keys: set[EntryKey] = set()
        after: list[object] | None = None
        while True:
            body: dict[str, object] = {
                "size": _PAGE,
                "query": {"term": {"owner_id": str(owner_id)}},
                "sort": [{"session_id": "asc"}, {"number": "asc"}],
                "_source": _FIELDS,
            }
            if after is not None:
                body["search_after"] = after
            path = f"/{self._index(model)}/_search"
            answer = await self._client.send(
                "POST", path, body, missing=_NO_HITS, routing=str(owner_id)
            )
            hits = answer["hits"]["hits"]
            keys.update(map(_key_of, hits))
            if len(hits) < _PAGE:
                return frozenset(keys)
            after = hits[-1]["sort"]

    async def count(self, owner_id: UUID) -> int:
        return await self._count(owner_id, {"match_all": {}})

    async def owners(self) -> frozenset[UUID]:
        owners: set[UUID] = set()
        after: Mapping[str, object] = {}
        while True:
            by_owner = {"size": _PAGE, "sources": [{"owner": {"terms": {"field": "owner_id"}}}]}
            answer = await self._client.send(
                "POST",
                f"/{self._prefix}.*/_search",
                {"size": 0, "aggs": {"owners": {"composite": {**by_owner, **after}}}},
            )
            page = answer.get("aggregations", _NO_OWNERS)["owners"]
            owners.update(UUID(bucket["key"]["owner"]) for bucket in page["buckets"])
            if "after_key" not in page:
                return frozenset(owners)
            after = {"after": page["after_key"]}

    async def keep_only(self, model: str) -> None:
        answer = await self._client.send("GET", f"/{self._prefix}.*/_mapping")
        for index in set(answer) - {self._index(model)}:
            await self._client.send("DELETE", f"/{index}", missing={})

    def _index(self, model: str) -> str:
        # A dot, which no collection's name has: 'memory.*' is never what is kept in 'memory-2'.
        digest = hashlib.sha256(model.encode()).hexdigest()[:12]
        return f"{self._prefix}.{digest}"

    async def _create(self, index: str, *, dimensions: int) -> int:
        """Make the index of a model if there is none; how long its vectors are.

        Not remembered: where another process has dropped the index, a write would make one that
        knows no vectors.
        """
        answer = await self._client.send("GET", f"/{index}/_mapping", missing={})
        if index not in answer:
            try:
                await self._client.send("PUT", f"/{index}", _mapping(dimensions))
            except VectorStoreUnavailable as error:
                if _ALREADY_THERE not in str(error):
                    raise
            answer = await self._client.send("GET", f"/{index}/_mapping")
        return int(answer[index]["mappings"]["properties"]["vector"]["dimension"])

    async def _delete(self, owner_id: UUID, which: Mapping[str, object]) -> None:
        await self._client.send(
            "POST",
            f"/{self._prefix}.*/_delete_by_query",
            {"query": _of_owner(owner_id, which)},
            missing={},
            routing=str(owner_id),
            refresh="true",
            conflicts="proceed",
        )
        if await self._count(owner_id, which):
            raise VectorStoreUnavailable("OpenSearch still has vectors that it was to delete")

    async def _count(self, owner_id: UUID, which: Mapping[str, object]) -> int:
        answer = await self._client.send(
            "POST",
            f"/{self._prefix}.*/_count",
            {"query": _of_owner(owner_id, which)},
            missing={"count": 0},
            routing=str(owner_id),
        )
        return int(answer["count"])


def _of_owner(owner_id: UUID, which: Mapping[str, object]) -> Mapping[str, object]:
    return {"bool": {"filter": [{"term": {"owner_id": str(owner_id)}}, which]}}


_FIELDS: Final = ["session_id", "number"]
_NO_HITS: Final[Mapping[str, Any]] = {"hits": {"hits": []}}
_NO_OWNERS: Final[Mapping[str, Any]] = {"owners": {"buckets": []}}  # where there is no index at all


def _mapping(dimensions: int) -> dict[str, object]:
    method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
    return {
        "settings": {"index": {"knn": True}},
        "mappings": {
            "dynamic": "strict",
            "properties": {
                "owner_id": {"type": "keyword"},
                "session_id": {"type": "keyword"},
                "number": {"type": "long"},
                "vector": {"type": "knn_vector", "dimension": dimensions, "method": method},
            },
        },
    }


def _lines(
    index: str, owner_id: UUID, vectors: Mapping[EntryKey, Vector]
) -> Iterator[Mapping[str, object]]:
    owner = str(owner_id)
    for key, vector in vectors.items():
        yield {"index": {"_index": index, "_id": _id_of(owner_id, key), "routing": owner}}
        yield {
            "owner_id": owner,
            "session_id": str(key.session_id),
            "number": key.number,
            "vector": list(vector),
        }


def _id_of(owner_id: UUID, key: EntryKey) -> str:
    return f"{owner_id}:{key.session_id}:{key.number}"


def _key_of(hit: Mapping[str, Any]) -> EntryKey:
    source = hit["_source"]
    return EntryKey(session_id=UUID(source["session_id"]), number=int(source["number"]))
