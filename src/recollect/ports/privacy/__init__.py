"""What is kept, shown and erased for privacy's sake: the ports behind it."""
