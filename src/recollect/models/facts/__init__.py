"""A small model of our own that finds what users say about themselves."""
