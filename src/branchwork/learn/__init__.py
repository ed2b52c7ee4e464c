"""Learners: turn data and a recipe into a model."""
