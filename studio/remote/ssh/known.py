"""Reading ssh's own known_hosts, line by line, so that a line we do not know spoils nothing. It is never written."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha1
from pathlib import Path

MAX_BYTES = 16 << 20
SSH_PORT = 22


@dataclass(frozen=True)
class KnownKey:
    """A host key that ssh knows; ``data`` base64; ``revoked`` if it must never be accepted."""

    kind: str
    data: str
    revoked: bool


def known_keys(path: Path, place: str) -> Iterator[KnownKey]:
    """The keys of ``place`` (``host:port``) in a known_hosts file; none where there is no such file.

    Lines of certificate authorities are passed over: a certificate is not what we ask the machine for.
    Format: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT.
    """
    name = host_name(place)
    for line in _lines(path):
        fields = line.split()
        marker = fields.pop(0) if fields and fields[0].startswith("@") else ""
        if len(fields) < 3 or marker not in ("", "@revoked") or not _is_base64(fields[2]):
            continue
        if _matches(fields[0], name):
            yield KnownKey(fields[1], fields[2], marker == "@revoked")


def host_name(place: str) -> str:
    """How known_hosts names ``host:port``."""
    host, _, port = place.rpartition(":")
    host = host.strip("[]").lower()
    return host if port == str(SSH_PORT) else f"[{host}]:{port}"


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as stream:
            text = stream.read(MAX_BYTES).decode(errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


def _matches(patterns: str, name: str) -> bool:
    if patterns.startswith("|1|"):
        return _is_hash_of(patterns, name)
    found = False
    for pattern in patterns.lower().split(","):
        if pattern.startswith("!"):
            if _fits(pattern[1:], name):
                return False
        elif _fits(pattern, name):
            found = True
    return found


def _fits(pattern: str, name: str) -> bool:
    # Brackets stand for themselves here, unlike in a file name pattern.
    return fnmatchcase(name, pattern.replace("[", "[[]"))


def _is_hash_of(hashed: str, name: str) -> bool:
    """``|1|salt|hash``: HMAC-SHA1 of the name."""
    try:
        _, _, salt, digest = hashed.split("|")
        expected = base64.b64decode(digest, validate=True)
        return hmac.compare_digest(hmac.digest(base64.b64decode(salt, validate=True), name.encode(), sha1), expected)
    except ValueError:
        return False


def _is_base64(text: str) -> bool:
    try:
        return bool(base64.b64decode(text, validate=True))
    except ValueError:
        return False
