"""What is known about a user: facts with their evidence, how they change, fade and are found."""
