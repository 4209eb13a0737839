"""What users may demand of their memory: to take it away."""
