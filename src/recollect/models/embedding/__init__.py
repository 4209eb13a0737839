"""Embedders: in this process, and behind an OpenAI-compatible endpoint."""
