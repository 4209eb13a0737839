"""Opens what the settings name beside an engine: models, an answerer, permissions, vectors."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from recollect.answerers.denodo import DenodoAnswerer, DenodoClient
from recollect.answerers.from_memory import FromMemory
from recollect.answerers.llm import LlmAnswerer
from recollect.archives.encrypted import EncryptedObjects
from recollect.archives.folder import FolderObjects
from recollect.archives.objects import ObjectStore
from recollect.domain.identity.permissions import PermissionAddress, PermissionKind
from recollect.domain.pace import Pace
from recollect.domain.policy import PRESETS
from recollect.domain.recall.entry import RecallScope
from recollect.domain.recall.reranking import RerankPolicy
from recollect.domain.transfer.archive import ArchiveAddress, ArchiveKind
from recollect.engines.opensearch import OpenSearchClient, OpenSearchVectorStore
from recollect.errors import ConfigurationError
from recollect.extras import require
from recollect.models.embedding.embedders import EmbeddingChoice, open_embedder
from recollect.models.embedding.onnx_model import Pooling
from recollect.models.endpoint.chat_model import OpenAICompatibleChat
from recollect.models.endpoint.endpoint import OpenAICompatibleEndpoint
from recollect.models.facts.tagger import FactTagger
from recollect.models.followup.span_editor import SpanEditor
from recollect.models.names import open_name_finder
from recollect.models.reranking.rerankers import RerankChoice, open_reranker
from recollect.models.stems import SnowballStems
from recollect.models.tokens import token_counter_for
from recollect.permissions.cache import CachedPermissions
from recollect.permissions.http import DenodoCatalog, PermissionsHook
from recollect.permissions.local import PermissionFunction, PermissionsByFunction, PermissionsFile
from recollect.ports.accounts import PermissionSource
from recollect.ports.facts import FactExtractor
from recollect.ports.models import Answerer
from recollect.ports.privacy.archive import ArchiveStore
from recollect.ports.privacy.encryption import OwnerCiphers
from recollect.ports.recall import VectorStore
from recollect.ports.telemetry import UNMEASURED, Telemetry
from recollect.services.facts.llm_extraction import LlmFactExtractor
from recollect.services.services import ServiceDependencies
from recollect.settings import AnswererKind, FactExtractorKind, Settings, VectorStoreKind
from recollect.sql_reading import SqlglotReader
from recollect.system import RandomIds, SystemClock

if TYPE_CHECKING:
    from recollect.answerers.sql_database import SqlDatabaseAnswerer


@asynccontextmanager
async def open_vectors(settings: Settings) -> AsyncIterator[VectorStore | None]:
    """The vector store outside; None if vectors are in PostgreSQL."""
    collection, username = settings.vector_collection_name, settings.vector_store_username
    password = _plain_text(settings.vector_store_password)
    match settings.vector_store:
        case VectorStoreKind.PGVECTOR:
            yield None
        case VectorStoreKind.CHROMA:
            require("chromadb", "MEMORY_VECTOR_STORE=chroma")
            place = settings.vector_store_url or str(settings.home / "chroma")

            def open_store() -> VectorStore:
                # In a thread: the package takes a second to load.
                from recollect.engines.chroma import open_chroma  # noqa: PLC0415

                return open_chroma(
                    place, collection=collection, username=username, password=password
                )

            yield await asyncio.to_thread(open_store)
        case VectorStoreKind.OPENSEARCH:
            address = settings.vector_store_url or ""
            async with OpenSearchClient(address, username=username, password=password) as client:
                yield OpenSearchVectorStore(client, collection=collection)


def archive_of(settings: Settings, ciphers: OwnerCiphers | None = None) -> ArchiveStore | None:
    """The archive of expired sessions; None if there is none. Nothing is connected yet.

    With `ciphers`, objects are encrypted with the keys of their owners.
    """
    address = settings.archive_address
    if address is None:
        return None
    purpose = f"MEMORY_ARCHIVE={settings.archive}"
    require("zstandard", purpose)
    from recollect.archives.compressed import CompressedArchive  # noqa: PLC0415  # an extra

    return CompressedArchive(EncryptedObjects(_objects_at(address, settings, purpose), ciphers))


def _objects_at(address: ArchiveAddress, settings: Settings, purpose: str) -> ObjectStore:
    if address.kind is ArchiveKind.FOLDER:
        return FolderObjects(Path(address.place))
    require("obstore", purpose)
    from recollect.archives.s3 import S3Objects  # noqa: PLC0415  # another

    endpoint = settings.archive_endpoint_url
    return S3Objects(address.place, prefix=address.prefix, endpoint=endpoint)


@asynccontextmanager
async def open_permissions(
    settings: Settings, function: PermissionFunction | None = None
) -> AsyncIterator[PermissionSource | None]:
    """What tells which tables may be seen: a function, or what the settings name; else None."""
    address = settings.permission_address
    async with AsyncExitStack() as stack:
        if function is not None:
            source: PermissionSource = PermissionsByFunction(function)
        elif address is None:
            yield None
            return
        elif address.kind is PermissionKind.FILE:
            source = PermissionsFile(Path(address.target))
        else:
            source = await stack.enter_async_context(_permission_service(settings, address))
        seconds = settings.permissions_cache_seconds
        yield CachedPermissions(source, clock=SystemClock(), seconds=seconds)


def _permission_service(
    settings: Settings, address: PermissionAddress
) -> PermissionsHook | DenodoCatalog:
    limit = settings.permissions_timeout_seconds
    if address.kind is PermissionKind.HOOK:
        secret = _plain_text(settings.permissions_secret)
        return PermissionsHook(address.target, secret=secret, time_limit=limit)
    return DenodoCatalog(
        address.target, databases=address.databases, server_id=address.server_id, time_limit=limit
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapters:
    """What the services need beside an engine, and what else the settings name."""

    dependencies: ServiceDependencies
    denodo: DenodoClient | None = None
    """The data platform, which interfaces speak to themselves."""


def offline(permissions: PermissionFunction | None = None) -> ServiceDependencies:
    """What the services need where no model is set; a changed permission counts at once."""
    source = PermissionsByFunction(permissions) if permissions else None
    clock = SystemClock()
    return ServiceDependencies(
        clock=clock,
        ids=RandomIds(),
        counter_for=token_counter_for,
        answerer=FromMemory(),
        sql=SqlglotReader(),
        stems=SnowballStems(),
        follow_up_model=SpanEditor(),
        # Even without a lifetime, callers at the same time share one call of the function.
        permissions=CachedPermissions(source, clock=clock, seconds=0) if source else None,
    )


@asynccontextmanager
async def open_offline(
    permissions: PermissionFunction | None = None,
) -> AsyncIterator[ServiceDependencies]:
    """The same with the model of facts, which is loaded when it is first needed."""
    async with FactTagger() as tagger:
        yield replace(
            offline(permissions),
            fact_extractor=tagger,
            fact_extractors={FactExtractorKind.LOCAL: tagger},
            fact_relations=tagger,
        )


@asynccontextmanager
async def open_adapters(
    settings: Settings,
    permissions: PermissionFunction | None = None,
    ciphers: OwnerCiphers | None = None,
    *,
    telemetry: Telemetry = UNMEASURED,
    names_on_demand: bool = False,
) -> AsyncIterator[Adapters]:
    """Open what the settings name; its connections are closed at the end.

    With `ciphers`, what is archived is encrypted. With `names_on_demand`, what finds names is
    loaded when the first text is masked.
    """
    async with AsyncExitStack() as stack:
        opened = stack.enter_async_context
        answering, summarising, endpoint, denodo = None, None, None, None
        if settings.llm_base_url and settings.llm_model:
            answering = await opened(_chat(settings, settings.llm_model, telemetry))
            cheaper = settings.summarization_model or settings.llm_model
            summarising = await opened(_chat(settings, cheaper, telemetry))
        if settings.llm_base_url and settings.passes_chats_on:
            endpoint = await opened(model_endpoint(settings, settings.llm_base_url, telemetry))
        if settings.denodo_url:
            denodo = await opened(denodo_client(settings, settings.denodo_url))
        pace = Pace(settings.model_wait_ms / 1000 or None)
        embedder = open_embedder(embedding_choice(settings), telemetry=telemetry, pace=pace)
        tagger = await opened(FactTagger())
        extractors = _fact_extractors(settings, tagger, summarising)
        dependencies = replace(
            offline(),
            fact_extractor=extractors[settings.facts_extractor],
            fact_extractors=extractors,
            fact_extractor_kind=settings.facts_extractor,
            fact_relations=tagger,
            permissions=await opened(open_permissions(settings, permissions)),
            pace=pace,
            embedder=await opened(embedder),
            embedding_timeout=settings.embedding_timeout_seconds,
            reranker=await opened(open_reranker(rerank_choice(settings))),
            reranking=RerankPolicy.parse(settings.rerank),
            vectors=await opened(open_vectors(settings)),
            names=await opened(open_name_finder(settings.mask_names, on_demand=names_on_demand)),
            archive=archive_of(settings, ciphers),
            archive_retention=settings.archive_retention,
            answering_model=answering,
            summarising_model=summarising,
            model_timeout=settings.llm_timeout_seconds,
            endpoint=endpoint,
            answerer=_answerer(settings, answering, denodo, stack),
            answer_timeout=settings.answer_timeout_seconds,
            receipt_key=_receipt_key(settings),
            telemetry=telemetry,
        )
        yield Adapters(dependencies=dependencies, denodo=denodo)


def _receipt_key(settings: Settings) -> bytes | None:
    key = _plain_text(settings.receipt_key)
    return None if key is None else key.encode()


def _fact_extractors(
    settings: Settings, tagger: FactTagger, model: OpenAICompatibleChat | None
) -> dict[FactExtractorKind, FactExtractor]:
    """Those there are, for the server and for tenants that choose another one."""
    extractors: dict[FactExtractorKind, FactExtractor] = {FactExtractorKind.LOCAL: tagger}
    if model is not None:
        extractors[FactExtractorKind.LLM] = LlmFactExtractor(
            model=model, fallback=tagger, timeout=settings.llm_timeout_seconds
        )
    if settings.facts_extractor not in extractors:
        raise ConfigurationError(
            "MEMORY_FACTS_EXTRACTOR=llm needs MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL"
        )
    return extractors


def embedding_choice(settings: Settings) -> EmbeddingChoice:
    """The endpoint and its key are the LLM's, unless others are set; its key goes nowhere else."""
    base_url, key = settings.embedding_base_url, settings.embedding_api_key
    if base_url is None or base_url == settings.llm_base_url:
        base_url, key = settings.llm_base_url, key or settings.llm_api_key
    return EmbeddingChoice(
        model=settings.embedding_model,
        is_at_endpoint=settings.embedding_base_url is not None,
        base_url=base_url,
        api_key=_plain_text(key),
        dimensions=settings.embedding_dimensions,
        pooling=Pooling(settings.embedding_pooling),
        timeout=settings.llm_timeout_seconds,
    )


