"""What learning returns."""
