"""Accounts of annotators: hashed secrets, logins by random tokens, CSRF tokens."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from staytrue.core.errors import UsageError
from staytrue.web.tables import Account, Login, now

LOGIN_DAYS = 14
# About 30 ms and 16 MiB a guess.
_COST = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}
_NAME = re.compile(r"[\w][\w .@-]{0,79}", re.UNICODE)
# Checked when the name is unknown, so that a wrong name takes as long as a wrong secret.
_NOBODY = f"scrypt${'0' * 32}${'0' * 64}"


@dataclass(frozen=True)
class Visitor:
    """Who sends a request."""

    account_id: int
    name: str
    csrf: str


@dataclass(frozen=True)
class NewLogin:
    """A login just made; only here is the token in plain sight."""

    token: str
    visitor: Visitor


def hash_secret(secret: str, salt: bytes | None = None) -> str:
    """`scrypt$salt$hash` of a secret."""
    salt = secrets.token_bytes(16) if salt is None else salt
    digest = hashlib.scrypt(secret.encode(), salt=salt, **_COST)
    return f"scrypt${salt.hex()}${digest.hex()}"


def secret_fits(secret: str, stored: str) -> bool:
    """Whether the secret is the one that was hashed."""
    _, salt, _ = stored.split("$")
    return hmac.compare_digest(hash_secret(secret, bytes.fromhex(salt)), stored)


def create_account(session: Session, name: str, secret: str) -> Account:
    """Make an account; names are unique, secrets have eight characters or more."""
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise UsageError("Choose a name of letters, digits, spaces and . @ - _, up to 80 long.")
    if not 8 <= len(secret) <= 200:
        raise UsageError("Choose a secret of 8 to 200 characters.")
    account = Account(name=name, secret_hash=hash_secret(secret))
    try:
        with session.begin_nested():
            session.add(account)
    except IntegrityError:
        raise UsageError(f"There is an account '{name}' already; log in or choose another name.") \
            from None  # fmt: skip
    return account


def log_in(session: Session, name: str, secret: str) -> NewLogin:
    """Check name and secret and make a login."""
    account = session.scalar(select(Account).where(Account.name == name.strip()))
    if not secret_fits(secret[:200], account.secret_hash if account else _NOBODY) or not account:
        raise UsageError("Name or secret is wrong.")
    return new_login(session, account)


def new_login(session: Session, account: Account) -> NewLogin:
    """A fresh token and CSRF token for the account."""
    token, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    session.execute(delete(Login).where(Login.expires < now()))
    session.add(
        Login(
            token_hash=_hash(token), account_id=account.id, csrf=csrf,
            expires=now() + timedelta(days=LOGIN_DAYS),
        )
    )  # fmt: skip
    return NewLogin(token, Visitor(account.id, account.name, csrf))


def visitor(session: Session, token: str) -> Visitor | None:
    """Who the token belongs to, if it is still good."""
    row = session.execute(
        select(Account.id, Account.name, Login.csrf)
        .join(Login, Login.account_id == Account.id)
        .where(Login.token_hash == _hash(token), Login.expires > now())
    ).first()
    return Visitor(*row) if row else None


def log_out(session: Session, token: str) -> None:
    """Forget the token."""
    session.execute(delete(Login).where(Login.token_hash == _hash(token)))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
