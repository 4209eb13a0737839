"""Vectors in OpenSearch, over its HTTP interface."""

from recollect.engines.opensearch.store import OpenSearchVectorStore

__all__ = ["OpenSearchVectorStore"]
