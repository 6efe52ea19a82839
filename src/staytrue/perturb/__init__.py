"""BEGIN's silver data, one file for each family of perturbation."""
