"""Judging a model."""
