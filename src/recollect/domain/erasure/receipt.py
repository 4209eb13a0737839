"""Receipts: what was erased, when, by whom, and what a verification found, signed."""

import hashlib
import hmac
import json
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from recollect.domain.erasure.erasure import Erasure, Verification
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.text import JsonObject
from recollect.errors import InvalidInput, InvalidReceipt

FORMAT: Final = "recollect-erasure-receipt"
VERSION: Final = 1
KEY_BYTES: Final = 32
_ALGORITHM: Final = "HMAC-SHA256"
_UNSIGNED: Final = frozenset({"signature", "tenant", "user"})
"""The names are not stored: they are added for whoever asks, and checked by the owner's id."""


def write_receipt(erasure: Erasure, verification: Verification, *, now: datetime) -> JsonObject:
    """Write the receipt of an erasure that is done, without a name and without a signature."""
    request = erasure.request
    return {
        "format": FORMAT,
        "version": VERSION,
        "erasure_id": str(erasure.erasure_id),
        "owner_id": str(erasure.owner_id),
        "what": str(request.kind),
        "session_id": None if request.session_id is None else str(request.session_id),
        "before": None if request.before is None else _time(request.before),
        "part_of": None if erasure.part_of is None else str(erasure.part_of),
        "requested_by": erasure.requested_by,
        "requested_at": _time(erasure.requested_at),
        "finished_at": _time(now),
        "erased": {place: dict(counts) for place, counts in sorted(erasure.erased.items())},
        "verification": {
            "result": "clean" if verification.is_clean else "not clean",
            "remaining": {
                place: dict(counts) for place, counts in sorted(verification.remaining.items())
            },
            "phrases": {
                "sampled": verification.sampled_phrases,
                "found": verification.found_phrases,
            },
        },
    }


def sign(receipt: JsonObject, key: bytes) -> JsonObject:
    """Return the receipt with its signature by this key."""
    digest = hmac.new(key, _signed_bytes(receipt), hashlib.sha256).hexdigest()
    signature = {"algorithm": _ALGORITHM, "key_id": key_id(key), "value": digest}
    return {**receipt, "signature": signature}


def with_names(receipt: JsonObject, scope: Scope | TenantScope) -> JsonObject:
    """Return the receipt with the names of its owner, for somebody who has given them."""
    names = {"tenant": scope.tenant}
    if isinstance(scope, Scope):
        names["user"] = scope.user
    return {**receipt, **names}


def key_id(key: bytes) -> str:
    """Return what names a key and does not betray it."""
    return hashlib.sha256(b"recollect receipt key\0" + key).hexdigest()[:16]


def check_receipt(receipt: object, key: bytes) -> JsonObject:
    """Return the receipt if it is whole and signed by this key.

    Raises:
        InvalidReceipt: says whether it is no receipt, signed by another key, or altered.
    """
    if not isinstance(receipt, dict) or receipt.get("format") != FORMAT:
        raise InvalidReceipt("is not a receipt of an erasure")
    if receipt.get("version") != VERSION:
        raise InvalidReceipt("has a version that this program does not know")
    signature = receipt.get("signature")
    if not isinstance(signature, dict) or signature.get("algorithm") != _ALGORITHM:
        raise InvalidReceipt("has no signature")
    if signature.get("key_id") != key_id(key):
        raise InvalidReceipt(
            "was signed with another key than this memory has: look at MEMORY_RECEIPT_KEY and the "
            "database it came from"
        )
    expected = hmac.new(key, _signed_bytes(receipt), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), str(signature.get("value")).encode()):
        raise InvalidReceipt("was altered: its signature does not fit what it says")
    _check_names(receipt)
    return receipt


def _check_names(receipt: JsonObject) -> None:
    """Refuse names that are not those of the owner whom the signature covers."""
    tenant, user = receipt.get("tenant"), receipt.get("user")
    if tenant is None and user is None:
        return
    try:
        owner = Scope(tenant=str(tenant), user=str(user)) if user is not None else None
        owner_id: UUID = (owner or TenantScope(tenant=str(tenant))).owner_id
    except InvalidInput:
        owner_id = UUID(int=0)
    if str(owner_id) != receipt.get("owner_id"):
        raise InvalidReceipt("was altered: it names somebody else than its owner_id stands for")


def _signed_bytes(receipt: JsonObject) -> bytes:
    """The receipt in the one form that is signed, whatever the order and spacing of its JSON."""
    signed = {name: value for name, value in receipt.items() if name not in _UNSIGNED}
    return json.dumps(signed, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
