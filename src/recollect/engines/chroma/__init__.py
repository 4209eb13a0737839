"""Vectors in Chroma: in a folder of this machine, or on a Chroma server."""

from recollect.engines.chroma.store import ChromaVectorStore, open_chroma

__all__ = ["ChromaVectorStore", "open_chroma"]
