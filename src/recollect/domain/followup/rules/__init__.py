"""Readings of a follow-up that exact rules make, from the last question and the last reply."""
