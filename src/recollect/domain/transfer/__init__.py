"""Everything of an owner as a document: what an export has, and an import reads."""
