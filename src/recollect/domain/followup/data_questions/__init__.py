"""Follow-ups to questions about data, read as phrases."""
