"""One try of the gate as a film: what the teacher did, beside what was asked of him."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from studio.app.films import Scene, camera_for, make_scene, places_in
from studio.app.gate import FPS, Film
from studio.schema.body import Body
from studio.schema.variants import Table
from studio.store.project import Project

PANE = (440, 500)
NAMES = ("What he did", "The reference")
INK = (232, 233, 235)


def write_try(path: Path, project: Project, technique: str, film: Film) -> int:
    """Write the MP4 and return its number of frames. Raises :class:`StudioError` where OpenGL cannot be had."""
    from studio.domain.video.writer import write_mp4

    scene = make_scene(project.load(6, technique, Table), project.load(6, technique, Body, "body"))
    return write_mp4(path, _pictures(scene, film), FPS)


def _pictures(scene: Scene, film: Film) -> Iterator[np.ndarray]:
    from studio.domain.gates.world import HOOK, hang_bag
    from studio.domain.picture.dress import dressed_world
    from studio.domain.picture.renderer import FighterRenderer
    from studio.domain.picture.side_by_side import write_words

    model = dressed_world(scene.body, HOOK)
    hang_bag(model, scene.target, scene.direction, air=film.condition == "air")
    bag = model.qpos0[film.reference.shape[1] :]
    camera = camera_for("side", scene, places_in(scene, (film.qpos, film.reference)), *PANE)
    with FighterRenderer(model, *PANE) as renderer:
        for frame, (done, asked) in enumerate(zip(film.qpos, film.reference, strict=True)):
            panes = renderer.draw(done, camera), renderer.draw(np.concatenate([asked, bag]), camera)
            for pane, name in zip(panes, NAMES, strict=True):
                write_words(pane, name, (14, 30), INK)
            write_words(panes[1], f"{frame / FPS:.3f} s", (PANE[0] - 104, 30), INK)
            yield np.hstack(panes)
