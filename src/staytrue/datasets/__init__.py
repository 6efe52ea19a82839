"""Readers: tabular files of users and the named benchmarks."""
