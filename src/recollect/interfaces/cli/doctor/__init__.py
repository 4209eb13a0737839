"""`recollect doctor`: whether everything is as it should be, and what to do if not."""

import platform
from collections.abc import Iterator
from importlib.metadata import version
from typing import Final

from recollect.errors import ConfigurationError
from recollect.interfaces.cli.doctor import access, answers, models, storage
from recollect.interfaces.cli.doctor.findings import Finding, failed, ok
from recollect.settings import load_settings

_CHECKS: Final = (
    *(access.check_access, access.check_token_keys, access.check_address),
    *(answers.check_answers, answers.check_model, answers.check_denodo),
    *(answers.check_sql_database, answers.check_sql_account),
    *(models.check_embedder, models.check_reranker, models.check_names),
    *(storage.check_vectors, storage.check_archive, access.check_permissions),
    *(storage.check_disk, storage.check_database, storage.check_encryption),
    storage.check_dynamodb,
)


def diagnose() -> Iterator[Finding]:
    """Check everything, one thing after the other; nothing more where the settings are wrong."""
    observation = f"recollect {version('recollect')}, Python {platform.python_version()}"
    yield ok(observation, check="versions")
    try:
        settings = load_settings()
        settings.check_address()
    except ConfigurationError as error:
        yield failed(str(error), "correct the variable", check="settings")
        return
    for check in _CHECKS:
        yield from check(settings)
