"""Questions, answers and chat completions."""
