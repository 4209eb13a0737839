"""Summaries of conversations: made of their own sentences, or checked when a model wrote them."""
