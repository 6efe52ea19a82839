"""One method of making silver data per file."""
