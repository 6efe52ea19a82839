"""Metrics, one file each: examples in, verdicts out."""
