"""How long memory lasts and how much of it is used."""
