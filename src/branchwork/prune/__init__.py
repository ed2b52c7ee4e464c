"""Pruning: evidence about nodes in, the nodes that become leaves out. A new tree is made elsewhere (tree/reshape)."""
