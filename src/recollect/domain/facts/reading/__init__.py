"""Reading what users say: which of their words are statements that may be stored."""
