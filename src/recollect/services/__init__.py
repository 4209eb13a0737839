"""The use cases: what callers can do, in terms of domain and ports."""
