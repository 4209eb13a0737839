"""MEMORY_* settings by topic: the only package that reads the environment."""

from recollect.settings.access import LogFormat, UserIdSource
from recollect.settings.models import AnswererKind, UnknownSession
from recollect.settings.settings import Settings, load_settings
from recollect.settings.storage import LOOPBACK_HOSTS, VectorStoreKind, default_home

__all__ = [
    "LOOPBACK_HOSTS",
    "AnswererKind",
    "LogFormat",
    "Settings",
    "UnknownSession",
    "UserIdSource",
    "VectorStoreKind",
    "default_home",
    "load_settings",
]
