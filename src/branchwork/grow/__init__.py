"""One tree: recipes as data, and the growth that follows them."""
