"""The user's own ssh configuration: asked of ssh where there is one, else read here."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from io import StringIO
from pathlib import Path

from studio.remote.plain import plain
from studio.schema.errors import StudioError

ASK_S = 10.0
MAX_BYTES = 1 << 20
MAX_DEPTH = 16
USERS_OWN = Path("~/.ssh/config")
NOT_JUDGED = ("localnetwork", "tagged", "version", "sessiontype", "command")
"""Criteria of Match that paramiko would take for fulfilled."""
EVERY_HOST = "Host *\n"
NO_HOST = "Host !*\n"


@dataclass(frozen=True)
class Settings:
    """Keyword in lower case to its values in order."""

    values: dict[str, list[str]] = field(default_factory=dict)

    def one(self, keyword: str) -> str:
        """The value that counts, empty for none."""
        return self.values.get(keyword, [""])[0]

    def all(self, keyword: str) -> list[str]:
        """All values, of a keyword that may be given again and again."""
        return self.values.get(keyword, [])


def read_settings(alias: str, config: Path | None = None) -> Settings:
    """What the configuration says of ``alias``. Raises ``StudioError`` where it cannot be read."""
    program = shutil.which("ssh")
    return ask_ssh(program, alias, config) if program else parse(alias, config or USERS_OWN.expanduser())


def ask_ssh(program: str, alias: str, config: Path | None) -> Settings:
    """As ``ssh -G`` tells, which knows every keyword and Include."""
    command = [program, *(["-F", str(config)] if config else []), "-G", "--", alias]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASK_S,
            text=True,
            errors="replace",
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise _unreadable(alias, type(problem).__name__) from None
    if done.returncode:
        raise _unreadable(alias, plain((done.stderr.strip().splitlines() or ["ssh does not say why"])[-1]))
    values: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        keyword, _, value = line.partition(" ")
        values.setdefault(keyword, []).append(value)
    return Settings(values)


def parse(alias: str, config: Path) -> Settings:
    """As paramiko reads it once every Include has been put in its place."""
    from paramiko import ConfigParseError, SSHConfig
    from paramiko.ssh_exception import CouldNotCanonicalize

    try:
        parsed = SSHConfig()
        parsed.parse(StringIO("".join(_expanded(config, alias, 0))))
        found = parsed.lookup(alias)
    except (ConfigParseError, CouldNotCanonicalize, ValueError, KeyError) as problem:
        raise _unreadable(alias, str(problem)[:200]) from None
    return Settings({name: value if isinstance(value, list) else [str(value)] for name, value in found.items()})


def _expanded(path: Path, alias: str, depth: int) -> Iterator[str]:
    """The lines of a configuration, those of its Includes in between; the block an Include stood in goes on after it.

    An Include within a Host block that is not for ``alias`` is passed over, a Match that paramiko cannot judge too.
    """
    if depth > MAX_DEPTH:
        raise ValueError("its Includes lead in a circle")
    block, meant = EVERY_HOST, True
    for line in _text(path).splitlines(keepends=True):
        keyword, value = _keyword(line)
        if keyword == "include":
            for part in _patterns(value) if meant else ():
                for inner in sorted(part.parent.glob(part.name)):
                    yield from _expanded(inner, alias, depth + 1)
            yield block
            continue
        if keyword in ("host", "match"):
            judged = keyword == "host" or not any(word in NOT_JUDGED for word in value.lower().split())
            block = (line if line.endswith("\n") else line + "\n") if judged else NO_HOST
            meant = judged and (keyword == "match" or _is_for(value, alias))
            yield block
            continue
        yield line if line.endswith("\n") else line + "\n"


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as problem:
        raise ValueError(f"{path}: {problem.strerror}") from None
    if len(data) > MAX_BYTES:
        raise ValueError(f"{path} is too large")
    return data.decode(errors="replace")


def _keyword(line: str) -> tuple[str, str]:
    words = line.strip().replace("=", " ", 1).split(maxsplit=1)
    return (words[0].lower(), words[1].strip() if len(words) > 1 else "") if words else ("", "")


def _patterns(value: str) -> Iterator[Path]:
    for word in value.split():
        path = Path(word.strip('"')).expanduser()
        yield path if path.is_absolute() else Path("~/.ssh").expanduser() / path


def _is_for(patterns: str, alias: str) -> bool:
    words = patterns.replace('"', " ").split()
    if any(word.startswith("!") and fnmatchcase(alias, word[1:]) for word in words):
        return False
    return any(fnmatchcase(alias, word) for word in words if not word.startswith("!"))


def _unreadable(alias: str, why: str) -> StudioError:
    return StudioError(
        f"The ssh configuration of {alias} cannot be used", why, "Correct it, or give host, port and user instead"
    )
