"""MEMORY_* settings, one module for each topic: the only place that reads the environment."""

from recollect.settings.answering import AnswererKind
from recollect.settings.behaviour import UnknownSession
from recollect.settings.callers import UserIdSource
from recollect.settings.logs import LogFormat
from recollect.settings.place import LOOPBACK_HOSTS, default_home
from recollect.settings.settings import Settings, load_settings
from recollect.settings.vectors import VectorStoreKind

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
