"""``padwork machine``: the machines that train, by their names."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from studio.remote import machines
from studio.remote.check import Check, check, keep_check, read_checks
from studio.remote.machine import Machine
from studio.schema.errors import StudioError
from studio.schema.machine import THIS_COMPUTER, MachineSpec
from studio.schema.user_folder import user_folder

if TYPE_CHECKING:
    from studio.remote.ssh.pins import HostKeyUnknown

DONE, FAILED, EYES = 0, 1, 3
MB, GB = 1 << 20, 1 << 30
YES = ("yes", "y")


def main(options: argparse.Namespace) -> int:
    """Do what was asked with the person's machines."""
    return _ACTIONS[options.action](options)


def add(options: argparse.Namespace) -> int:
    """Check a machine and put it on the list; where it cannot be checked nothing is kept."""
    given = {name: getattr(options, name) for name in ("host", "port", "user", "key", "alias", "python", "root")}
    spec = MachineSpec(options.name, **{name: value for name, value in given.items() if value is not None})
    if any(known.name == spec.name for known in machines.machines(user_folder())):
        machines.add(user_folder(), spec)  # says that the name is taken
    found = None
    if not options.no_check:
        found = _check(machines.machine_of(spec, user_folder()), options.accept_fingerprint)
        if found is None:
            return EYES
    machines.add(user_folder(), spec)
    if found is None:
        print(f"{spec.name} is on the list. Check it with: padwork machine check {spec.name}")
        return DONE
    keep_check(user_folder(), spec.name, found)
    print("\n".join(lines(spec.name, found)))
    return DONE


def look(options: argparse.Namespace) -> int:
    """Check a machine, or this computer. 1 where it cannot train."""
    found = _check(machines.open_machine(options.name, user_folder()), options.accept_fingerprint)
    if found is None:
        return EYES
    name = options.name or THIS_COMPUTER
    keep_check(user_folder(), name, found)
    if options.json:
        plain = {"machine": name, "can_train": found.can_train, "install": list(found.command), **asdict(found)}
        print(json.dumps(plain, indent=1))
    else:
        print("\n".join(lines(name, found)))
    return DONE if found.can_train else FAILED


def list_all(options: argparse.Namespace) -> int:
    """Every machine with what was found on it last; this computer first."""
    there, checks = machines.machines(user_folder()), read_checks(user_folder())
    if options.json:
        print(json.dumps([{"name": THIS_COMPUTER}, *(asdict(spec) for spec in there)], indent=1))
        return DONE
    for name, way in ((THIS_COMPUTER, ""), *((spec.name, way_to(spec)) for spec in there)):
        found = checks.get(name)
        print(f"{name:<20} {way:<40} {'not checked' if found is None else verdict(found)}".rstrip())
    return DONE


def remove(options: argparse.Namespace) -> int:
    """Take a machine off the list."""
    machines.remove(user_folder(), options.name)
    keep_check(user_folder(), options.name, None)
    print(f"{options.name} is off the list. What lies on the machine stays there.")
    return DONE


def way_to(spec: MachineSpec) -> str:
    """How a machine is reached, in a word."""
    return spec.alias or f"{spec.user}{'@' if spec.user else ''}{spec.host}:{spec.port}"


def lines(name: str, found: Check) -> list[str]:
    """What was found, for people; last the verdict."""
    gpus = ", ".join(f"{gpu.name} ({gpu.memory / GB:.0f} GB)" for gpu in found.gpus) or "none"
    told = [
        f"{name}: {found.host}, {found.system}",
        f"  Python     {found.python}, {found.executable}",
        *(f"  {p.name:<10} {p.version or 'not there'}{'' if p.good else f', needs {p.needs}'}" for p in found.packages),
        f"  cores      {found.cores:g}",
        f"  memory     {found.memory / GB:.0f} GB",
        f"  disk       {found.free / GB:.0f} GB free",
        f"  graphics   {gpus}",
        f"  line       {1000 * found.round_trip_s:.1f} ms there and back, clock {found.clock_s:+.1f} s",
        f"{name} {verdict(found)}.",
    ]
    return [*told, f"Install there: {shlex.join(found.command)}"] if found.command else told


def verdict(found: Check) -> str:
    """Whether it can train, and if not what keeps it from it."""
    if found.can_train:
        return "can train"
    wrong = [f"its Python is {found.python}, training needs {found.needs_python}"] if not found.python_good else []
    if found.missing:
        wrong.append(f"it lacks {', '.join(f'{p.name}{p.needs}' for p in found.missing)}")
    if not found.roomy:
        wrong.append(f"it has {found.free // MB} MB of disk and {found.memory // MB} MB of memory")
    return f"cannot train yet: {'; '.join(wrong)}"


def _check(machine: Machine, accepted: list[str]) -> Check | None:
    """Check a machine and ask about host keys on the way; None where nobody can say whether they are right."""
    try:
        while True:
            try:
                return check(machine)
            except StudioError as error:
                if not machines.fingerprint_asked(error):
                    raise
                if not _is_right(error, accepted):  # pyright: ignore[reportArgumentType]
                    return None
                machines.accept(user_folder(), error)  # pyright: ignore[reportArgumentType]
    finally:
        machine.close()


def _is_right(question: HostKeyUnknown, accepted: list[str]) -> bool:
    """Whether the host key is the machine's: named before, or said now. Raises :class:`StudioError` for another one
    than was named."""
    if question.fingerprint in accepted:
        return True
    if accepted:
        raise StudioError(
            f"{question.key.place} is not the machine that was named",
            f"its host key is {question.key.kind} {question.fingerprint}",
            "Ask the machine's owner before you use it",
        )
    print(f"{question.key.place} shows the host key {question.key.kind} {question.fingerprint}")
    if sys.stdin is None or not sys.stdin.isatty():
        print(f"{question.next_step}: --accept-fingerprint {question.fingerprint}", file=sys.stderr)
        return False
    return input("Is it the one the machine's owner told you? (yes/no) ").strip().lower() in YES


_ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "add": add,
    "check": look,
    "list": list_all,
    "remove": remove,
}
