"""Studies of data and models."""
