"""BEGIN's silver data: edits that give a response a known relation to its evidence.

Each method is one small module; `silver` puts them together. All of them are deterministic: the
same text, pool and random generator give the same edit, and None means that the method has
nothing to work on in this text.
"""
