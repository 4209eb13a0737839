"""Who calls: API keys, tokens, Basic credentials, trusted headers and anonymous callers."""
