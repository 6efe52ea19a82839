"""Engines that judge the rows of a run elsewhere than in this process."""
