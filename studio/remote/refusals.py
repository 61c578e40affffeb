"""What a machine's refusal means to a person."""

from __future__ import annotations

from typing import Any

from studio.remote.plain import plain
from studio.schema.errors import StudioError

_SENTENCES: dict[str, tuple[str, str]] = {
    "bad_run_id": ("the run's name is not usable", "Use lower case letters, digits, - and _"),
    "bad_spec": ("the order is wrong in {field}", "Correct it and start again"),
    "spec_conflict": ("a run of this name was started with other settings", "Give the new run another name"),
    "missing_inputs": ("its inputs did not all arrive", "Start it again"),
    "bad_blob": ("an input was damaged on the machine", "Start it again"),
    "bad_sha": ("bytes arrived damaged", "Try again"),
    "no_such_run": ("it has no such run", "Start the run first"),
    "busy": ("another start of this run takes very long", "Look at the machine"),
    "supervisor_failed": ("the supervisor did not come up, see {log}", "Look at that file on the machine"),
    "disk_full": ("its disk is full, {free} bytes are left", "Make room on the machine"),
    "root_not_ours": ("{root} is a link or belongs to someone else", "Choose another folder for the agent"),
    "gone": ("the file is no longer there", "Start the run again if you need it"),
    "verb": ("its agent does not know what was asked", "Update Padwork on the machine"),
    "crash": ("its agent failed: {text}", "Report this with the text"),
    "os_error": ("its system said: {text}", "Look at the machine"),
}


class RefusalError(StudioError):
    """A machine's agent said no. ``code``: its word for why."""

    def __init__(self, what: str, why: str, next_step: str, code: str = "") -> None:
        super().__init__(what, why, next_step)
        self.code = code


def refusal(machine: str, what: str, answer: dict[str, Any]) -> RefusalError:
    """The error for an answer with ``ok`` false."""
    code = plain(str(answer.get("error")), 40)
    why, next_step = _SENTENCES.get(code, (f"it refused ({code})", "Look at the machine"))
    fields = {name: plain(str(value)) for name, value in answer.items()}
    try:
        why = why.format(**fields)
    except (KeyError, IndexError):
        why = f"it refused ({code})"
    return RefusalError(f"{what} did not work on {machine}", why, next_step, code)
