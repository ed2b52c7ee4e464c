"""Decision trees that show their work."""
