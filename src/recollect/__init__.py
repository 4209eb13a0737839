"""Recollect: a memory server and library for conversational AI, on PostgreSQL."""
