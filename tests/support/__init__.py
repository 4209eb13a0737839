"""Doubles, servers, callers and data that several kinds of tests share."""
