"""Sessions, messages and turns."""
