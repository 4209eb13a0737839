"""What a model is given of a conversation: chosen, cut to size and rendered."""
