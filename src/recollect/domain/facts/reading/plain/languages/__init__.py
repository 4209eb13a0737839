"""The words by which plain sayings are told: TOML files with a table for each language."""
