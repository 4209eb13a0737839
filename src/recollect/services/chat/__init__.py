"""Questions answered with memory, and chat completions with memory."""
