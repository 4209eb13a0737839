"""Finding again what was said before."""
