"""Trees written by hand: as nested dictionaries, as text, or as a program that an export wrote."""
