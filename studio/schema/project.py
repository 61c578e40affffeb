"""The project's own page."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ProjectInfo:
    """``fighter``: the body that learns, a file in resources/bodies or in the project. ``slots``: technique to its
    number in the observation (1..31, given once). ``sample``: the template it was copied from, or empty.
    ``synthetic``: its videos and keypoints were made by the program, nobody was filmed; every page says so."""

    name: str
    coach: str
    fighter: str = "fighter"
    language: str = "en"
    sample: str = ""
    slots: dict[str, int] = field(default_factory=dict)
    synthetic: bool = False


@dataclass(frozen=True)
class Coach:
    """His measures. ``stature`` m, ``mass`` kg; ``measures`` (m) as in :class:`~studio.schema.body.Body`, typed in."""

    name: str
    stature: float
    mass: float
    measures: dict[str, float] = field(default_factory=dict)
