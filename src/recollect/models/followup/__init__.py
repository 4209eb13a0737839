"""The follow-up model: a small network that proposes span edits, and its weights."""
