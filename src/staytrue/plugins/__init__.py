"""Names → parts, through entry points; the built-in parts use the same door as plug-ins."""
