"""Who a machine proved to be: its host key, asked about once and kept in a file of our own."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from studio.remote.private import replace_file
from studio.remote.ssh.known import KnownKey, known_keys
from studio.schema.errors import StudioError

MAX_PINS_BYTES = 1 << 20
KNOWN_HOSTS = (Path("~/.ssh/known_hosts"), Path("/etc/ssh/ssh_known_hosts"))


@dataclass(frozen=True)
class HostKey:
    """A machine's public key. ``place`` is ``host:port``; ``kind`` as in ``ssh-ed25519``; ``data`` base64."""

    place: str
    kind: str
    data: str

    @property
    def fingerprint(self) -> str:
        """As ``ssh-keygen -lf`` prints it: ``SHA256:`` and unpadded base64."""
        digest = hashlib.sha256(base64.b64decode(self.data)).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


class HostKeyUnknown(StudioError):  # noqa: N818 - what the window asks about
    """Nobody has said yet that this is the machine: show ``fingerprint``, ask, then ``Pins.accept`` this."""

    def __init__(self, key: HostKey) -> None:
        super().__init__(
            f"{key.place} is not known yet",
            f"its host key is {key.kind} {key.fingerprint}",
            "Compare it with what the machine's owner says, and accept it only if it is the same",
        )
        self.key = key
        self.fingerprint = key.fingerprint


class HostKeyChanged(StudioError):  # noqa: N818 - the counterpart
    """Another machine answers than the one that was accepted, or the machine was set up anew. Never overridden."""

    def __init__(self, key: HostKey, expected: HostKey, next_step: str) -> None:
        super().__init__(
            f"{key.place} is not the machine that was accepted",
            f"its host key is {key.kind} {key.fingerprint}, it was {expected.kind} {expected.fingerprint}",
            next_step,
        )
        self.key = key
        self.fingerprint = key.fingerprint
        self.expected = expected


class Pins:
    """The accepted host keys in ``path`` (JSON lines, readable by the user alone).

    ``known_hosts``: files of ssh's own that are believed too, and never written.
    """

    def __init__(self, path: Path, known_hosts: tuple[Path, ...] = KNOWN_HOSTS) -> None:
        self._path = path
        self._known_hosts = known_hosts

    def kinds(self, place: str) -> tuple[str, ...]:
        """Kinds of keys that this machine is known by, to be asked for first."""
        pinned = [pin.kind for pin in self._pins() if pin.place == place]
        known = [] if pinned else [k.kind for k in self._known(place) if not k.revoked]
        return tuple(dict.fromkeys([*pinned, *known]))

    def check(self, key: HostKey) -> None:
        """Returns for the accepted machine; one that ssh itself knows is accepted with that.

        Raises :class:`HostKeyUnknown`, :class:`HostKeyChanged`, and ``StudioError`` for a revoked key.
        """
        known = self._known(key.place)
        if any(k.revoked and k.data == key.data for k in known):
            raise StudioError(
                f"{key.place} is not to be trusted",
                f"its host key {key.fingerprint} is marked as revoked in known_hosts",
                "Ask the machine's owner before you use it again",
            )
        pinned = [pin for pin in self._pins() if pin.place == key.place]
        if pinned:
            if key not in pinned:
                raise HostKeyChanged(
                    key,
                    _closest(key, pinned),
                    "Do not go on unless the machine's owner confirms the new key; then remove the machine and add it "
                    "again",
                )
            return
        believed = [HostKey(key.place, k.kind, k.data) for k in known if not k.revoked]
        if key in believed:
            self.accept(key)
        elif believed:
            raise HostKeyChanged(
                key,
                _closest(key, believed),
                "Do not go on unless the machine's owner confirms the new key; then remove the old one with "
                "ssh-keygen -R",
            )
        else:
            raise HostKeyUnknown(key)

    def accept(self, key: HostKey | HostKeyUnknown) -> None:
        """This is the machine, from now on. Raises ``StudioError`` where it cannot be written down."""
        key = key.key if isinstance(key, HostKeyUnknown) else key
        pins = self._pins()
        if key not in pins:
            self._write([*pins, key])

    def forget(self, place: str) -> None:
        """The machine at ``place`` is asked about again."""
        pins = self._pins()
        kept = [pin for pin in pins if pin.place != place]
        if kept != pins:
            self._write(kept)

    def _known(self, place: str) -> list[KnownKey]:
        return [key for path in self._known_hosts for key in known_keys(path.expanduser(), place)]

    def _pins(self) -> list[HostKey]:
        try:
            with self._path.open("rb") as stream:
                data = stream.read(MAX_PINS_BYTES + 1)
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise self._unusable(problem.strerror or str(problem)) from None
        if len(data) > MAX_PINS_BYTES:
            raise self._unusable("it is far too large")
        return [self._pin(line) for line in data.splitlines() if line.strip()]

    def _pin(self, line: bytes) -> HostKey:
        try:
            told = json.loads(line)
            key = HostKey(str(told["place"]), str(told["kind"]), str(told["data"]))
            right = told["fingerprint"] == key.fingerprint
        except (ValueError, KeyError, TypeError, RecursionError):
            right = False
        if not right:
            # A lost pin would let any machine pass for the accepted one: never read around it.
            raise self._unusable("a line of it is damaged")
        return key

    def _write(self, pins: list[HostKey]) -> None:
        lines = [json.dumps({**asdict(pin), "fingerprint": pin.fingerprint}) + "\n" for pin in pins]
        try:
            replace_file(self._path, "".join(lines).encode())
        except OSError as problem:
            raise self._unusable(problem.strerror or str(problem)) from None

    def _unusable(self, why: str) -> StudioError:
        return StudioError(
            f"The accepted host keys in {self._path} cannot be used", why.lower(), "Restore the file or remove it"
        )


def _closest(key: HostKey, others: list[HostKey]) -> HostKey:
    return next((other for other in others if other.kind == key.kind), others[0])
