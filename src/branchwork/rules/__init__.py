"""Rules out of trees: what a rule is, how a tree becomes a list of them, and how a list is made shorter."""
