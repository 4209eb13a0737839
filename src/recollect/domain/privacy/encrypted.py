"""The stored form of encrypted text, and the master keys that operators set."""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from recollect.errors import InvalidInput

STORED_MARK: Final = "recollect-encrypted:"
"""What a stored text begins with that is not to be read as it is: it is encrypted, or escaped."""
ENCRYPTED_PREFIX: Final = f"{STORED_MARK}1:"
"""What every encrypted text begins with, so that it lives beside what is stored plain."""
ESCAPED_PREFIX: Final = f"{STORED_MARK}0:"
"""What comes before a plain text that begins with the mark itself: users may paste one."""
MASTER_KEY_BYTES: Final = 32
_KEY_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_FORM: Final = f"must be the base64 text of {MASTER_KEY_BYTES} bytes, or several as id:base64, …"


def parse_master_keys(text: str) -> Mapping[str, bytes]:
    """Read master keys by their ids, the current one first.

    A key without an id is called by its fingerprint. The messages never show a part of a key.

    Raises:
        InvalidInput: a key is not 32 bytes in base64, or two have one id.
    """
    keys: dict[str, bytes] = {}
    for number, part in enumerate(text.split(","), start=1):
        key_id, separator, encoded = part.strip().rpartition(":")
        key = _master_key(encoded, number)
        if not separator:
            key_id = _fingerprint(key)
        elif not _KEY_ID.fullmatch(key_id):
            problem = "has an id that is not made of letters, digits, '.', '_' and '-'"
            raise InvalidInput("encryption_key", f"number {number} {problem}")
        if key_id in keys:
            raise InvalidInput("encryption_key", f"number {number} has the id of one before it")
        keys[key_id] = key
    return keys


def _master_key(encoded: str, number: int) -> bytes:
    try:
        key = b64decode(encoded, validate=True)
    except (Error, ValueError):
        raise InvalidInput("encryption_key", f"number {number} is no base64; {_FORM}") from None
    if len(key) != MASTER_KEY_BYTES:
        raise InvalidInput("encryption_key", f"number {number} has {len(key)} bytes; {_FORM}")
    return key


def _fingerprint(key: bytes) -> str:
    return sha256(b"recollect master key\0" + key).hexdigest()[:8]
