"""Pruning: decide which nodes become leaves."""
