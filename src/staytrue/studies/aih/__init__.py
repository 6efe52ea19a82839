"""AIH's tables: rates, ranking, stability and thresholds."""
