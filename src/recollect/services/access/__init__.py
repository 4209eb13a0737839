"""API keys, permissions, user states and retention."""
