"""Accounts: roles, hashed passwords, logins by random tokens, CSRF tokens."""

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
from staytrue.web.faults import WrongPassword
from staytrue.web.tables import JUDGE, OPERATOR, Account, Login, now

LOGIN_DAYS = 14
# About 30 ms and 16 MiB a guess.
_COST = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}
_NAME = re.compile(r"[\w][\w .@-]{0,79}", re.UNICODE)
# Checked when the name is unknown, so that a wrong name takes as long as a wrong password.
_NOBODY = f"scrypt${'0' * 32}${'0' * 64}"


@dataclass(frozen=True)
class Visitor:
    """Who sends a request."""

    account_id: int
    name: str
    csrf: str
    role: str

    @property
    def is_operator(self) -> bool:
        """Whether they run the site."""
        return self.role == OPERATOR


@dataclass(frozen=True)
class NewLogin:
    """A login just made; only here is the token in plain sight."""

    token: str
    visitor: Visitor


def hash_password(password: str, salt: bytes | None = None) -> str:
    """`scrypt$salt$hash` of a password."""
    salt = secrets.token_bytes(16) if salt is None else salt
    digest = hashlib.scrypt(password.encode(), salt=salt, **_COST)
    return f"scrypt${salt.hex()}${digest.hex()}"


def password_fits(password: str, stored: str) -> bool:
    """Whether the password is the one that was hashed."""
    _, salt, _ = stored.split("$")
    return hmac.compare_digest(hash_password(password, bytes.fromhex(salt)), stored)


def create_account(session: Session, name: str, password: str, role: str = JUDGE) -> Account:
    """Make an account; names are unique, passwords have eight characters or more."""
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise UsageError("Choose a name of letters, digits, spaces and . @ - _, up to 80 long.")
    account = Account(name=name, secret_hash=_hashed(password), role=role)
    try:
        with session.begin_nested():
            session.add(account)
    except IntegrityError:
        raise UsageError(f"There is an account '{name}' already; log in or choose another name.") \
            from None  # fmt: skip
    return account


def _hashed(password: str) -> str:
    if not 8 <= len(password) <= 200:
        raise UsageError("Choose a password of 8 to 200 characters.")
    return hash_password(password)


def find(session: Session, name: str) -> Account:
    """The account of this name."""
    account = session.scalar(select(Account).where(Account.name == name.strip()))
    if account is None:
        raise UsageError(f"There is no account '{name}': see  staytrue accounts list.")
    return account


def is_empty(session: Session) -> bool:
    """Whether there is no account yet."""
    return session.scalar(select(Account.id).limit(1)) is None


def has_operator(session: Session) -> bool:
    """Whether someone runs the site."""
    return session.scalar(select(Account.id).where(Account.role == OPERATOR).limit(1)) is not None


def name_operator(session: Session, name: str) -> str | None:
    """Make this account an operator's. A new one gets a password, which is given back."""
    account = session.scalar(select(Account).where(Account.name == name.strip()))
    if account is not None:
        account.role = OPERATOR
        return None
    password = secrets.token_urlsafe(12)
    create_account(session, name, password, OPERATOR)
    return password


def set_role(session: Session, name: str, role: str) -> None:
    """Change what an account may do; one operator stays."""
    account = find(session, name)
    others = select(Account.id).where(Account.role == OPERATOR, Account.id != account.id)
    if role != OPERATOR and account.role == OPERATOR and session.scalar(others.limit(1)) is None:
        raise UsageError(f"'{account.name}' is the only operator: name another one first.")
    account.role = role


def reset_password(session: Session, name: str, password: str) -> None:
    """Set a new password; whoever is logged in with the old one is logged out."""
    account = find(session, name)
    account.secret_hash = _hashed(password)
    session.execute(delete(Login).where(Login.account_id == account.id))


def log_in(session: Session, name: str, password: str) -> NewLogin:
    """Check name and password and make a login."""
    account = session.scalar(select(Account).where(Account.name == name.strip()))
    if (
        not password_fits(password[:200], account.secret_hash if account else _NOBODY)
        or not account
    ):
        raise WrongPassword("Name or password is wrong.")
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
    return NewLogin(token, Visitor(account.id, account.name, csrf, account.role))


def visitor(session: Session, token: str) -> Visitor | None:
    """Who the token belongs to, if it is still good."""
    row = session.execute(
        select(Account.id, Account.name, Login.csrf, Account.role)
        .join(Login, Login.account_id == Account.id)
        .where(Login.token_hash == _hash(token), Login.expires > now())
    ).first()
    return Visitor(*row) if row else None


def log_out(session: Session, token: str) -> None:
    """Forget the token."""
    session.execute(delete(Login).where(Login.token_hash == _hash(token)))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
