"""Nearest neighbours: how far apart two rows are, which rows are nearest, and what they predict together."""
