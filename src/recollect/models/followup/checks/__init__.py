"""Faults of edits and rewrites, each of which keeps a rewrite from being sent."""
