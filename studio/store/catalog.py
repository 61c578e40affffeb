"""The nine stages as the disk sees them: whose they are, what they read, with which parameters, who must look."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.schema.errors import StudioError
from studio.schema.resources import resource
from studio.schema.session import Practice
from studio.schema.technique import kind_of
from studio.store import reading
from studio.store.skills import SkillSource, skill_sources

if TYPE_CHECKING:
    from studio.store.project import Project


STUDENT_NEEDS = 2
"""Adopted teachers that a student is made of."""


@dataclass(frozen=True)
class Upstream:
    """An earlier stage that must be finished first. ``reads``: the files of its newest good revision are inputs."""

    stage: int
    subject: str
    reads: bool = True


@dataclass(frozen=True)
class Inputs:
    """What one run depends on: earlier stages, other ``files`` of the project, and ``parameters`` (plain data).

    ``missing``: what else there must be before it can run at all, as a clause; empty where nothing is.
    """

    upstream: tuple[Upstream, ...] = ()
    files: tuple[Path, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    missing: str = ""


@dataclass(frozen=True)
class Declaration:
    """One stage. ``version`` is raised whenever the same inputs would give another result; ``eyes``: it ends with
    the coach, and nothing builds on it before; ``kind``: session, take, technique or project."""

    number: int
    key: str
    title: str
    kind: str
    version: int
    eyes: bool
    inputs: Callable[[Project, str], Inputs]


def body_file(project: Project, name: str) -> Path:
    """The measures of a body: the project's own before those of the program. Raises :class:`StudioError`."""
    own = project.layout.bodies / f"{name}.toml"
    if own.exists():
        return own
    try:
        return resource("bodies", f"{name}.toml")
    except FileNotFoundError:
        known = ", ".join(sorted(path.stem for path in resource("bodies").glob("*.toml")))
        raise StudioError(f"Body {name!r} is not known", f"there are {known}", "Correct technique.toml") from None


def chosen_practice(project: Project, technique: str) -> Practice:
    """A technique's practice.toml, or the quick preset with the program's seed."""
    path = project.layout.practice_toml(technique)
    return reading.read_toml(Practice, path) if path.exists() else Practice(seed=_seeds()["teacher"])


def practice(project: Project, technique: str) -> Practice:
    """How a technique's teacher is trained: what was chosen, with the technique's number in the observation, where the
    project gave it one."""
    found, slot = chosen_practice(project, technique), project.info.slots.get(technique)
    return found if slot is None else replace(found, settings={**found.settings, "slot": slot})


def student_practice(project: Project) -> Practice:
    """How the student is distilled: the project's students/practice.toml, or the program's preset and seed."""
    path = project.layout.student_practice_toml
    if path.exists():
        return reading.read_toml(Practice, path)
    seeds = tomllib.loads(reading.read_text(resource("training", "student.toml")))["seeds"]
    return Practice(preset="student", seed=seeds["student"])


def gate_seeds() -> tuple[int, ...]:
    """The fixed seeds of every gate."""
    return tuple(_seeds()["gate"])


@cache
def _seeds() -> dict[str, Any]:
    return tomllib.loads(reading.read_text(resource("training", "presets.toml")))["seeds"]


def _capture(project: Project, session: str) -> Inputs:
    layout, declared = project.layout, project.session(session)
    folder = layout.session(session)
    videos = tuple(
        layout.take(f"{session}/{take.name}") / name for take in declared.takes for name in take.files.values()
    )
    return Inputs(files=(layout.session_toml(session), folder / declared.calibration, *videos))


def _keypoints(project: Project, take: str) -> Inputs:
    declared, folder = project.declared_take(take), project.layout.take(take)
    files = tuple(folder / name for name in (*declared.files.values(), *declared.keypoints.values()))
    return Inputs(_captured(take), (project.layout.take_toml(take), *files))


def _space(project: Project, take: str) -> Inputs:
    files = (project.layout.rig_toml(take.partition("/")[0]), project.layout.take_toml(take))
    declared = project.declared_take(take)
    cut = {"start_s": declared.start_s, "end_s": declared.end_s} if declared.sync.method == "sound" else {}
    return Inputs((*_captured(take), Upstream(2, take)), files, cut)


def _captured(take: str) -> tuple[Upstream, ...]:
    """A take reads only its own part of what stage 1 made, so that another take of the session changes nothing."""
    return (Upstream(1, take.partition("/")[0], reads=False),)


