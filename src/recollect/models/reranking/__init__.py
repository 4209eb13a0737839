"""Cross-encoders: models that read a question together with a text."""
