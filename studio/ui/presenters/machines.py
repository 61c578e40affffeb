"""What the Machines page says: each machine in a few words, what is missing on it, and what is asked about it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from studio.app import units
from studio.app.machines import CHECKING, MachineView
from studio.app.session import Session
from studio.app.text import tr
from studio.schema.errors import StudioError
from studio.schema.machine import THIS_COMPUTER
from studio.ui.presenters.presenter import Presenter
from studio.ui.presenters.stage import Pair

GB = 1 << 30
SSH_PORT = 22
FEW = 2
"""So many missing packages are named; of more it is said how many there are."""


@dataclass(frozen=True)
class MachineRow:
    """One machine. ``name`` is its key, ``title`` what it is called; ``state``: a glyph's name; ``question``: what is
    asked, with the fingerprint; ``command`` installs what is missing."""

    name: str
    title: str
    way: str
    state: str
    verdict: str
    facts: tuple[Pair, ...]
    question: str
    fingerprint: str
    command: str
    error: StudioError | None
    removable: bool

    @property
    def is_busy(self) -> bool:
        return self.state == "running"


@dataclass(frozen=True)
class Choice:
    """A machine that a teacher can be trained on. ``name`` empty for this computer."""

    name: str
    title: str
    note: str


class MachinesPresenter(Presenter):
    """Follows the session's machines. ``refusal``: why what the form named was not added."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.machines = session.machines
        self.refusal: StudioError | None = None
        self._adding = ""
        self.machines.changed.connect(self._follow)
        self.machines.refused.connect(self._refuse)

    @property
    def loaded(self) -> bool:
        return self.machines.loaded

    @property
    def rows(self) -> tuple[MachineRow, ...]:
        return tuple(machine_row(view) for view in self.machines.views)

    @property
    def just_added(self) -> bool:
        """Whether what the form named is on the list now; asked once."""
        there = bool(self._adding) and self.machines.view(self._adding) is not None
        if there:
            self._adding = ""
        return there

    def load(self) -> None:
        self.machines.load()

    def add(self, by_alias: bool, **fields: str) -> None:
        """Put the machine of the form on the list. ``fields``: name and key, and host, port and user or alias."""
        given: dict[str, Any] = {name: text.strip() for name, text in fields.items() if text.strip()}
        for name in ("host", "port", "user") if by_alias else ("alias",):
            given.pop(name, None)
        port = given.pop("port", str(SSH_PORT))
        self.refusal, self._adding = None, given.setdefault("name", "")
        given["port"] = int(port) if port.isdecimal() and len(port) < 6 else 0
        self.machines.add(given)
        self.changed.emit()

    def _refuse(self, error: StudioError) -> None:
        self.refusal, self._adding = error, ""
        self.changed.emit()

    def _follow(self) -> None:
        self.changed.emit()


def machine_row(view: MachineView) -> MachineRow:
    """A machine in words."""
    found, busy = view.found, view.doing == CHECKING
    asks = bool(view.fingerprint) and not busy
    return MachineRow(
        name=view.name,
        title=title_of(view.name),
        way=_way(view),
        state="running" if busy else "needs_answer" if asks else _state(view),
        verdict=tr("machines.checking") if busy else tr("machines.asks") if asks else verdict(view),
        facts=_facts(view),
        question=tr("machines.question", name=view.name) if asks else "",
        fingerprint=view.fingerprint if asks else "",
        command=shlex.join(found.command) if found and not busy else "",
        error=view.error,
        removable=view.spec is not None and not busy,
    )


def title_of(name: str) -> str:
    """What a machine is called; the empty name is this computer's."""
    return tr("teacher.this_computer") if name in ("", THIS_COMPUTER) else name


def choice(view: MachineView) -> Choice:
    """A machine as one to train on."""
    name = "" if view.name == THIS_COMPUTER else view.name
    return Choice(name, title_of(name), tr("teacher.free") if not name else _in_short(view))


def verdict(view: MachineView) -> str:
    """Whether a machine can train, and if not what keeps it from it."""
    found = view.found
    if found is None:
        return tr("machines.never")
    if not found.python_good:
        return tr("machines.old_python", version=found.python, needs=found.needs_python.lstrip(">="))
    if found.missing:
        if len(found.missing) > FEW:
            return tr("machines.lacks_many", count=len(found.missing))
        return tr("machines.lacks", names=", ".join(package.name for package in found.missing))
    if not found.roomy:
        return tr("machines.no_room")
    return tr("machines.can_train")


def _in_short(view: MachineView) -> str:
    if view.found is None:
        return tr("machines.never")
    return tr("machines.can_train" if view.found.can_train else "machines.cannot_train")


def _state(view: MachineView) -> str:
    if view.error is not None or view.found is None:
        return "unknown"
    return "done" if view.found.can_train else "failed"


def _way(view: MachineView) -> str:
    spec = view.spec
    if spec is None:
        return tr("machines.no_line")
    if spec.alias:
        return tr("machines.by_alias", alias=spec.alias)
    user = f"{spec.user}@" if spec.user else ""
    return f"{user}{spec.host}" + (f":{spec.port}" if spec.port != SSH_PORT else "")


def _facts(view: MachineView) -> tuple[Pair, ...]:
    found = view.found
    if found is None:
        return ()
    gpus = ", ".join(gpu.name for gpu in found.gpus) or tr("machines.none")
    facts = [
        Pair(tr("machines.cores"), f"{found.cores:g}"),
        Pair(tr("machines.memory"), tr("machines.gigabytes", value=f"{found.memory / GB:.0f}")),
        Pair(tr("machines.disk"), tr("machines.gigabytes", value=f"{found.free / GB:.0f}")),
        Pair(tr("machines.graphics"), gpus),
        Pair(tr("machines.python"), found.python),
        Pair(tr("machines.checked"), units.moment(found.when)),
    ]
    if view.spec is not None:
        milliseconds = tr("machines.milliseconds", value=units.number(1000 * found.round_trip_s, 1))
        facts.insert(5, Pair(tr("machines.round_trip"), milliseconds))
    return tuple(facts)