def _skeleton(project: Project, take: str) -> Inputs:
    return Inputs((Upstream(3, take),), (project.layout.coach_toml,))


def _retarget(project: Project, technique: str) -> Inputs:
    wanted = project.technique(technique)
    take = f"{wanted.session}/{wanted.take}"
    if take not in project.takes():
        there = ", ".join(project.takes()) or "none"
        raise StudioError(f"Technique {technique} has no take {take}", f"there are {there}", "Correct technique.toml")
    layers = project.layout.layers_toml(technique)
    files = (layers,) if layers.exists() else ()
    return Inputs((Upstream(4, take),), files, {"take": take, **_body(project, wanted.body)})


def _variants(project: Project, technique: str) -> Inputs:
    body = _body(project, project.technique(technique).body)
    return Inputs((Upstream(5, technique),), (project.layout.technique_toml(technique),), body)


def _teacher(project: Project, technique: str) -> Inputs:
    wanted, asked = practice(project, technique), project.technique(technique)
    parameters = {"preset": wanted.preset, "seed": wanted.seed, "settings": wanted.settings}
    parameters |= _resources(
        project, presets=("training", "presets.toml"), rewards=("rewards", f"{kind_of(asked.striker)}.toml")
    )
    return Inputs((Upstream(6, technique),), (), {**parameters, **_body(project, asked.body)})


def _gate(project: Project, technique: str) -> Inputs:
    asked = project.technique(technique)
    rules = _resources(project, rules=("gates", f"{kind_of(asked.striker)}.toml"))
    parameters = {"seeds": list(gate_seeds()), **rules, **_body(project, asked.body)}
    return Inputs((Upstream(6, technique), Upstream(7, technique)), (), parameters)


def _student(project: Project, _: str) -> Inputs:
    """Every skill's table, who hands it on, and his gate to compare with; as many teachers as it takes to merge."""
    sources = skill_sources(project)
    taught = [source.technique for source in sources if source.teacher]
    missing = ""
    if len(taught) < STUDENT_NEEDS:
        missing = f"it needs two adopted teachers, there is {', '.join(taught) or 'none'}"
    upstream = [Upstream(stage, name) for name in taught for stage in (8, 7, 6)]
    upstream += [Upstream(6, source.technique) for source in sources if not source.teacher]
    files = tuple(source.policy for source in sources if not source.teacher)
    return Inputs(tuple(upstream), files, _student_parameters(project, sources), missing)


def _student_parameters(project: Project, sources: tuple[SkillSource, ...]) -> dict[str, Any]:
    wanted = student_practice(project)
    kinds = {kind_of(project.technique(source.technique).striker) for source in sources}
    rules = {f"rules_{kind}": ("gates", f"{kind}.toml") for kind in sorted(kinds)}
    return {
        "preset": wanted.preset,
        "seed": wanted.seed,
        "settings": wanted.settings,
        "seeds": list(gate_seeds()),
        "evaluation_seeds": list(_seeds()["evaluation"]),
        **_resources(project, presets=("training", "student.toml"), **rules),
    }


def _body(project: Project, name: str) -> dict[str, Any]:
    return {"body": name, "body_sha256": project.hashes.of(body_file(project, name))}


def _resources(project: Project, **parts: tuple[str, ...]) -> dict[str, str]:
    """Files of the program that shape a result, by what they are, as hashes."""
    return {name: project.hashes.of(resource(*path)) for name, path in parts.items()}


CATALOG = (
    Declaration(1, "capture", "Capture", "session", 1, False, _capture),
    Declaration(2, "keypoints", "Keypoints", "take", 1, False, _keypoints),
    Declaration(3, "space", "Sync and 3D", "take", 3, False, _space),
    Declaration(4, "skeleton", "Skeleton", "take", 2, False, _skeleton),
    Declaration(5, "retarget", "Retarget", "technique", 3, True, _retarget),
    Declaration(6, "variants", "Variants", "technique", 1, True, _variants),
    Declaration(7, "teacher", "Teacher", "technique", 2, True, _teacher),
    Declaration(8, "gate", "Gate", "technique", 2, True, _gate),
    Declaration(9, "student", "Student", "project", 1, True, _student),
)


def declaration(stage: int) -> Declaration:
    """One of the nine. Raises :class:`StudioError` for another number."""
    if not 1 <= stage <= len(CATALOG):
        raise StudioError(f"There is no stage {stage}", "stages are numbered 1 to 9", "Choose one of them")
    return CATALOG[stage - 1]
