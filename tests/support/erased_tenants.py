"""A tenant whose users have something in every place, and dumps of all that is stored of them."""

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4, uuid5

import boto3
import chromadb
import httpx
import zstandard
from chromadb.config import Settings

from recollect.domain.identity.scope import Scope
from support.doubles.chat_endpoint import ChatDouble, Received, Reply
from support.servers.moto_server import CREDENTIALS

TENANT: Final = "acme"
_EXCHANGES: Final = 3
"""Of a session that stays: enough that the oldest is summarised."""
Objects = dict[str, bytes]
Vectors = dict[str, Any]


class EchoingDouble(ChatDouble):
    """A model that repeats what it is asked, so that answers and summaries have it, too."""

    def answer(self, request: Received, reply: Reply) -> bytes:
        messages = request.body["messages"]
        return super().answer(request, Reply(answer=f"You said: {messages[-1]['content']}"))


@dataclass(frozen=True, slots=True)
class MarkedUser:
    """A user in all of whose texts, and in whose name, one word occurs."""

    marker: str

    @property
    def scope(self) -> Scope:
        return Scope(tenant=TENANT, user=f"user-{self.marker}")

    @property
    def owner_id(self) -> str:
        return str(self.scope.owner_id)

    @property
    def expiring_id(self) -> UUID:
        """The session that goes into the archive."""
        return uuid5(self.scope.owner_id, "expiring")

    @property
    def words(self) -> tuple[bytes, ...]:
        """What must not be left of the user where no pseudonym may be."""
        return (self.marker.encode(), self.owner_id.encode(), self.scope.owner_id.hex.encode())


def marked_users(count: int) -> list[MarkedUser]:
    """Users with markers that no other text has."""
    return [MarkedUser(f"marker{uuid4().hex}") for _ in range(count)]


async def fill(client: httpx.AsyncClient, user: MarkedUser) -> None:
    """Let a user talk, edit a question, and have facts, a profile and a state."""
    marker, headers = user.marker, {"X-Memory-User": user.scope.user}

    async def send(method: str, path: str, body: object, **more: str) -> Any:  # noqa: ANN401  # JSON
        response = await client.request(method, path, json=body, headers={**headers, **more})
        assert response.is_success, response.text
        return response.json()

    talk: list[dict[str, str]] = []
    for question in (f"I live in {marker}.", f"Where is {marker}?", f"Who else is in {marker}?"):
        edited = [*talk[:2], {"role": "user", "content": question}]
        body = {"model": "m", "messages": edited}
        reply = await send("POST", "/v1/chat/completions", body, **{"X-Session-ID": marker})
        talk = [*edited, reply["choices"][0]["message"]]
    for session_id, exchanges in ((uuid4(), _EXCHANGES), (user.expiring_id, 1)):
        new = {
            "session_id": str(session_id),
            "name": f"About {marker}",
            "metadata": {marker: marker},
            "tags": [marker],
        }
        await send("POST", "/api/v1/sessions", new)
        for number in range(exchanges):
            exchange = {
                "question": f"What is number {number} of {marker}?",
                "answer": f"It is {number * 7} of {marker}, as you see.",
            }
            await send("POST", f"/api/v1/sessions/{session_id}/exchanges", exchange)
    await send("POST", "/api/v1/memory", {"content": f"Likes {marker}."})
    await send("PUT", "/api/v1/profile/home", {"value": {marker: 1e17}})
    await send("PUT", "/api/v1/state", {"mode": "busy"})


class FolderDump:
    """The objects of an archive in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        # `os.walk` passes over folders that are erased meanwhile; `Path.rglob` fails.
        found = (Path(folder, name) for folder, _, names in os.walk(self._folder) for name in names)
        return sorted(str(path.relative_to(self._folder)) for path in found)

    def objects(self) -> Objects:
        return {name: (self._folder / name).read_bytes() for name in self.names()}


class BucketDump:
    """The objects of a bucket, read without Recollect."""

    def __init__(self, url: str, bucket: str) -> None:
        resource = boto3.resource(
            "s3",
            endpoint_url=url,
            aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
            region_name=CREDENTIALS["AWS_REGION"],
        )
        self._bucket = resource.Bucket(bucket)

    def names(self) -> list[str]:
        return [one.key for one in self._bucket.objects.all()]

    def objects(self) -> Objects:
        return {one.key: one.get()["Body"].read() for one in self._bucket.objects.all()}


def unpacked(objects: Objects) -> bytes:
    """The names and the words of all objects."""
    reader = zstandard.ZstdDecompressor()
    texts = [
        name.encode() + b"\n" + reader.stream_reader(io.BytesIO(packed)).read()
        for name, packed in objects.items()
    ]
    return b"\n".join(texts)


def chroma_vectors(url: str) -> Vectors:
    """Everything that a Chroma server tells of its collections, by name."""
    host, _, port = url.removeprefix("http://").partition(":")
    settings = Settings(anonymized_telemetry=False)
    client = chromadb.HttpClient(host=host, port=int(port), settings=settings)
    return {
        one.name: str(one.get(include=["embeddings", "metadatas", "documents"]))
        for one in client.list_collections(limit=10_000)
    }
