"""Models: the results of learning."""
