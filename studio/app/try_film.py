"""A film of tries: what was done, side by side with what was asked or with what another policy did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from studio.app.films import BAG_JOINTS, Scene, camera_for, make_scene, places_in
from studio.app.gate import FPS
from studio.schema.body import Body
from studio.schema.variants import Table
from studio.store.project import Project

PANE = (440, 500)
INK = (232, 233, 235)

Track = tuple[str, np.ndarray]
"""The words of a pane and its motion at :data:`FPS`: (T, nq) of the world, or (T, 7 + n) of the fighter by a bag at
rest."""


def write_tries(path: Path, project: Project, technique: str, tracks: Sequence[Track], air: bool = False) -> int:
    """Write the MP4, a pane per track, up to the end of the shortest; returns its number of frames.

    Raises :class:`StudioError` where OpenGL cannot be had.
    """
    from studio.domain.video.writer import write_mp4

    scene = make_scene(project.load(6, technique, Table), project.load(6, technique, Body, "body"))
    return write_mp4(path, _pictures(scene, tracks, air), FPS)


def _pictures(scene: Scene, tracks: Sequence[Track], air: bool) -> Iterator[np.ndarray]:
    from studio.domain.gates.world import HOOK, hang_bag
    from studio.domain.picture.dress import dressed_world
    from studio.domain.picture.renderer import FighterRenderer
    from studio.domain.picture.side_by_side import write_words

    model = dressed_world(scene.body, HOOK)
    hang_bag(model, scene.target, scene.direction, air=air)
    still = model.qpos0[-BAG_JOINTS:]
    camera = camera_for("side", scene, places_in(scene, tuple(motion for _, motion in tracks)), *PANE)
    with FighterRenderer(model, *PANE) as renderer:
        for frame in range(min(len(motion) for _, motion in tracks)):
            panes = []
            for name, motion in tracks:
                qpos = motion[frame]
                whole = qpos if len(qpos) == model.nq else np.concatenate([qpos, still])
                panes.append(renderer.draw(whole, camera))
                write_words(panes[-1], name, (14, 30), INK)
            write_words(panes[-1], f"{frame / FPS:.3f} s", (PANE[0] - 104, 30), INK)
            yield np.hstack(panes)
