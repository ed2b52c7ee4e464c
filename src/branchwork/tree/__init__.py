"""Trees as tables of nodes. Nothing in this folder depends on the training data or on learners."""
