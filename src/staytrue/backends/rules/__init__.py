"""Spans and questions by rules on a parse."""
