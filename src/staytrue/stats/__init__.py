"""Statistics that any study uses: intervals, tests, agreement of annotators."""
