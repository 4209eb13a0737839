"""Indexes and searches for tests of recall."""
