"""What the page of corrections starts from, read from a project or put together by hand. Slow: beside the window."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from studio.app.review_data import ReviewData, load_review
from studio.schema.layers import Layers
from studio.schema.motion import Retarget
from studio.store.project import Project


@dataclass(frozen=True, eq=False)
class CorrectData:
    """``review``: pictures, findings, the fighter and his motion with the layers that stage 5 knew; ``base``: his
    motion without layers; ``layers``: as they are on disk; ``low`` and ``high`` (n,) rad limits of the joints;
    ``events``: named moments of the technique, s."""

    review: ReviewData
    base: Retarget
    layers: Layers
    low: np.ndarray
    high: np.ndarray
    events: dict[str, float] = field(default_factory=dict)


def load_correct(project: Project, technique: str) -> CorrectData:
    """Read it. Raises :class:`StudioError` before stage 5 has run, or where something is damaged."""
    review = load_review(project, technique)
    base = project.load(5, technique, Retarget)
    return completed(review, base, project.layers(technique), project.technique(technique).events)


def completed(
    review: ReviewData, base: Retarget, layers: Layers, events: dict[str, float] | None = None
) -> CorrectData:
    """The same with the limits of the fighter's joints."""
    from studio.domain.body.build import build
    from studio.domain.fit.kinematics import Kinematics

    kinematics = Kinematics(build(review.fighter).compile())
    return CorrectData(review, base, layers, kinematics.low, kinematics.high, dict(events or {}))
