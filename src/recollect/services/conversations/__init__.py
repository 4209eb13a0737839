"""Sessions, messages and turns: stored, read and deleted."""
