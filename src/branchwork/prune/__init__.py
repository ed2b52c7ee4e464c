"""Pruning: which nodes become leaves?"""