def rerank_choice(settings: Settings) -> RerankChoice:
    """Nothing is opened where nothing is indexed."""
    is_indexed = settings.recall is not RecallScope.OFF
    return RerankChoice(
        policy=RerankPolicy.parse(settings.rerank if is_indexed else "off"),
        folder=settings.rerank_model and settings.rerank_model.expanduser(),
    )


def _answerer(
    settings: Settings,
    model: OpenAICompatibleChat | None,
    denodo: DenodoClient | None,
    stack: AsyncExitStack,
) -> Answerer:
    match settings.chosen_answerer:
        case AnswererKind.DENODO if denodo:
            return DenodoAnswerer(denodo, sql=SqlglotReader())
        case AnswererKind.SQL_DATABASE if model:
            answerer = _sql_database(settings, model)
            stack.push_async_callback(answerer.close)
            return answerer
        case AnswererKind.LLM if model:
            return LlmAnswerer(
                model,
                form=PRESETS[settings.preset].context,
                system_prompt=settings.system_prompt,
                timeout=settings.answer_timeout_seconds,
            )
        case _:
            return FromMemory()


def _sql_database(settings: Settings, model: OpenAICompatibleChat) -> "SqlDatabaseAnswerer":
    # Loaded here: SQLAlchemy is an extra, and the SQL parser takes 0.15 s.
    require("sqlalchemy", "MEMORY_SQL_DATABASE")
    from recollect.answerers import sql_database  # noqa: PLC0415

    return sql_database.SqlDatabaseAnswerer(
        sql_database.open_database(
            _plain_text(settings.sql_database) or "",
            timeout=settings.answer_timeout_seconds,
            connections=settings.sql_connections,
            role=settings.sql_role,
        ),
        model,
        tables=settings.sql_tables,
        functions=settings.sql_functions,
        row_limit=settings.sql_row_limit,
        model_timeout=settings.llm_timeout_seconds,
    )


def denodo_client(settings: Settings, address: str) -> DenodoClient:
    """The client of a Denodo AI SDK."""
    return DenodoClient(address, verifies_tls=settings.denodo_verify_tls)


def _chat(settings: Settings, model: str, telemetry: Telemetry) -> OpenAICompatibleChat:
    return OpenAICompatibleChat(
        settings.llm_base_url or "",
        model=model,
        api_key=_plain_text(settings.llm_api_key),
        template=settings.chat_template,
        telemetry=telemetry,
    )


def model_endpoint(
    settings: Settings, base_url: str, telemetry: Telemetry = UNMEASURED
) -> OpenAICompatibleEndpoint:
    """The endpoint of the models, for requests in OpenAI's form."""
    key = _plain_text(settings.llm_api_key)
    return OpenAICompatibleEndpoint(
        base_url,
        api_key=key,
        silence=settings.answer_timeout_seconds,
        model=settings.llm_model,
        telemetry=telemetry,
    )


def _plain_text(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
