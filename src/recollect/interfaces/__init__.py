"""How people and programs reach the core."""
