"""Rules from trees: what a rule is, how a tree becomes a list of rules, and how a list is made shorter."""
