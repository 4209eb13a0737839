"""Answers by a Denodo AI SDK, versions 0.5 to 1.4, as its public sources describe them."""
