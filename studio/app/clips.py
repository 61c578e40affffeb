"""Reading a training's clips and the world they were recorded in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.app.films import Scene, make_scene
from studio.schema.body import Body
from studio.schema.errors import StudioError
from studio.schema.training import Clip
from studio.schema.variants import Table
from studio.store import reading
from studio.store.project import Project


def read_clip(path: Path) -> Clip:
    """One clip. Raises :class:`StudioError` for a file that is damaged or whose arrays do not belong together."""
    clip = reading.read_arrays(Clip, path)
    if clip.qpos.ndim != 2 or clip.reference.ndim != 2 or len(clip.qpos) != len(clip.reference) or not len(clip.qpos):
        raise StudioError("A clip cannot be shown", f"{path.name} is not a recording", "Train again")
    return clip


Span = tuple[float, float]
LANES = (("heel_l",), ("ball_in_l", "ball_out_l"), ("heel_r",), ("ball_in_r", "ball_out_r"))


@dataclass(frozen=True, eq=False)
class Ground:
    """Where a technique's films play: the scene, when each heel and ball of the reference stands (s from the films'
    start; left heel, left ball, right heel, right ball), and when it hits."""

    scene: Scene
    contacts: tuple[tuple[Span, ...], ...]
    impact_s: float


def read_ground(project: Project, technique: str) -> Ground:
    """The world of a technique's films. Raises :class:`StudioError` before stage 6 has a result."""
    table = project.load(6, technique, Table)
    scene = make_scene(table, project.load(6, technique, Body, "body"))
    return Ground(scene, contact_spans(table), table.impact_frame / table.fps)


def contact_spans(table: Table) -> tuple[tuple[Span, ...], ...]:
    """When each of the four parts of the soles stands, s from the table's first frame."""
    columns = [[k for k, name in enumerate(table.soles) if name in names] for names in LANES]
    return tuple(_spans(np.any(table.contacts[:, lane], axis=1), table.fps) for lane in columns)


def _spans(on: np.ndarray, fps: float) -> tuple[Span, ...]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], on.astype(int), [0]])))
    return tuple((float(a / fps), float(b / fps)) for a, b in zip(edges[::2], edges[1::2], strict=True))
