"""Chat completions as OpenAI's API has them: what clients send, and what comes back."""
