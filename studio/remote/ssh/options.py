"""How a machine is reached: from plain fields, or from an alias of the user's own ssh configuration."""

from __future__ import annotations

import getpass
import re
from dataclasses import dataclass, replace
from pathlib import Path

from studio.remote.ssh.config import Settings, read_settings
from studio.schema.errors import StudioError
from studio.schema.machine import MachineSpec

SSH_PORT = 22
MAX_HOPS = 8
DEFAULT_KEYS = ("id_ed25519", "id_ecdsa", "id_rsa")
_JUMP = re.compile(
    r"(?:ssh://)?(?:(?P<user>[^@]+)@)?(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s:@/\[\]]+)(?::(?P<port>\d{1,5}))?/?"
)


@dataclass(frozen=True)
class SshOptions:
    """``keys`` in the order to try; ``only_keys``: no others of the ssh-agent; ``hops`` are gone through first, each a
    machine with a host key of its own; ``command``: a program of the user's configuration that makes the line, instead
    of one to ``host`` and ``port``; ``agent``: the ssh-agent's socket, empty for the usual, "none" for none.
    ``place`` (``host:port``) is what the host key belongs to.
    """

    host: str
    port: int
    user: str
    place: str
    keys: tuple[Path, ...] = ()
    only_keys: bool = False
    hops: tuple[SshOptions, ...] = ()
    command: str = ""
    agent: str = ""


def resolve(spec: MachineSpec, config: Path | None = None) -> SshOptions:
    """What a machine's fields mean. Raises ``StudioError`` for an ssh configuration that cannot be read.

    ``config``: the user's ssh configuration, left out: ssh's own default. Only an alias looks into it.
    """
    if spec.alias:
        return _with_fields(_from_settings(spec.alias, config, 0), spec)
    given = (Path(spec.key).expanduser(),) if spec.key else _default_keys()
    return SshOptions(
        host=spec.host.strip("[]"),
        port=spec.port,
        user=spec.user or getpass.getuser(),
        place=place_of(spec.host, spec.port),
        keys=given,
        only_keys=bool(spec.key),
    )


def place_of(host: str, port: int) -> str:
    """``host:port``, an IPv6 address in brackets."""
    host = host.strip("[]").lower()
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _with_fields(options: SshOptions, spec: MachineSpec) -> SshOptions:
    """A machine's own user and key go before those of its alias."""
    if spec.user:
        options = replace(options, user=spec.user)
    if spec.key:
        options = replace(options, keys=(Path(spec.key).expanduser(),), only_keys=True)
    return options


def _default_keys() -> tuple[Path, ...]:
    return tuple(path for name in DEFAULT_KEYS if (path := Path.home() / ".ssh" / name).is_file())


def _from_settings(alias: str, config: Path | None, depth: int) -> SshOptions:
    if depth > MAX_HOPS:
        raise _wrong(alias, "its ProxyJump leads in a circle")
    settings = read_settings(alias, config)
    host = settings.one("hostname") or alias
    port = _port(settings.one("port"), alias)
    user = settings.one("user") or getpass.getuser()
    command = settings.one("proxycommand")
    jump = settings.one("proxyjump")
    named = settings.one("hostkeyalias")
    return SshOptions(
        host=host.strip("[]"),
        port=port,
        user=user,
        place=place_of(named or host, port if not named else SSH_PORT),
        keys=_keys(settings, host, user),
        only_keys=settings.one("identitiesonly") == "yes",
        hops=_hops(jump, alias, config, depth) if jump not in ("", "none") else (),
        command=command if jump in ("", "none") and command != "none" else "",
        agent=_agent(settings.one("identityagent")),
    )


def _hops(jump: str, alias: str, config: Path | None, depth: int) -> tuple[SshOptions, ...]:
    """``[user@]host[:port]``, several with commas; each may be an alias itself. The first hop's own hops come before.

    After ssh_config(5), ProxyJump: later ones are reached through those before, whatever their own configuration says.
    """
    parts = jump.split(",")
    if len(parts) > MAX_HOPS:
        raise _wrong(alias, "its ProxyJump is too long")
    hops: list[SshOptions] = []
    for part in parts:
        match = _JUMP.fullmatch(part.strip())
        if match is None or match["host"].startswith("-"):
            raise _wrong(alias, "its ProxyJump cannot be read")
        hop = _from_settings(match["host"].strip("[]"), config, depth + 1)
        port = _port(match["port"] or str(hop.port), alias)
        if port != hop.port:
            hop = replace(hop, port=port, place=place_of(hop.host, port))
        if hops:
            hop = replace(hop, hops=(), command="")
        hops.extend((*hop.hops, replace(hop, hops=(), user=match["user"] or hop.user)))
    return tuple(hops)


def _keys(settings: Settings, host: str, user: str) -> tuple[Path, ...]:
    tokens = {"%d": str(Path.home()), "%u": getpass.getuser(), "%h": host, "%r": user, "%%": "%"}
    named = [
        re.sub("%.", lambda found: tokens.get(found[0], found[0]), value) for value in settings.all("identityfile")
    ]
    paths = [Path(name).expanduser() for name in named if name != "none"] or list(_default_keys())
    return tuple(dict.fromkeys(path for path in paths if path.is_file()))


def _agent(named: str) -> str:
    if named in ("", "SSH_AUTH_SOCK"):
        return ""
    return named if named == "none" else str(Path(named).expanduser())


def _port(text: str, alias: str) -> int:
    if not text:
        return SSH_PORT
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise _wrong(alias, "its port is none")
    return int(text)


def _wrong(alias: str, why: str) -> StudioError:
    return StudioError(
        f"The ssh configuration of {alias} cannot be used", why, "Correct it, or give host, port and user instead"
    )
