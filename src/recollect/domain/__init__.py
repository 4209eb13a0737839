"""Values and rules: pure, no I/O."""
