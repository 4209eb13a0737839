"""What users tell the memory to remember or to forget."""
