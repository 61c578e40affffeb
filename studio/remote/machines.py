"""The person's machines: a list in his own folder, never in a project, and the way to each of them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tomli_w

from studio.remote.channel import Channel, LocalChannel
from studio.remote.machine import Machine
from studio.remote.private import read_private, write_private
from studio.remote.waiting import WaitingChannel
from studio.schema.codec import document, read_document
from studio.schema.errors import StudioError, UnfinishedError
from studio.schema.machine import THIS_COMPUTER, MachineSpec

if TYPE_CHECKING:
    from studio.remote.ssh.pins import HostKeyUnknown, Pins

FILE, PINS = "machines.toml", "host_keys"


@dataclass(frozen=True)
class MachineList:
    """machines.toml, in the order in which they were added."""

    machines: tuple[MachineSpec, ...] = ()


def machines(folder: Path) -> tuple[MachineSpec, ...]:
    """Every machine in the person's ``folder``; this computer needs no entry. Raises ``StudioError``."""
    data = read_private(folder / FILE)
    if data is None:
        return ()
    try:
        plain = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as problem:
        raise StudioError(f"{folder / FILE} cannot be read", str(problem)[:200], "Correct it or remove it") from None
    return read_document(MachineList, plain, str(folder / FILE)).machines


def find(folder: Path, name: str) -> MachineSpec:
    """One machine by its name. Raises ``StudioError`` where there is none."""
    there = machines(folder)
    for spec in there:
        if spec.name == name:
            return spec
    known = ", ".join((THIS_COMPUTER, *(spec.name for spec in there)))
    raise StudioError(f"There is no machine {name!r}", f"there is {known}", "Add it or choose another")


def add(folder: Path, spec: MachineSpec) -> None:
    """Put a machine on the list. Raises ``StudioError`` where the name is taken."""
    there = machines(folder)
    if any(known.name == spec.name for known in there):
        raise StudioError(f"There is a machine {spec.name} already", "two would be told apart by nothing", "Rename one")
    _write(folder, (*there, spec))


def remove(folder: Path, name: str) -> None:
    """Take a machine off the list and forget its host key, unless another is reached at the same place.

    What lies on the machine stays there. Raises ``StudioError`` where there is no such machine.
    """
    gone = find(folder, name)
    left = tuple(spec for spec in machines(folder) if spec.name != name)
    _write(folder, left)
    place = _place(gone)
    if place and place not in [_place(spec) for spec in left]:
        _pins(folder).forget(place)


def open_machine(name: str, folder: Path) -> Machine:
    """A machine by its name, empty for this computer. Nothing is connected yet. Raises ``StudioError``."""
    return Machine(_channel(name, folder))


def machine_of(spec: MachineSpec, folder: Path) -> Machine:
    """A machine that need not be on the list."""
    return Machine(_ssh(spec, folder))


def open_for_training(name: str, folder: Path) -> Machine:
    """The same for a run that can wait: who does not get in raises ``UnfinishedError``."""
    try:
        return Machine(WaitingChannel(_channel(name, folder)))
    except StudioError as problem:
        raise UnfinishedError(problem.what, problem.why, problem.next_step) from problem


def accept(folder: Path, question: HostKeyUnknown) -> None:
    """The person has compared the host key that was asked about, and it is the machine's. Raises ``StudioError``."""
    _pins(folder).accept(question)


def fingerprint_asked(error: StudioError) -> str:
    """The fingerprint that an error asks about; empty where it is another error."""
    from studio.remote.ssh.pins import HostKeyUnknown

    return error.fingerprint if isinstance(error, HostKeyUnknown) else ""


def _channel(name: str, folder: Path) -> Channel:
    if name in ("", THIS_COMPUTER):
        return LocalChannel()
    return _ssh(find(folder, name), folder)


def _ssh(spec: MachineSpec, folder: Path) -> Channel:
    from studio.remote.ssh.channel import SshChannel

    return SshChannel(spec, _pins(folder))


def _pins(folder: Path) -> Pins:
    from studio.remote.ssh.pins import Pins

    return Pins(folder / PINS)


def _place(spec: MachineSpec) -> str:
    """``host:port`` as its host key is kept; empty where ssh's own configuration no longer knows it."""
    from studio.remote.ssh.options import resolve

    try:
        return resolve(spec).place
    except StudioError:
        return ""


def _write(folder: Path, there: tuple[MachineSpec, ...]) -> None:
    write_private(folder / FILE, tomli_w.dumps(document(MachineList(there))).encode())
