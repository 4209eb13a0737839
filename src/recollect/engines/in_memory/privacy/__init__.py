"""Privacy in memory: export, erasure, archive, audit."""
