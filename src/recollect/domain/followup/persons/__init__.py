"""The persons that a question means by a pronoun or by a part of their name."""
