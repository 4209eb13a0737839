"""Recall: entries, questions, BM25 and ranking."""
