"""The line below ssh: a socket that knows when it last heard anything, through hops or a command of the user's."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import time
from contextlib import suppress
from typing import Any

from studio.remote.channel import LineLostError
from studio.remote.ssh.options import SshOptions
from studio.schema.errors import StudioError

DIAL_S = 10.0


class HeardSocket:
    """What paramiko needs of a socket, around one or around a channel of another connection.

    ``heard``: when the last byte came (monotonic s).
    """

    def __init__(self, inner: Any, process: subprocess.Popen[bytes] | None = None) -> None:
        self._inner = inner
        self._process = process
        self._closed = False
        self.heard = time.monotonic()

    def recv(self, limit: int) -> bytes:
        data = self._inner.recv(limit)
        if data:
            self.heard = time.monotonic()
        return data

    def send(self, data: bytes) -> int:
        return self._inner.send(data)

    def settimeout(self, seconds: float | None) -> None:
        self._inner.settimeout(seconds)

    def gettimeout(self) -> float | None:
        return self._inner.gettimeout()

    def close(self) -> None:
        self._closed = True
        self._inner.close()
        if self._process is not None:
            with suppress(OSError):
                self._process.kill()
            self._process.wait()


def dial(options: SshOptions) -> HeardSocket:
    """A line to the machine itself, or through the user's own ProxyCommand. Raises LineLostError with a sentence."""
    if options.command:
        return _through_command(options)
    where = f"{options.host}:{options.port}"
    try:
        line = socket.create_connection((options.host, options.port), DIAL_S)
    except socket.gaierror:
        raise unreachable(where, f"no computer is known as {options.host}") from None
    except TimeoutError:
        raise unreachable(where, f"it did not answer within {DIAL_S:g} s") from None
    except ConnectionRefusedError:
        raise unreachable(where, "it is there, but no SSH server answers at this port") from None
    except (OSError, UnicodeError) as problem:
        raise unreachable(where, (getattr(problem, "strerror", None) or str(problem)).lower()) from None
    with suppress(OSError):
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return HeardSocket(line)


def unreachable(where: str, why: str) -> LineLostError:
    """A machine that does not answer just now: worth another try, and a sentence for a person."""
    return LineLostError(
        why,
        StudioError(f"{where} cannot be reached", why, "Check that the machine is on and its address is right"),
    )


def _through_command(options: SshOptions) -> HeardSocket:
    """ssh runs a ProxyCommand in the user's shell, ssh_config(5), so it is run in one here.

    It comes from the user's own configuration only; what is put in for its %-signs is quoted.
    """
    if os.name != "posix":
        raise StudioError(
            f"{options.host} cannot be reached", "ProxyCommand is not supported on this system", "Use ProxyJump instead"
        )
    tokens = {"%h": options.host, "%p": str(options.port), "%r": options.user, "%n": options.host}
    quoted = {"%%": "%", **{token: shlex.quote(value) for token, value in tokens.items()}}
    command = re.sub("%.", lambda found: quoted.get(found[0], found[0]), options.command)
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = subprocess.Popen(
                ["/bin/sh", "-c", f"exec {command}"],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as problem:
            ours.close()
            raise unreachable(options.host, (problem.strerror or str(problem)).lower()) from None
    return HeardSocket(ours, process)
