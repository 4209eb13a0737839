"""What several kinds of tests need."""
