"""Logging in with a key: the one that was given, or what the ssh-agent and the usual files hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from paramiko import AuthenticationException, BadAuthenticationType, PKey, SSHException

from studio.remote.channel import LineLostError
from studio.remote.ssh.keys import KeyRing, PassphraseNeeded, agent_keys, public_blob
from studio.remote.ssh.options import SshOptions
from studio.schema.errors import StudioError

if TYPE_CHECKING:
    from studio.remote.ssh.connect import Line

MAX_TRIES = 5
"""A server ends the connection at the sixth (MaxAuthTries), and says nothing useful then."""


def login(line: Line, options: SshOptions, ring: KeyRing) -> None:
    """Returns once the server has accepted a key.

    Raises LineLostError for a line that broke, and ``StudioError`` for a machine that does not let us in.
    """
    problems: list[StudioError] = []
    tried = 0
    with agent_keys(options.agent) as held:
        for key in islice(_keys(options, held, ring, problems), MAX_TRIES):
            tried += 1
            if _accepts(line, options, key, tried):
                return
    needed = [problem for problem in problems if isinstance(problem, PassphraseNeeded)]
    raise needed[0] if needed else problems[0] if problems and not tried else _refused(options, tried)


def _keys(options: SshOptions, held: tuple[PKey, ...], ring: KeyRing, problems: list[StudioError]) -> Iterator[PKey]:
    """What to try, in order: named keys that the agent holds, files, other keys of the agent, and last the files for
    which a person has to say a passphrase."""
    by_blob = {key.asbytes(): key for key in held}
    blobs = {path: public_blob(path) for path in options.keys}
    named = [by_blob[blob] for blob in blobs.values() if blob in by_blob]
    yield from named
    locked: list[Path] = []
    for path in (path for path, blob in blobs.items() if blob not in by_blob):
        try:
            yield ring.load(path, may_ask=False)
        except PassphraseNeeded:
            locked.append(path)
        except StudioError as problem:
            problems.append(problem)
    if not options.only_keys:
        yield from (key for key in held if key not in named)
    for path in locked:
        try:
            yield ring.load(path)
        except StudioError as problem:
            problems.append(problem)


def _accepts(line: Line, options: SshOptions, key: PKey, tried: int) -> bool:
    try:
        further = line.auth_publickey(options.user, key)
    except BadAuthenticationType:
        raise _other_way(options, "a password") from None
    except AuthenticationException as problem:
        if line.is_active() and "timeout" not in str(problem).lower():
            return False
        if line.farewell:
            raise _refused(options, tried) from None
        raise LineLostError("the line broke while logging in") from None
    except (SSHException, EOFError, OSError) as problem:
        if line.is_active() and isinstance(problem, SSHException):
            # The ssh-agent would not sign with this one.
            return False
        raise LineLostError(f"the line broke while logging in ({problem})") from None
    if further:
        raise _other_way(options, "a second step after the key")
    return True


def _refused(options: SshOptions, tried: int) -> StudioError:
    if not tried:
        return StudioError(
            f"{options.place} does not let {options.user} in",
            "there is no key to show it",
            "Make one with ssh-keygen -t ed25519 and add its public part to authorized_keys there",
        )
    return StudioError(
        f"{options.place} does not let {options.user} in",
        "it does not accept the key" if tried == 1 else f"it accepts none of {tried} keys",
        "Check the user's name, and that the key's public part stands in authorized_keys there",
    )


def _other_way(options: SshOptions, wanted: str) -> StudioError:
    return StudioError(
        f"{options.place} does not let {options.user} in",
        f"it wants {wanted}, which Padwork never sends",
        "Let it accept a key alone",
    )
