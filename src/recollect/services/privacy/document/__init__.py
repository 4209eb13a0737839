"""The document of an export: JSON or a ZIP of JSON Lines, written and read piece by piece."""
