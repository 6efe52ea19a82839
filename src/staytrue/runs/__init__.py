"""Run folders and the runner that fills them."""
