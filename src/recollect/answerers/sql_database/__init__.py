"""Questions about the data in a SQL database, answered with a statement that only reads."""

from recollect.answerers.sql_database.answerer import SqlDatabaseAnswerer
from recollect.answerers.sql_database.open import inspect_account, open_database

__all__ = ["SqlDatabaseAnswerer", "inspect_account", "open_database"]
