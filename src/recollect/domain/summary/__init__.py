"""Saying in few words what was said in many, without a model."""
