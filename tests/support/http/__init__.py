"""Callers of the HTTP API, and requests that only tests send."""
