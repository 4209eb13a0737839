"""Recall: entries in the table, their vectors there or in a store outside."""
