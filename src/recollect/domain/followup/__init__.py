"""Follow-up questions: whether one needs its history, and what it means without it."""
