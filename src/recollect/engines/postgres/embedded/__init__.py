"""An embedded PostgreSQL that starts with its first user and stops with its last."""

from recollect.engines.postgres.embedded.server import EmbeddedServer, running_server

__all__ = ["EmbeddedServer", "running_server"]
