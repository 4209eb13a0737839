"""What of a model's SQL may run: one statement that reads allowed tables, with known functions."""

from recollect.answerers.sql_database.guard.statement import CheckedStatement, check_statement

__all__ = ["CheckedStatement", "check_statement"]
