"""Private keys, each read once and kept in memory only, and those that the ssh-agent holds."""

from __future__ import annotations

import base64
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from paramiko import Agent, Message, PKey, SSHException
from paramiko.agent import AgentSSH
from paramiko.pkey import UnknownKeyType

from studio.schema.errors import StudioError

Ask = Callable[[Path], bytes | None]
"""Asks a person for the passphrase of a key file; None if he does not say it."""

AGENT_S = 30.0
MAX_KEY_BYTES = 1 << 20
MAGIC = b"openssh-key-v1\0"
KINDS = ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521")


class PassphraseNeeded(StudioError):  # noqa: N818 - what the window asks about
    """``path`` is locked, and nobody said the passphrase."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"The key {path} cannot be used", "it is locked with a passphrase", "Add it to the ssh-agent with ssh-add"
        )
        self.path = path


class KeyRing:
    """Reads key files; ``ask`` is called for a passphrase, at most once a try. Good for several threads."""

    def __init__(self, ask: Ask | None = None) -> None:
        self._ask = ask
        self._keys: dict[Path, PKey] = {}
        self._lock = threading.Lock()

    def load(self, path: Path, may_ask: bool = True) -> PKey:
        """The private key in ``path``. Raises ``StudioError``, :class:`PassphraseNeeded` among them."""
        with self._lock:
            if path not in self._keys:
                self._keys[path] = _read(path, self._ask if may_ask else None)
            return self._keys[path]


def _read(path: Path, ask: Ask | None) -> PKey:
    _check_file(path)
    try:
        return PKey.from_path(path)
    except TypeError:
        secret = ask(path) if ask else None
    except OSError as problem:
        raise _unreadable(path, problem) from None
    except (UnknownKeyType, UnsupportedAlgorithm, ValueError, SSHException) as problem:
        raise _unusable(path, problem) from None
    if not secret:
        raise PassphraseNeeded(path)
    try:
        return PKey.from_path(path, password=secret)  # type: ignore[arg-type] - bytes are what it takes
    except (UnknownKeyType, UnsupportedAlgorithm) as problem:
        raise _unusable(path, problem) from None
    except (ValueError, TypeError, SSHException):
        raise StudioError(f"The key {path} cannot be used", "the passphrase is wrong", "Try again") from None


def public_blob(path: Path) -> bytes | None:
    """The public part of a key file, or of its ``.pub`` beside it; None where neither says it without a passphrase.

    Format: PROTOCOL.key of OpenSSH.
    """
    with suppress(OSError, ValueError, IndexError):
        return base64.b64decode(path.with_name(path.name + ".pub").read_bytes()[:65536].split()[1], validate=True)
    with suppress(OSError, ValueError):
        lines = path.read_bytes()[:MAX_KEY_BYTES].split(b"-----")
        data = base64.b64decode(b"".join(lines[2].split())) if len(lines) > 2 else b""
        if data.startswith(MAGIC):
            message = Message(data[len(MAGIC) :])
            for _ in range(3):
                message.get_string()
            return message.get_string() if message.get_int() == 1 else None
    return None


@contextmanager
def agent_keys(named: str) -> Iterator[tuple[PKey, ...]]:
    """The keys of the ssh-agent that we can use, while the block runs; none where there is no agent.

    ``named``: its socket, empty for the usual one, "none" for none.
    """
    agent: AgentSSH | None = None
    with suppress(OSError, SSHException):
        agent = None if named == "none" else _PathAgent(named) if named else Agent()
    if agent is None:
        yield ()
        return
    with closing(agent):  # type: ignore[type-var] - both kinds have it
        yield tuple(key for key in agent.get_keys() if key.get_name() in KINDS)


class _PathAgent(AgentSSH):
    """The agent behind a socket that the user's configuration names."""

    def __init__(self, path: str) -> None:
        super().__init__()
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(AGENT_S)
            connection.connect(path)
            self._connect(connection)  # type: ignore[attr-defined]
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        self._close()  # type: ignore[attr-defined]


def _check_file(path: Path) -> None:
    try:
        found = path.stat()
    except OSError as problem:
        raise _unreadable(path, problem) from None
    if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_KEY_BYTES:
        raise StudioError(f"The key {path} cannot be used", "it is no key file", "Name another key")
    if os.name == "posix" and found.st_uid == os.geteuid() and found.st_mode & 0o077:
        raise StudioError(
            f"The key {path} cannot be used", "others on this computer can read it", f"Run chmod 600 {path}"
        )


def _unreadable(path: Path, problem: OSError) -> StudioError:
    return StudioError(f"The key {path} cannot be used", (problem.strerror or str(problem)).lower(), "Name another key")


def _unusable(path: Path, problem: Exception) -> StudioError:
    with path.open("rb") as stream:
        start = stream.read(40)
    if public_kind(path) == "ssh-dss" or start.startswith(b"-----BEGIN DSA"):
        why = "it is a DSA key, which is no longer safe"
    elif isinstance(problem, (UnknownKeyType, UnsupportedAlgorithm)):
        why = "it is of a kind that is not supported"
    else:
        why = "it is no private key"
    return StudioError(f"The key {path} cannot be used", why, "Make a new one with ssh-keygen -t ed25519")


def public_kind(path: Path) -> str:
    """The kind of a key file, as in ``ssh-ed25519``; empty where it does not say."""
    blob = public_blob(path)
    try:
        return Message(blob).get_text() if blob else ""
    except (ValueError, IndexError):
        return ""
