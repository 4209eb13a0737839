"""JWTs, and a server that publishes the keys they are signed with."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

SECRET = "a secret of sixty-four bytes or more, as the longest of the algorithms wants"


def claims(**given: object) -> dict[str, object]:
    """Claims that are valid for a day; what is given as None is left out."""
    now = int(time.time())
    everything = {"sub": "alice", "iat": now, "exp": now + 86_400, **given}
    return {name: value for name, value in everything.items() if value is not None}


def signed(secret: str = SECRET, *, algorithm: str = "HS256", **given: object) -> str:
    """A token signed with a secret."""
    return jwt.encode(claims(**given), secret, algorithm=algorithm)


@dataclass(frozen=True, kw_only=True)
class SigningKey:
    """A key of an identity provider, made when it is first used.

    Making one takes half a second, and each process that runs tests collects all parameters.
    """

    key_id: str
    algorithm: str
    make: Callable[[], PrivateKeyTypes]

    @cached_property
    def private(self) -> PrivateKeyTypes:
        """The half that signs."""
        return self.make()

    def sign(self, *, key_id: str | None = None, **given: object) -> str:
        """A token signed with this key."""
        headers = {"kid": key_id or self.key_id}
        return jwt.encode(claims(**given), self.private, self.algorithm, headers=headers)  # type: ignore[arg-type]  # RSA or EC

    def as_json(self) -> dict[str, Any]:
        """The public half as a key set has it."""
        public = self.private.public_key()
        kind = RSAAlgorithm if self.algorithm.startswith("RS") else ECAlgorithm
        described: dict[str, Any] = json.loads(kind.to_jwk(public))  # type: ignore[arg-type]  # as above
        return {**described, "kid": self.key_id, "use": "sig", "alg": self.algorithm}

    def public_pem(self) -> bytes:
        """The public half as text that anybody may know."""
        return self.private.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )


def an_rsa_key(key_id: str = "rsa-1") -> SigningKey:
    """A new RSA key."""
    make = partial(rsa.generate_private_key, public_exponent=65537, key_size=2048)
    return SigningKey(key_id=key_id, algorithm="RS256", make=make)


def an_ec_key(key_id: str = "ec-1") -> SigningKey:
    """A new key on the curve P-256."""
    make = partial(ec.generate_private_key, ec.SECP256R1())
    return SigningKey(key_id=key_id, algorithm="ES256", make=make)


@contextmanager
def publishing(body: bytes | None, *, status: int = 200) -> Iterator[str]:
    """Serve a body at the address that is given; None hangs up without a word."""

    class Publisher(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name http.server looks for
            if body is None:
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep the tests' output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Publisher) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/jwks.json"
        finally:
            server.shutdown()
            thread.join()


def key_set(*keys: SigningKey) -> bytes:
    """The public halves of keys, as they are published."""
    return json.dumps({"keys": [key.as_json() for key in keys]}).encode()
