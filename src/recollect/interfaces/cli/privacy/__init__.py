"""Commands about privacy: export, copy, erase, archive, audit, encryption."""
