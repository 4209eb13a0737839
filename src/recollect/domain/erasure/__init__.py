"""Erasing what is stored of users, and the receipts that prove it."""
