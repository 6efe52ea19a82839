"""Connectors to chatbots, one file each."""
