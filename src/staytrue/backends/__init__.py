"""Bundles of models behind the protocols: embedded, Hugging Face, scripted."""
