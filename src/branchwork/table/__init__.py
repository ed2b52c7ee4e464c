"""Data in: what a column is, tables from any container or file, targets."""
