"""The model file."""
