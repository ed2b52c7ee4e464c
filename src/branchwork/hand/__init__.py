"""Trees that people write down: as nested dictionaries, as text, or as a program that an export wrote."""
