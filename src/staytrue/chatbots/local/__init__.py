"""Chatbots that run in this process."""
