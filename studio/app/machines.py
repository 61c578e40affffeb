"""The person's machines as the window works with them: the list, what each was found to bring, and what is asked.

Everything that touches the disk or the network goes on beside; ``changed`` tells that there is something new to show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.app.beside import Beside
from studio.remote import machines
from studio.remote.check import Check, check, keep_check, read_checks
from studio.schema.errors import StudioError
from studio.schema.machine import THIS_COMPUTER, MachineSpec

CHECKING = "checking"


@dataclass(frozen=True)
class MachineView:
    """One machine. ``spec`` None for this computer; ``found`` what it was last found to bring, None before that;
    ``doing``: "checking" or empty; ``question``: an error that asks whether a host key is the machine's; ``error``:
    why the last thing failed."""

    name: str
    spec: MachineSpec | None = None
    found: Check | None = None
    doing: str = ""
    question: StudioError | None = None
    error: StudioError | None = None

    @property
    def fingerprint(self) -> str:
        """What is asked about; empty where nothing is."""
        return machines.fingerprint_asked(self.question) if self.question else ""


@dataclass
class _Heard:
    """What this window has heard of a machine that no file keeps."""

    doing: str = ""
    question: StudioError | None = None
    error: StudioError | None = None


@dataclass(frozen=True)
class _Kept:
    specs: tuple[MachineSpec, ...] = ()
    checks: dict[str, Check] = field(default_factory=dict)


class Machines(QObject):
    """``refused``: an entry could not be added, and why."""

    changed = Signal()
    refused = Signal(object)

    def __init__(self, folder: Path, network: Beside, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder, self._network = folder, network
        self._kept = _Kept()
        self._heard: dict[str, _Heard] = {}
        self.loaded = False

    @property
    def views(self) -> tuple[MachineView, ...]:
        """Every machine, this computer first."""
        named = [(THIS_COMPUTER, None), *((spec.name, spec) for spec in self._kept.specs)]
        return tuple(self._view(name, spec) for name, spec in named)

    def view(self, name: str) -> MachineView | None:
        """One machine, empty for this computer; None where there is none of that name."""
        return next((view for view in self.views if view.name == (name or THIS_COMPUTER)), None)

    def load(self) -> None:
        """Read the list and what was found last."""
        self._beside(self._read, self._show)

    def add(self, fields: dict[str, Any]) -> None:
        """Put a machine on the list and check it; ``refused`` where its fields or its name will not do."""

        def do() -> tuple[_Kept, str]:
            spec = MachineSpec(**fields)
            machines.add(self._folder, spec)
            return self._read(), spec.name

        def added(done: tuple[_Kept, str]) -> None:
            self._show(done[0])
            self.check(done[1])

        self._network.ask(do, added, self.refused.emit)

    def remove(self, name: str) -> None:
        """Take a machine off the list, with what was found on it and the host key that was accepted."""

        def do() -> _Kept:
            machines.remove(self._folder, name)
            keep_check(self._folder, name, None)
            return self._read()

        self._heard.pop(name, None)
        self._beside(do, self._show, name)

    def check(self, name: str) -> None:
        """Ask a machine what it brings. Ignored while it is asked already."""
        self._ask(name, lambda: None)

    def accept(self, name: str) -> None:
        """The host key that is asked about is the machine's: keep it, and check."""
        question = self._of(name).question
        if question is not None:
            self._ask(name, lambda: machines.accept(self._folder, question))  # pyright: ignore[reportArgumentType]

    def refuse(self, name: str) -> None:
        """The host key is not the machine's: nothing is kept and nothing was sent."""
        self._of(name).question = None
        self.changed.emit()

    def _ask(self, name: str, before: Callable[[], object]) -> None:
        if self._of(name).doing:
            return

        def do() -> _Kept:
            before()
            machine = machines.open_machine(name, self._folder)
            try:
                keep_check(self._folder, name, check(machine))
            finally:
                machine.close()
            return self._read()

        self._heard[name] = _Heard(doing=CHECKING)
        self.changed.emit()
        self._beside(do, lambda kept: self._checked(name, kept), name)

    def _checked(self, name: str, kept: _Kept) -> None:
        self._heard[name] = _Heard()
        self._show(kept)

    def _read(self) -> _Kept:
        return _Kept(machines.machines(self._folder), read_checks(self._folder))

    def _show(self, kept: _Kept) -> None:
        self._kept, self.loaded = kept, True
        self.changed.emit()

    def _beside(self, do: Callable[[], Any], done: Callable[[Any], Any], name: str = "") -> None:
        self._network.ask(do, done, lambda error: self._fail(name or THIS_COMPUTER, error))

    def _fail(self, name: str, error: StudioError) -> None:
        asks = bool(machines.fingerprint_asked(error))
        self._heard[name] = _Heard(question=error if asks else None, error=None if asks else error)
        self.loaded = True
        self.changed.emit()

    def _of(self, name: str) -> _Heard:
        return self._heard.setdefault(name, _Heard())

    def _view(self, name: str, spec: MachineSpec | None) -> MachineView:
        heard, view = self._of(name), MachineView(name, spec, self._kept.checks.get(name))
        return replace(view, doing=heard.doing, question=heard.question, error=heard.error)
