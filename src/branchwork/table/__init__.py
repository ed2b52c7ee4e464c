"""Read data: what a column is, tables from any container or file, and targets."""
