"""The names that examples have on sheets: hashes under a secret key, as an id may name the bot.

Without the key, whoever knows how ids are made could hash guesses and find the bot.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Collection, Iterable
from pathlib import Path

from staytrue.core.errors import DataError
from staytrue.core.records import Example

KEY_FILE = "sheets.key"
NO_KEY = b""
"""Of sheets of version 0.1.0."""


def sheet_key(file: Path) -> bytes:
    """The key in the file, which is made if it is not there."""
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
            new.write(secrets.token_hex(16))
    except FileExistsError:
        pass
    return stored_key(file)


def stored_key(file: Path) -> bytes:
    """The key in the file; none if it is not there, as for sheets of version 0.1.0."""
    try:
        key = file.read_bytes()[:64]
    except FileNotFoundError:
        return NO_KEY
    if not key:  # A full disk leaves it so; names under no key could be guessed.
        raise DataError(f"{file} is empty: delete it, and write the sheets again.")
    return key


def blind(name: str, key: bytes) -> str:
    """The name as a sheet shows it."""
    return hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=6, key=key).hexdigest()


def examples_by_item(
    items: Collection[str], examples: Iterable[Example], keys: Collection[bytes]
) -> dict[str, Example]:
    """Item → the example of that blind name under one of the keys; every item must have one."""
    wanted = frozenset(items)
    known = {
        item: example
        for example in examples
        for key in keys
        if (item := blind(example.id, key)) in wanted
    }
    strange = sorted(wanted - set(known))
    if strange:
        raise DataError(
            f"Item {strange[0]} is not from this source: give the source of the sheet, and the key "
            "that it was written with (--key)."
        )
    return known
