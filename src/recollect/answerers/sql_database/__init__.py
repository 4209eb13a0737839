"""Questions about the data in a SQL database, answered with a statement that only reads."""

from recollect.answerers.sql_database.answerer import SqlDatabaseAnswerer
from recollect.answerers.sql_database.open import open_database

__all__ = ["SqlDatabaseAnswerer", "open_database"]
