"""A machine that trains, as a person names it: how it is reached over SSH and where the agent lives on it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from studio.schema.errors import StudioError

THIS_COMPUTER = "this computer"
"""What the machine without a name is called; no other may be called so."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HOST = re.compile(r"[A-Za-z0-9_:\[][A-Za-z0-9._:%\[\]-]{0,254}")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@\\$+-]{0,127}")
_PATH = re.compile(r"[^\x00-\x1f\x7f]{0,1024}")


@dataclass(frozen=True)
class MachineSpec:
    """Reached by ``alias``, a host of the user's own ssh configuration, or by ``host``, ``port`` and ``user``.

    ``key``: file of the private key, empty for what ssh itself would try; ``user`` empty: as on this computer.
    ``python``: the machine's interpreter, with Padwork's packages for what trains there. ``root``: the agent's only
    folder there, absolute or below ``~/``; empty: ``~/.padwork``. No secret ever stands here.
    Raises ``StudioError`` for what can be none of these.
    """

    name: str
    host: str = ""
    port: int = 22
    user: str = ""
    key: str = ""
    alias: str = ""
    python: str = "python3"
    root: str = ""

    def __post_init__(self) -> None:
        if not is_machine_name(self.name):
            raise StudioError(
                f"{str(self.name)[:80]!r} cannot name a machine",
                "a name has 1 to 64 letters, digits, dots, dashes or underscores and starts with a letter or digit",
                "Choose another name",
            )
        if not self.host and not self.alias:
            raise StudioError(
                f"The machine {self.name} cannot be used", "it has neither a host nor an alias", "Name one of them"
            )
        wrong = next((field for field, good in self._checks().items() if not good), None)
        if wrong:
            raise StudioError(
                f"The machine {self.name} cannot be used", f"its {wrong} is not usable", f"Correct the {wrong}"
            )

    def _checks(self) -> dict[str, bool]:
        return {
            "host": not self.host or _HOST.fullmatch(self.host) is not None,
            "alias": not self.alias or _HOST.fullmatch(self.alias) is not None,
            "port": 1 <= self.port <= 65535,
            "user": not self.user or _USER.fullmatch(self.user) is not None,
            "key": _PATH.fullmatch(self.key) is not None,
            "python": bool(self.python) and _PATH.fullmatch(self.python) is not None,
            "root": not self.root or (self.root.startswith(("/", "~/")) and _PATH.fullmatch(self.root) is not None),
        }


def is_machine_name(text: str) -> bool:
    """Whether it can name a machine of the user's; this computer needs no name."""
    return _NAME.fullmatch(text) is not None
