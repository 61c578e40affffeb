"""Reading the command line and telling a person what went wrong."""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from studio.schema.errors import StudioError

DONE, FAILED, USAGE, EYES = 0, 1, 2, 3
INTERRUPTED = 130


def run_command(arguments: Sequence[str]) -> int:
    """Run one command. One sentence on standard error where it fails, never a traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a folder's name need not be text
    try:
        options = _parse(arguments)
    except SystemExit as wish:  # argparse ends the process by itself: 0 after --help, 2 for wrong usage
        return int(wish.code or 0)
    try:
        status = _command(options.command)(options)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except StudioError as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("Cancelled. What was finished before is kept.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return FAILED
    except Exception as error:
        print(_unforeseen(error), file=sys.stderr)
        return FAILED


def _unforeseen(error: Exception) -> StudioError:
    """What to say about an error that nobody turned into a sentence: the disk's, or a fault of the program."""
    if isinstance(error, OSError):
        where = error.filename if isinstance(error.filename, str) else "the output"
        return StudioError(
            f"{where} cannot be used", (error.strerror or str(error)).lower(), "Check the disk and its permissions"
        )
    with tempfile.NamedTemporaryFile("w", prefix="padwork-", suffix=".log", delete=False, encoding="utf-8") as log:
        traceback.print_exc(file=log)
    told = f"{type(error).__name__}: {str(error)[:200]}".replace("\n", " ")
    return StudioError(
        "Padwork failed", f"the program made a mistake ({told})", f"{log.name} says where; please report it"
    )


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line as options. Raises ``SystemExit`` where argparse does."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    if options.command == "run" and options.first > options.last:
        parser.error(f"--from {options.first} comes after --through {options.last}")
    return options


def make_parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    parser = argparse.ArgumentParser(
        prog="padwork",
        description="A studio in which a coach teaches a simulated fighter. Without a command it opens the window.",
        epilog="Exit status: 0 done, 1 failed, 2 wrong usage, 3 needs the coach's eyes.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    new = commands.add_parser("new", help="make a project, empty or a copy of a sample")
    new.add_argument("folder", type=Path, metavar="DIR")
    new.add_argument("--sample", default="", metavar="NAME")
    run = commands.add_parser("run", help="run stages that are not up to date")
    _project(run)
    chosen = run.add_mutually_exclusive_group()
    chosen.add_argument("--take", type=_name, metavar="T")
    chosen.add_argument("--technique", type=_name, metavar="T")
    run.add_argument("--from", dest="first", type=_stage, default=1, metavar="N")
    run.add_argument("--through", dest="last", type=_stage, default=8, metavar="N")
    run.add_argument("--yes", action="store_true", help="approve without looking; recorded as automatic")
    status = commands.add_parser("status", help="the state of every stage")
    _project(status)
    status.add_argument("--json", action="store_true")
    _project(commands.add_parser("verify", help="check every file against its record"))
    gate = commands.add_parser("gate", help="judge a snapshot again")
    _project(gate)
    gate.add_argument("--technique", required=True, metavar="T")
    gate.add_argument("--snapshot", default="", metavar="S")
    gate.add_argument("--json", action="store_true")
    _training(commands)
    _machine(commands.add_parser("machine", help="the machines that train: add, check, list, remove"))
    walk = commands.add_parser("walkthrough", help="the samples from videos to what was learned, with pictures")
    walk.add_argument("--out", type=Path, required=True, metavar="DIR")
    walk.add_argument("--sample", action="append", metavar="NAME", help="only this one; may be given again")
    return parser


def _training(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    train = commands.add_parser("train", help="train a technique's teacher on a machine")
    _project(train)
    train.add_argument("--technique", required=True, type=_name, metavar="T")
    train.add_argument("--machine", default="", metavar="NAME", help="left out: where it was trained last")
    train.add_argument("--preset", choices=("quick", "full"))
    train.add_argument("--yes", action="store_true", help="approve without looking; recorded as automatic")
    distil = commands.add_parser("distil", help="distil one student from all adopted teachers")
    _project(distil)
    distil.add_argument("--machine", default="", metavar="NAME", help="left out: where it was distilled last")
    distil.add_argument("--preset", choices=("student", "student_smoke"))
    distil.add_argument("--yes", action="store_true", help="approve without looking; recorded as automatic")


def _machine(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="check a machine and put it on the list")
    add.add_argument("name", metavar="NAME")
    way = add.add_mutually_exclusive_group(required=True)
    way.add_argument("--host", help="its address")
    way.add_argument("--alias", help="a host of your ssh configuration")
    for option, what in (("user", "who logs in"), ("key", "file of the private key"), ("python", "its interpreter"),
                         ("root", "the agent's folder there")):  # fmt: skip
        add.add_argument(f"--{option}", help=what)
    add.add_argument("--port", type=int)
    add.add_argument("--no-check", action="store_true", help="put it on the list unseen")
    check = actions.add_parser("check", help="what a machine brings to train with, and what is missing")
    check.add_argument("name", metavar="NAME", nargs="?", default="")
    check.add_argument("--json", action="store_true")
    for asking in (add, check):
        asking.add_argument("--accept-fingerprint", action="append", default=[], metavar="SHA256:...")
    actions.add_parser("list", help="every machine").add_argument("--json", action="store_true")
    actions.add_parser("remove", help="take a machine off the list").add_argument("name", metavar="NAME")


def _project(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT")


def _name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("a name is missing")
    return text


def _stage(text: str) -> int:
    if text not in tuple("123456789"):
        raise argparse.ArgumentTypeError(f"{text!r} is no stage; they are numbered 1 to 9")
    return int(text)


def _command(name: str | None) -> Callable[[argparse.Namespace], int]:
    """The function of a command; its module is loaded only now."""
    if name is None:
        from studio.cli.window import main
    elif name == "new":
        from studio.cli.new import main
    elif name == "run":
        from studio.cli.run import main
    elif name == "status":
        from studio.cli.status import main
    elif name == "verify":
        from studio.cli.verify import main
    elif name == "gate":
        from studio.cli.gate import main
    elif name == "train":
        from studio.cli.train import main
    elif name == "distil":
        from studio.cli.distil import main
    elif name == "machine":
        from studio.cli.machine import main
    else:
        from studio.cli.walkthrough import main
    return main
