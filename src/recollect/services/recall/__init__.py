"""Indexing what was said, and finding it again."""
