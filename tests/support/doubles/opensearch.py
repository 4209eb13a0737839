"""An OpenSearch cluster on loopback as far as vectors need it, as strict as the real one.

It keeps documents in memory and refuses what OpenSearch refuses: unknown fields in a strict
mapping, vectors of a wrong length, an index that is there already or is missing, a bulk body that
is not newline-delimited JSON, a query on a field it does not know. What is written is found by a
search only after a refresh.
"""

import asyncio
import fnmatch
import json
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from socket import IPPROTO_TCP, TCP_NODELAY
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

Document = dict[str, Any]
Answer = Mapping[str, object]


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.error = {"type": kind, "reason": reason, "root_cause": [{"type": kind}]}


class Index:
    """One index: its mapping, what is written, and what a search sees of it."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        if not body["settings"]["index"]["knn"]:
            raise Refused(400, "mapper_parsing_exception", "knn is not switched on")
        self.mappings = body["mappings"]
        self.fields: dict[str, Any] = self.mappings["properties"]
        vector = self.fields["vector"]
        if vector["type"] != "knn_vector" or not 1 <= vector["dimension"] <= 16_000:
            raise Refused(400, "mapper_parsing_exception", "bad knn_vector")
        method = vector["method"]
        if (method["name"], method["engine"], method["space_type"]) != (
            *("hnsw", "lucene"),
            "cosinesimil",
        ):
            raise Refused(400, "mapper_parsing_exception", "unknown method")
        self.written: dict[str, Document] = {}
        self.seen: dict[str, Document] = {}

    def refresh(self) -> None:
        """Let searches see what is written."""
        self.seen = dict(self.written)

    def check(self, document: Document) -> None:
        """Refuse what the mapping does not allow."""
        for name, value in document.items():
            if name not in self.fields:
                raise Refused(400, "strict_dynamic_mapping_exception", f"[{name}] is not allowed")
            if name == "vector":
                self.check_vector(value, "mapper_parsing_exception")

    def check_vector(self, vector: Sequence[float], kind: str) -> None:
        """Refuse a vector of another length."""
        expected = self.fields["vector"]["dimension"]
        if len(vector) != expected:
            reason = f"Vector dimension mismatch. Expected: {expected}, Given: {len(vector)}"
            raise Refused(400, kind, reason)
        if not any(vector):
            raise Refused(400, kind, "zero vector is not supported for cosinesimil")


class OpenSearchDouble:
    """The cluster; `requests` tells what came in, `fails_with` makes it fail."""

    def __init__(self) -> None:
        self.url = ""
        self.indices: dict[str, Index] = {}
        self.requests: list[tuple[str, str]] = []
        self.fails_with: int | None = None
        self.keeps_deleted = False
        """Whether it says it deletes and does not."""

    async def handle(self, request: Request) -> Response:
        """Answer one request."""
        self.requests.append((request.method, request.url.path))
        if self.fails_with is not None:
            return Response("<html>bad gateway</html>", status_code=self.fails_with)
        try:
            return JSONResponse(await self._answer(request))
        except Refused as refused:
            return JSONResponse(
                {"error": refused.error, "status": refused.status}, status_code=refused.status
            )

    async def _answer(self, request: Request) -> Answer:
        parts = request.url.path.strip("/").split("/")
        kind = request.headers.get("content-type", "")
        raw = await request.body()
        if parts == ["_bulk"]:
            if kind != "application/x-ndjson" or not raw.endswith(b"\n"):
                raise Refused(406, "media_type_header_exception", "bulk wants x-ndjson")
            return self._bulk([json.loads(line) for line in raw.splitlines()], request)
        if raw and kind != "application/json":
            raise Refused(406, "media_type_header_exception", "wants JSON")
        body = json.loads(raw) if raw else {}
        if request.method == "POST":
            return self._documents(parts, body, request)
        match request.method, parts:
            case "PUT", [name]:
                return self._create(name, body)
            case "DELETE", [name]:
                self._index(name)
                del self.indices[name]
                return {"acknowledged": True}
            case "GET", [pattern, "_mapping"]:
                found = self._named(pattern)
                return {name: {"mappings": index.mappings} for name, index in found.items()}
        raise Refused(405, "illegal_argument_exception", "no handler found")

    def _documents(self, parts: Sequence[str], body: Document, request: Request) -> Answer:
        match parts:
            case [pattern, "_search"] if "*" in pattern:
                return self._aggregated(pattern, body)
            case [name, "_search"]:
                return self._search(self._index(name), body, request)
            case [pattern, "_delete_by_query"]:
                return self._delete(pattern, body["query"], request)
            case [pattern, "_count"]:
                counts = (
                    len(_filtered(index, index.seen, body["query"]))
                    for index in self._named(pattern).values()
                )
                return {"count": sum(counts)}
        raise Refused(405, "illegal_argument_exception", "no handler found")

    def _create(self, name: str, body: Mapping[str, Any]) -> Answer:
        if name in self.indices:
            raise Refused(400, "resource_already_exists_exception", f"index [{name}] exists")
        if name != name.lower() or name.startswith(("_", "-")):
            raise Refused(400, "invalid_index_name_exception", "must be lowercase")
        self.indices[name] = Index(body)
        return {"acknowledged": True, "index": name}

    def _index(self, name: str) -> Index:
        if name not in self.indices:
            raise Refused(404, "index_not_found_exception", f"no such index [{name}]")
        return self.indices[name]

    def _named(self, pattern: str) -> dict[str, Index]:
        """The index of that name, which must be there; of a pattern, as many as there are."""
        if "*" not in pattern:
            return {pattern: self._index(pattern)}
        found = self.indices.items()
        return {name: index for name, index in found if fnmatch.fnmatch(name, pattern)}

    def _aggregated(self, pattern: str, body: Mapping[str, Any]) -> Answer:
        """Buckets in pages, as a composite aggregation has them; none where there is no index."""
        indices = self._named(pattern).values()
        if set(body) != {"size", "aggs"} or body["size"] != 0:
            raise Refused(400, "parsing_exception", "only aggregations over many indices")
        answer: dict[str, Any] = {"hits": {"hits": []}}
        if not indices:
            return answer
        ((name, aggregation),) = body["aggs"].items()
        documents = [(index, found) for index in indices for found in index.seen.values()]
        page = _composite(documents, aggregation["composite"])
        return answer | {"aggregations": {name: page}}

    def _bulk(self, lines: Sequence[Document], request: Request) -> Answer:
        items = []
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            target = action["index"]
            item: Document = {"_id": target["_id"], "status": 201}
            try:
                index = self._index(target["_index"])
                index.check(document)
                index.written[target["_id"]] = document | {"_routing": target["routing"]}
                if request.query_params.get("refresh") in {"true", "wait_for"}:
                    index.refresh()
            except Refused as refused:
                item |= {"status": refused.status, "error": refused.error}
            items.append({"index": item})
        return {"errors": any("error" in item["index"] for item in items), "items": items}

    def _search(self, index: Index, body: Mapping[str, Any], request: Request) -> Answer:
        routing = request.query_params.get("routing")
        seen = {
            name: document
            for name, document in index.seen.items()
            if routing is None or document["_routing"] == routing
        }
        query = body["query"]
        if "knn" in query:
            hits = _nearest(index, seen, query["knn"]["vector"])
        else:
            hits = _sorted(_filtered(index, seen, query), body)
        return {"hits": {"hits": [_shown(hit, body["_source"]) for hit in hits[: body["size"]]]}}

    def _delete(self, pattern: str, query: Mapping[str, Any], request: Request) -> Answer:
        deleted = 0
        for index in self._named(pattern).values():
            for document in _filtered(index, index.seen, query):
                if not self.keeps_deleted:
                    index.written.pop(document["_id"], None)
                deleted += 1
            if request.query_params.get("refresh") == "true":
                index.refresh()
        return {"deleted": deleted, "failures": []}


def _filtered(
    index: Index, documents: Mapping[str, Document], query: Mapping[str, Any]
) -> list[Document]:
    return [
        document | {"_id": name}
        for name, document in documents.items()
        if _matches(index, name, document, query)
    ]


def _matches(index: Index, name: str, document: Document, query: Mapping[str, Any]) -> bool:
    ((kind, value),) = query.items()
    match kind:
        case "match_all":
            return True
        case "ids":
            return name in value["values"]
        case "term":
            ((field, wanted),) = value.items()
            if index.fields.get(field, {}).get("type") != "keyword":
                raise Refused(400, "query_shard_exception", f"field [{field}] is no keyword")
            return bool(document[field] == wanted)
        case "bool":
            if set(value) != {"filter"}:
                raise Refused(400, "parsing_exception", "only filters are understood here")
            return all(_matches(index, name, document, part) for part in value["filter"])
    raise Refused(400, "parsing_exception", f"unknown query [{kind}]")


def _nearest(index: Index, documents: Mapping[str, Document], knn: Document) -> list[Document]:
    if set(knn) - {"vector", "k", "filter"}:
        raise Refused(400, "parsing_exception", "[knn] unknown token")
    if not 1 <= knn["k"] <= 10_000:
        raise Refused(400, "illegal_argument_exception", "[knn] requires k in (0, 10000]")
    index.check_vector(knn["vector"], "search_phase_execution_exception")
    found = [
        document | {"_score": (1 + _cosine(document["vector"], knn["vector"])) / 2}
        for document in _filtered(index, documents, knn.get("filter", {"match_all": {}}))
    ]
    return sorted(found, key=lambda hit: -hit["_score"])[: knn["k"]]


def _sorted(documents: list[Document], body: Mapping[str, Any]) -> list[Document]:
    fields = [next(iter(part)) for part in body["sort"]]
    for document in documents:
        document["sort"] = [document[field] for field in fields]
    after = body.get("search_after")
    kept = [hit for hit in documents if after is None or hit["sort"] > after]
    return sorted(kept, key=lambda hit: hit["sort"])


def _composite(documents: list[tuple[Index, Document]], asked: Document) -> Document:
    if set(asked) - {"size", "sources", "after"}:
        raise Refused(400, "x_content_parse_exception", "[composite] unknown field")
    ((name, source),) = asked["sources"][0].items()
    field = source["terms"]["field"]
    for index, _ in documents:
        if index.fields.get(field, {}).get("type") != "keyword":
            raise Refused(400, "illegal_argument_exception", f"[{field}] cannot be aggregated")
    last = asked.get("after", {}).get(name, "")
    values = sorted({found[field] for _, found in documents if found[field] > last})
    buckets = [{"key": {name: value}, "doc_count": 1} for value in values[: asked["size"]]]
    return {"buckets": buckets} | ({"after_key": buckets[-1]["key"]} if buckets else {})


def _shown(hit: Document, fields: Sequence[str]) -> Document:
    outer = {name: hit[name] for name in ("_id", "_score", "sort") if name in hit}
    return outer | {"_source": {field: hit[field] for field in fields}}


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / (math.hypot(*one) * math.hypot(*other))


@asynccontextmanager
async def running_opensearch() -> AsyncIterator[OpenSearchDouble]:
    """The cluster on a free port of loopback."""
    double = OpenSearchDouble()
    methods = ["GET", "POST", "PUT", "DELETE", "HEAD"]
    app = Starlette(routes=[Route("/{path:path}", double.handle, methods=methods)])
    config = uvicorn.Config(app, port=0, log_level="error", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    socket = config.bind_socket()
    # Else each answer waits 40 ms for the acknowledgement of its own headers.
    socket.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
    double.url = f"http://127.0.0.1:{socket.getsockname()[1]}"
    task = asyncio.create_task(server.serve([socket]))
    try:
        yield double
    finally:
        server.should_exit = True
        await task
        socket.close()
