"""Encryption of stored content by AES-SIV, with data keys that AES-GCM wraps."""
