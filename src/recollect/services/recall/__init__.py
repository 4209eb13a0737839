"""Recall: searching and indexing entries."""
