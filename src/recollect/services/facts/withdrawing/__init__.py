"""Withdrawing facts: on command, because a message was edited, or because it was a joke."""
