"""Permission sources: who says which tables an owner may see."""
