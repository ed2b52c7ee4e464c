"""The result: a tree is a table of nodes. This room knows neither rows nor learners."""
