"""Throughput and memory: ours, and the reference way of doing it on the same models."""
