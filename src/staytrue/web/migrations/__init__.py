"""The versions of the database's tables, applied in order when the app starts."""
