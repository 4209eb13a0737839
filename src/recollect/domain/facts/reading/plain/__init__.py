"""What users plainly say, by exact words: where they are, live and work, and what is over."""
