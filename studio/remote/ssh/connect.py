"""One ssh connection: the line, the host key, then a key of the user's. No password, no prompt, no forwarding."""

from __future__ import annotations

import logging
from typing import Any

from paramiko import SSHException, Transport
from paramiko.ssh_exception import IncompatiblePeer

from studio.remote.channel import LineLostError
from studio.remote.ssh.keys import Ask, KeyRing
from studio.remote.ssh.login import login
from studio.remote.ssh.options import SshOptions
from studio.remote.ssh.pins import HostKey, Pins
from studio.remote.ssh.sock import HeardSocket, dial, unreachable
from studio.schema.errors import StudioError

STEP_S = 15.0
WINDOW_BYTES = 32 << 20
"""At a round trip of 50 ms, paramiko's own 2 MiB hold a transfer below 30 MB/s, these let it have 80."""

WEAK = {
    "ciphers": ("3des-cbc", "aes128-cbc", "aes192-cbc", "aes256-cbc"),
    "macs": ("hmac-md5", "hmac-md5-96", "hmac-sha1", "hmac-sha1-96"),
}
FAST_CIPHERS = ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com")
RSA = ("rsa-sha2-512", "rsa-sha2-256")

logging.getLogger("paramiko").setLevel(logging.WARNING)
logging.getLogger("paramiko").addHandler(logging.NullHandler())
"""A broken line is no news for a terminal: what paramiko logs of it comes back here as an exception as well."""


class Line(Transport):
    """A connection that closes the one below it with itself. ``farewell``: why the server hung up, if it said."""

    def __init__(self, sock: HeardSocket, below: Line | None) -> None:
        super().__init__(sock, default_window_size=WINDOW_BYTES, disabled_algorithms=WEAK)  # type: ignore[arg-type]
        self.below = below
        self.farewell = ""
        self._line = sock
        self.daemon = True
        self.banner_timeout = self.handshake_timeout = self.auth_timeout = self.channel_timeout = STEP_S

    @property
    def heard(self) -> float:
        """When the last byte came, monotonic s."""
        return self._line.heard

    def _parse_disconnect(self, m: Any) -> None:
        m.get_int()
        self.farewell = m.get_text()[:200]

    def close(self) -> None:
        super().close()
        self._line.close()
        if self.below is not None:
            self.below.close()


def connect(options: SshOptions, pins: Pins, ask: Ask | None = None, ring: KeyRing | None = None) -> Line:
    """A connection that is logged in. ``ring`` remembers keys between calls; without it ``ask`` is asked anew.

    Raises LineLostError where another try may help, ``StudioError`` where it does not, ``HostKeyUnknown`` and
    ``HostKeyChanged`` among them.
    """
    ring = ring or KeyRing(ask)
    line: Line | None = None
    for hop in (*options.hops, options):
        try:
            sock = dial(hop) if line is None else _through(line, hop)
            line = _open(sock, line, hop, pins, ring)
        except BaseException:
            if line is not None:
                line.close()
            raise
    assert line is not None
    return line


def _through(below: Line, hop: SshOptions) -> HeardSocket:
    where = f"{hop.host}:{hop.port}"
    try:
        return HeardSocket(below.open_channel("direct-tcpip", (hop.host, hop.port), ("127.0.0.1", 0), timeout=STEP_S))
    except (SSHException, OSError, EOFError):
        raise unreachable(where, "the machine on the way there does not get through to it") from None


def _open(sock: HeardSocket, below: Line | None, options: SshOptions, pins: Pins, ring: KeyRing) -> Line:
    line: Line | None = None
    try:
        line = Line(sock, None)
        _prefer(line, pins.kinds(options.place))
        _shake_hands(line, options)
        key = line.get_remote_server_key()
        pins.check(HostKey(options.place, key.get_name(), key.get_base64()))
        login(line, options, ring)
    except BaseException:
        # What lies below is closed by the caller.
        (line or sock).close()
        raise
    line.below = below
    return line


def _prefer(line: Line, kinds: tuple[str, ...]) -> None:
    """Fast ciphers, and host keys of the kinds that the machine is known by, first."""
    security = line.get_security_options()
    wanted = [name for kind in kinds for name in (RSA if kind == "ssh-rsa" else (kind,))]
    known = [name for name in wanted if name in security.key_types]
    security.key_types = tuple(dict.fromkeys([*known, *security.key_types]))
    fast = [name for name in FAST_CIPHERS if name in security.ciphers]
    security.ciphers = tuple(dict.fromkeys([*fast, *security.ciphers]))


def _shake_hands(line: Line, options: SshOptions) -> None:
    where = f"{options.host}:{options.port}"
    try:
        line.start_client(timeout=STEP_S)
        if not line.initial_kex_done:
            raise unreachable(where, f"it did not answer within {STEP_S:g} s")
    except IncompatiblePeer:
        raise StudioError(
            f"{where} cannot be used", "it speaks only outdated kinds of encryption", "Update the machine's SSH server"
        ) from None
    except (SSHException, EOFError, OSError) as problem:
        raise _no_handshake(where, problem) from None


def _no_handshake(where: str, problem: Exception) -> LineLostError:
    text = str(problem)
    if isinstance(problem, (EOFError, OSError)) or "banner" in text or "protocol version" in text:
        return unreachable(where, "no SSH server answered there")
    return unreachable(where, f"no connection came about ({text[:100] or type(problem).__name__})")
