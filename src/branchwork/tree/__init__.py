"""Trees as tables of nodes. This room knows neither rows nor learners."""
