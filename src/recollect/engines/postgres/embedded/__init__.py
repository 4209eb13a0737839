"""An embedded PostgreSQL that starts with its first user and stops with its last."""

from recollect.engines.postgres.embedded.keeper import running_server
from recollect.engines.postgres.embedded.server import EmbeddedServer

__all__ = ["EmbeddedServer", "running_server"]
