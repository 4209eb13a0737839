"""Sends signed requests to DynamoDB, and again where that may help."""

import asyncio
import logging
import random
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from time import monotonic
from typing import Any, Final

import botocore.session
import orjson
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from recollect.errors import ConfigurationError, DatabaseUnavailable
from recollect.http_client import AsyncCloseable, HttpClient, http_address
from recollect.http_client.responses import HttpFailure, HttpReply, ReplyTooLarge

_PROTOCOL: Final = "DynamoDB_20120810"
_SECONDS: Final = 10.0
_MAX_ANSWER_BYTES: Final = 20_000_000  # a page of 1 MB or a batch of 16 MB
_PATIENCE_SECONDS: Final = 15.0
"""How long a request is sent again before the database counts as unavailable."""
_FIRST_PAUSE: Final = 0.025
_LONGEST_PAUSE: Final = 1.0
_BUSY: Final = frozenset(
    {
        "InternalServerError",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionInProgressException",
    }
)
_BUSY_REASONS: Final = frozenset(
    {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
)
"""Why a transaction is cancelled that may succeed as it is a moment later."""
_CONDITION: Final = "ConditionalCheckFailed"
logger = logging.getLogger(__name__)


class ConditionFailed(Exception):
    """A write was not done: an item is no longer as it was read."""

    def __init__(self, failed: Sequence[int] = ()) -> None:
        super().__init__("a condition of the write does not hold")
        self.failed = tuple(failed)
        """The positions in the transaction whose conditions do not hold."""


class TableMissing(DatabaseUnavailable):
    """The table does not exist, or is not active yet."""

    def __init__(self) -> None:
        super().__init__("the table does not exist: create it with 'recollect dynamodb create'")


class RequestRefused(DatabaseUnavailable):
    """DynamoDB refuses a request for good; its words may quote values, so they are left out."""

    def __init__(self, code: str) -> None:
        super().__init__(f"DynamoDB refused the request ({code})")
        self.code = code


class DynamoClient(AsyncCloseable):
    """One pool of connections to DynamoDB in one region; close it with `aclose`.

    Credentials come from where every AWS program looks for them: the environment, a profile, the
    role of the container or machine.
    """

    def __init__(self, *, region: str | None, endpoint: str | None) -> None:
        session = botocore.session.Session()
        chosen = region or session.get_config_variable("region")
        if not chosen:
            raise ConfigurationError("MEMORY_DYNAMODB_REGION or AWS_DEFAULT_REGION must be set")
        self.region: Final[str] = chosen
        credentials = session.get_credentials()
        if credentials is None:
            raise ConfigurationError(
                "there are no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                "AWS_PROFILE, or give the machine a role"
            )
        self._credentials: Credentials = credentials
        setting = "MEMORY_DYNAMODB_ENDPOINT_URL"
        url = http_address(
            endpoint or _endpoint_of(session, chosen),
            f"{setting} must be an address such as http://127.0.0.1:8000",
        )
        self._url = url._replace(path=url.path or "/").geturl()
        self._client = HttpClient(url, setting=setting, connect_seconds=3.0, silence=_SECONDS)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request; again while DynamoDB is busy or cannot be reached, with random pauses.

        What is sent again may have been done already: every write is safe to repeat, by its
        conditions or its token.

        Raises:
            ConditionFailed: a condition of a write does not hold.
            TableMissing: there is no such table.
            DatabaseUnavailable: DynamoDB does not answer, or refuses.
        """
        body = orjson.dumps(request)
        began, pause = monotonic(), _FIRST_PAUSE
        while True:
            try:
                reply = await self._send(operation, body)
            except (HttpFailure, ReplyTooLarge) as error:
                problem = f"DynamoDB cannot be reached ({error})"
            else:
                if reply.status == HTTPStatus.OK:
                    return _object(reply)
                problem = _check(reply)
            if monotonic() - began > _PATIENCE_SECONDS:
                raise DatabaseUnavailable(problem)
            facts = {"operation": operation, "problem": problem}
            logger.info("dynamodb.repeated", extra={"facts": facts})
            # Half of the pause is random, so that writers who met once do not meet again.
            await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311  # no secret
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _send(self, operation: str, body: bytes) -> HttpReply:
        request = AWSRequest(
            method="POST",
            url=self._url,
            data=body,
            headers={
                "Content-Type": "application/x-amz-json-1.0",
                "X-Amz-Target": f"{_PROTOCOL}.{operation}",
            },
        )
        SigV4Auth(await self._current_credentials(), "dynamodb", self.region).add_auth(request)
        headers = dict(request.headers.items())
        return await self._client.fetch("POST", "", body, headers=headers, limit=_MAX_ANSWER_BYTES)

    async def _current_credentials(self) -> Any:  # noqa: ANN401  # botocore has no types
        credentials = self._credentials
        needs_refresh = getattr(credentials, "refresh_needed", None)
        if needs_refresh is not None and needs_refresh():
            # Asks a service over HTTP, and waits for it.
            return await asyncio.to_thread(credentials.get_frozen_credentials)
        return credentials.get_frozen_credentials()


def _endpoint_of(session: Any, region: str) -> str:  # noqa: ANN401  # botocore has no types
    resolver = session.get_component("endpoint_resolver")
    known = resolver.construct_endpoint("dynamodb", region)
    if known is None:
        raise ConfigurationError(f"there is no DynamoDB in the region {region}")
    return f"https://{known['hostname']}"


def _object(reply: HttpReply) -> dict[str, Any]:
    answer = reply.json()
    if not isinstance(answer, dict):
        raise DatabaseUnavailable("DynamoDB answered without JSON")
    return answer


def _check(reply: HttpReply) -> str:
    """Say why a request may be sent again; raise where that would not help."""
    answer = reply.json()
    error = answer if isinstance(answer, dict) else {}
    code = str(error.get("__type", "")).rpartition("#")[2]
    match code:
        case "ConditionalCheckFailedException":
            raise ConditionFailed((0,))
        case "ResourceNotFoundException":
            raise TableMissing
        case "TransactionCanceledException":
            return _check_cancelled(error)
        case _ if code in _BUSY or reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return f"DynamoDB is busy ({code or reply.status})"
    raise RequestRefused(code or str(reply.status))


def _check_cancelled(error: Mapping[str, Any]) -> str:
    codes = [str(reason.get("Code")) for reason in error.get("CancellationReasons") or ()]
    if _CONDITION in codes:
        raise ConditionFailed([at for at, code in enumerate(codes) if code == _CONDITION])
    busy = next((code for code in codes if code in _BUSY_REASONS), None)
    if busy is None:
        raise RequestRefused(next((code for code in codes if code != "None"), "cancelled"))
    return f"DynamoDB is busy ({busy})"
