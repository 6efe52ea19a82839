"""Sheets that people fill in: BEGIN's questionnaire and AIH's inquiries."""
