"""Q²'s meta-evaluation: simulated systems and controls."""
