"""What a walkthrough leaves behind: tables, films and pictures of a finished project."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from studio.cli import gate
from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.layers import Knot, Layer, Layers
from studio.schema.training import GateTable
from studio.store import atomic
from studio.store.project import Project

LEAN = Layer("upright", "chest_pitch", 0.0, 0.0, words="He leans back too far: the chest forward by eight degrees.")
LEAN_RAD, LEAN_S = float(np.radians(8.0)), 0.35
"""The correction that is shown, about the middle of the take: how far, and how long before and after."""

MARGIN_S, PANE = 0.15, (480, 405)
"""Its film: seconds before and after the correction, and a pane's size (px)."""


def gate_table(project: Project, technique: str, out: Path) -> str:
    """The gate's answer for people and for programs."""
    table = project.load(8, technique, GateTable, "table")
    atomic.write_json(out / f"gate-{technique}.json", document(table))
    atomic.write_bytes(out / f"gate-{technique}.txt", ("\n".join(gate.lines(table)) + "\n").encode())
    return "passed" if table.passed else "not passed"


def try_film(project: Project, technique: str, out: Path) -> str:
    """The first judged try of the adopted teacher, beside what was asked of him."""
    from studio.app.gate import play_cell
    from studio.app.try_film import write_tries

    table = project.load(8, technique, GateTable, "table")
    condition = _condition(table)
    film = play_cell(project, technique, condition, table.seeds[0])
    tracks = (("The teacher", film.qpos), ("The reference", film.reference))
    frames = write_tries(out / f"gate-{technique}.mp4", project, technique, tracks, air=condition == "air")
    return _told(f"gate-{technique}.mp4", frames)


def student_film(project: Project, technique: str, out: Path) -> str:
    """The student beside the teacher of one skill, from the same start."""
    from studio.app.student import play_try, read_distilled
    from studio.app.try_film import write_tries

    distilled = read_distilled(project)
    skill = distilled.skill(technique) if distilled else None
    if skill is None:
        raise StudioError(f"The student's {technique} cannot be filmed", "no student has learned it", "Run stage 9")
    who = (("The student", skill.student), ("His teacher", skill.teacher))
    seed, condition = skill.student.gate.seeds[0], _condition(skill.student.gate)
    tracks = [(name, play_try(project, technique, policy.path, condition, seed).qpos) for name, policy in who]
    frames = write_tries(out / f"student-{technique}.mp4", project, technique, tracks, air=condition == "air")
    return _told(f"student-{technique}.mp4", frames)


def side_by_side(project: Project, technique: str, out: Path) -> str:
    """Both phones' videos beside the fighter."""
    from studio.app.review_data import load_review
    from studio.domain.picture.side_by_side import Film, write_side_by_side

    data = load_review(project, technique)
    film = Film(data.take, data.files, data.rig, data.fighter, data.retarget.motion)
    return _told("side-by-side.mp4", write_side_by_side(out / "side-by-side.mp4", film))


def correction(project: Project, technique: str, out: Path) -> str:
    """A layer is drawn, stage 5 applies it, it is filmed with the motion before as a ghost, and it is taken back: what
    was approved must be approved still. Raises :class:`StudioError` where it is not."""
    from dataclasses import replace

    from studio.app.review_data import load_review
    from studio.domain.picture.side_by_side import Film, write_side_by_side
    from studio.ui.gallery import write_gallery

    kept = project.layers(technique)
    before, plain = project.states(), project.reference(technique)
    middle = plain.start_s + len(plain.qpos) / plain.fps / 2
    drawn = replace(LEAN, start_s=middle - LEAN_S, end_s=middle + LEAN_S, knots=(Knot(middle, LEAN_RAD),))
    try:
        project.write_layers(technique, Layers((*kept.layers, drawn)))
        _stage_5(project, technique)
        list(write_gallery(project.layout.root, out / "pages", ("correct",)))
        data = load_review(project, technique)
        part = np.abs(plain.motion.times - middle) <= LEAN_S + MARGIN_S
        motion = replace(
            data.retarget.motion, qpos=data.retarget.qpos[part], start_s=float(plain.motion.times[part][0])
        )
        film = Film(data.take, data.files, data.rig, data.fighter, motion, plain.qpos[part])
        frames = write_side_by_side(out / "correct.mp4", film, PANE)
    finally:
        project.write_layers(technique, kept)
    _stage_5(project, technique)
    after = [(state.stage, state.subject, state.state) for state in project.states()]
    if after != [(state.stage, state.subject, state.state) for state in before]:
        raise StudioError("The correction was not taken back", "a later stage is no longer up to date", "Report it")
    return _told("correct.mp4", frames)


def pages(folder: Path, out: Path) -> str:
    """A picture of every page in each look."""
    from studio.ui.gallery import PAGES, write_gallery

    return f"{len(list(write_gallery(folder, out / 'pages', PAGES)))} pictures in pages"


def _condition(table: GateTable) -> str:
    """On the bag where there is something to hit, else in the air."""
    return "bag" if "bag" in table.trajectory_sha256 else "air"


def _stage_5(project: Project, technique: str) -> None:
    from studio.jobs.events import Failed
    from studio.jobs.run import StageJob

    last = StageJob(project, 5, technique).run(lambda progress: None)
    if isinstance(last, Failed):
        raise last.error


def _told(name: str, frames: int) -> str:
    return f"{name}, {frames} frames"
