"""Agreement of verdicts with people, and the statistics to trust it."""
