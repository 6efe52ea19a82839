"""What reproduces the papers' tables and compares verdicts with people and with one another."""
