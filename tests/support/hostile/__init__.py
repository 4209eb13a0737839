"""Hostile texts and requests, and how much time they take."""
