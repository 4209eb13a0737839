"""OpenAI's API, with memory."""
