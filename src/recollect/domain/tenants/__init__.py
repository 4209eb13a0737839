"""Settings of a tenant's own, and what counts for it together with the server's policies."""
