"""Sentences that deny something: word for word, a reason alone, or a thing with all told of it."""
