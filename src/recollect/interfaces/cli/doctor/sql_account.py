"""Whether the account of the data questions may do no more than it has to, for `doctor`."""

from recollect.settings import AnswererKind, Settings

ADVICE = "docs/how-to/ask-a-sql-database.md shows how to create a role that may only read"


async def sql_account_problems(settings: Settings) -> tuple[str, ...] | None:
    """What the account may do beyond reading the allowed tables; None where none is asked.

    `ConfigurationError` or `DatabaseUnavailable` where the database cannot be asked.
    """
    if settings.chosen_answerer is not AnswererKind.SQL_DATABASE or not settings.sql_database:
        return None
    # Loaded here: the SQL parser takes 0.15 s that other answerers do not need.
    from recollect.answerers.sql_database import inspect_account  # noqa: PLC0415

    return await inspect_account(
        settings.sql_database.get_secret_value(),
        tables=settings.sql_tables,
        role=settings.sql_role,
        timeout=settings.answer_timeout_seconds,
    )
