"""What a new statement does to the facts already known."""
