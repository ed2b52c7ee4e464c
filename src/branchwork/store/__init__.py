"""Model files, and models of other libraries."""
