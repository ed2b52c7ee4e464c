"""Grow one tree: recipes, which are data, and the code that follows them."""
