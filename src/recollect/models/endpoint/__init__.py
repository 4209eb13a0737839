"""OpenAI-compatible endpoints: connections, chat models and requests passed on."""
