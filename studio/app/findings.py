"""A machine's suspicion in a coach's words: what it is, whom it concerns, how much."""

from __future__ import annotations

import re

from studio.app import units
from studio.app.text import has, tr
from studio.schema.findings import Finding

SIDES = {"_l": "left", "_r": "right"}
ENTRY = re.compile(r"entry ([0-9]+)(?:: (.+))?")


def kind_name(kind: str) -> str:
    """ "flick" is "Sudden jerk"; a kind that is not known as it is."""
    return tr(f"finding.{kind}") if has(f"finding.{kind}") else kind.replace("_", " ")


def subject_name(subject: str) -> str:
    """ "entry 0: heel_r" is "target 1, right heel"; a name that is not known as it is."""
    entry = ENTRY.fullmatch(subject)
    if entry is None:
        return _part(subject)
    number = int(entry[1]) + 1
    return (
        tr("subject.of_entry", number=number, part=_part(entry[2])) if entry[2] else tr("subject.entry", number=number)
    )


def is_named(subject: str) -> bool:
    """Whether there are words for all of a subject."""
    entry = ENTRY.fullmatch(subject)
    part = subject if entry is None else entry[2]
    return not part or has(f"subject.name.{part}") or (part[-2:] in SIDES and has(f"subject.name.{part[:-2]}"))


def amount(finding: Finding) -> str:
    """Its value against its limit."""
    value, limit = units.with_unit(finding.value, finding.unit), units.with_unit(finding.limit, finding.unit)
    return tr("stages.value_of", value=value, limit=limit)


def severity(finding: Finding) -> float:
    """How many times its limit it reaches; what has no limit of its own comes by its value."""
    return abs(finding.value) / finding.limit if finding.limit > 1e-3 else abs(finding.value)


def _part(name: str) -> str:
    if has(f"subject.name.{name}"):
        return tr(f"subject.name.{name}")
    side, stem = SIDES.get(name[-2:]), f"subject.name.{name[:-2]}"
    if side and has(stem):
        return tr(f"subject.{side}", part=tr(stem))
    return name.replace("_", " ")
