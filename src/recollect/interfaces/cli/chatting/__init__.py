"""Talking to memory in a terminal."""
