"""Chatbots behind an HTTP address."""
