"""Data and a recipe make a model."""
