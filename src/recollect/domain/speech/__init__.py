"""How a user's message is read: which words are the user's own, and the phrases in them."""
