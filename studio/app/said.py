"""What stages and the store say in English, said in the language of the window.

They know nothing of languages: a record or an error holds a plain English clause. The same clauses stand in
``resources/i18n/en/said.toml`` with blanks for what differs; a clause that fits one of them is said with the words of
the same key. One that fits none, as the coach's own words or what a library reports, stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from studio.app.text import FALLBACK, has, slots, tr, words
from studio.schema.errors import StudioError
from studio.store.states import APPROVED, DONE, EYES, FAILED, LOCKED, READY, RUNNING, STALE

LAST_LATIN = 0x2FFF
STATES = {
    LOCKED: "locked", READY: "ready", RUNNING: "running", FAILED: "failed", STALE: "stale", DONE: "done",
    EYES: "needs_eyes", APPROVED: "approved",
}  # fmt: skip
"""States as the store names them, and their keys. A blank called state holds one of these and nothing else."""
COUNTS = ("number", "frame", "frames", "total", "iteration", "count", "process")
"""Blanks that hold a whole number."""
STAGES = {
    "Capture": 1, "Keypoints": 2, "Sync and 3D": 3, "Skeleton": 4, "Retarget": 5, "Variants": 6, "Teacher": 7,
    "Gate": 8, "Student": 9,
}  # fmt: skip
RESULTS = {"keypoints": 2, "points": 3, "body": 4, "retarget": 5, "variants": 6, "teachers": 7, "snapshots": 7}
"""Stages by their title, and by the folder that their results have."""


def said(clause: str) -> str:
    """A clause of theirs in the language that is chosen."""
    found = _fitting(clause)
    if found is not None:
        key, values = found
        return tr(key, **{name: _value(name, value) for name, value in values.items()})
    what, colon, why = clause.partition(": ")
    if colon and (_fitting(what) or _fitting(why)):
        return f"{said(what)}{tr('said.colon')}{said(why)}"
    return clause


def is_known(clause: str) -> bool:
    """Whether a clause can be said in every language."""
    return _fitting(clause) is not None


def sentence(clause: str) -> str:
    """A clause in the language that is chosen, as a sentence: capital in front, but not of a file; full stop behind."""
    spoken = said(clause.strip().rstrip("."))
    if not spoken:
        return ""
    if ord(spoken[-1]) > LAST_LATIN:
        return spoken + tr("said.stop")
    return f"{spoken}." if re.match(r"\S*[./_]", spoken) else f"{spoken[:1].upper()}{spoken[1:]}."


def as_error(line: str) -> StudioError:
    """The error that a record keeps as one line."""
    what, _, rest = line.partition(": ")
    why, _, step = rest.rpartition(". ")
    return StudioError(what, why or rest.rstrip("."), step.rstrip("."))


def _fitting(clause: str) -> tuple[str, dict[str, str]] | None:
    for key, pattern in _patterns():
        match = pattern.fullmatch(clause)
        if match:
            return key, match.groupdict()
    return None


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Those with the most words of their own first, so that the closest fits."""
    known = [
        (key, text) for key, text in words(FALLBACK).items() if key.split(".")[0] == "said" and key.count(".") == 2
    ]
    known.sort(key=lambda entry: -len(re.sub(r"{\w+}", "", entry[1])))
    return tuple((key, _compiled(text)) for key, text in known)


def _compiled(text: str) -> re.Pattern[str]:
    pattern = re.escape(text)
    for name in slots(text):
        pattern = pattern.replace(re.escape(f"{{{name}}}"), f"(?P<{name}>{_blank(name)})")
    return re.compile(pattern, re.DOTALL)


def _blank(name: str) -> str:
    """What a blank may hold."""
    if name == "state":
        return "|".join(map(re.escape, STATES))
    return "[0-9]+" if name in COUNTS else ".+?"


def _value(name: str, value: str) -> str:
    """What stands in a blank, by the blank's name."""
    if name == "stage":
        return tr(f"stage.{STAGES[value]}.name") if value in STAGES else value
    if name == "names":
        return tr("said.and").join(_named(part) for part in value.split(" and "))
    if name == "rows":
        return tr("said.comma").join(_row(part) for part in value.split(", "))
    if name == "phone":
        return value.upper()
    if name == "state":
        return tr(f"state.{STATES[value]}")
    return said(value) if name in ("clause", "obstacle", "machine") else value


def _named(part: str) -> str:
    if part == "layers":
        return tr("said.layers.changed")
    return tr(f"stage.{RESULTS[part]}.name") if part in RESULTS else part


def _row(name: str) -> str:
    return tr(f"gate.row.{name}.name") if has(f"gate.row.{name}.name") else name
