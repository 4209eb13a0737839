"""What `Memory` returns to work with one session, profile or set of facts."""
