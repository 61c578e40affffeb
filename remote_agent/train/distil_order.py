"""A distillation's folder: what a student is given. Every file is the one that the spec names by its hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from remote_agent.train.run import MAX_JSON, MAX_TABLE, read_bytes, read_plain, read_table
from studio.domain.gates.rollout import Scene, make_scene
from studio.domain.policy.network import MAX_BYTES, Weights, open_weights
from studio.domain.policy.observation import ObservationLayout, Skill, make_layout, require_equal
from studio.domain.policy.reference import make_reference
from studio.schema.body import Body
from studio.schema.errors import StudioError
from studio.schema.training import SkillSpec, StudentSpec

NEEDED = 2
"""Skills that a student is made of at least."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """One technique to take over: ``skill`` as its teacher knows it, the ``scene`` it is practised in, and the
    teacher's ``weights``."""

    skill: Skill
    scene: Scene
    weights: Weights


@dataclass(frozen=True, eq=False)
class DistilOrder:
    """The order: ``spec`` and one lesson per skill, all of one ``layout``; results go under ``out``."""

    folder: Path
    spec: StudentSpec
    lessons: tuple[Lesson, ...]
    layout: ObservationLayout

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def relative(self, path: Path) -> str:
        """A path as the events name it, from the run's folder."""
        return path.relative_to(self.folder).as_posix()


def read_distil_order(folder: Path) -> DistilOrder:
    """Read spec.json and the files of every skill. Raises :class:`StudioError` naming what does not fit: a file of
    another hash, a teacher of something else, of another observation layout, or in a slot that is taken."""
    spec = read_plain(folder / "spec.json", StudentSpec)
    if len(spec.skills) < NEEDED:
        raise _refuse(f"it needs {NEEDED} skills, there are {len(spec.skills)}", "Teach a second technique")
    lessons = tuple(_lesson(folder, number, skill) for number, skill in enumerate(spec.skills, 1))
    layout = lessons[0].scene.layout
    for lesson in lessons[1:]:
        require_equal(lesson.scene.layout, layout, f"The teacher of {lesson.skill.technique}")
    _tell_apart([lesson.skill for lesson in lessons])
    return DistilOrder(folder, spec, lessons, layout)


def _tell_apart(skills: list[Skill]) -> None:
    for one, other in combinations(skills, 2):
        if one.technique == other.technique:
            raise _refuse(f"{one.technique} is named twice", "Correct the order")
        if one.slot == other.slot:
            raise _refuse(
                f"{one.technique} and {other.technique} have the same number {one.slot} in the observation",
                "Give each technique its own number in project.toml and train again",
            )


def _lesson(folder: Path, number: int, wanted: SkillSpec) -> Lesson:
    for name, limit, sha in (
        (f"table-{number}.npz", MAX_TABLE, wanted.table_sha256),
        (f"body-{number}.json", MAX_JSON, wanted.body_sha256),
        (f"teacher-{number}.onnx", MAX_BYTES, wanted.teacher_sha256),
    ):
        if hashlib.sha256(read_bytes(folder / name, limit)).hexdigest() != sha:
            raise _refuse(f"{name} is not the one that was ordered", "Start it again")
    table = read_table(folder / f"table-{number}.npz")
    body = read_plain(folder / f"body-{number}.json", Body)
    card, weights = open_weights(folder / f"teacher-{number}.onnx")
    skill = card.skill(wanted.technique)
    if table.technique != wanted.technique or skill is None or skill.striker != table.striker:
        raise _refuse(f"teacher-{number}.onnx was not taught {wanted.technique}", "Choose a snapshot of this technique")
    reference = make_reference(table, body)
    require_equal(card.layout, make_layout(reference.joints, card.layout.hidden), f"The teacher of {wanted.technique}")
    return Lesson(skill, make_scene(body, reference, card.layout, skill.slot), weights)


def _refuse(why: str, next_step: str) -> StudioError:
    return StudioError("The distillation cannot start", why, next_step)
