"""Bundled tables."""
