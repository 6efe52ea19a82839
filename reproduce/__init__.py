"""Generators of the result pages in docs/: `python -m reproduce.q2` and so on."""
