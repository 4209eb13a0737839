"""Which words of a message are the user's own, so that they may be read for facts."""
