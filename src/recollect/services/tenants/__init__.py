"""Settings of tenants: read, changed, and what counts for each tenant."""
