"""Personal data in texts, how it is masked, and what is stored of query results."""
