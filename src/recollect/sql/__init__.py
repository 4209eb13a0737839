"""Reading SQL, with sqlglot."""
