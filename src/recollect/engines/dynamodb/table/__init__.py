"""The table: its keys and items, requests to it, and how it is created."""
