"""What a model is given: rewritten questions, summaries and contexts."""
