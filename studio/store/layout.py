"""Where everything lies in a project. Every path is made here and nowhere else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from studio.schema.errors import StudioError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def checked_name(name: str) -> str:
    """A name that may become a folder. Raises :class:`StudioError` for anything that could lead elsewhere."""
    if not NAME.fullmatch(name) or name.endswith("."):
        raise StudioError(
            f"{name[:80]!r} cannot be a name",
            "a name is up to 64 letters, digits, dots, dashes and underscores, and starts with a letter or digit",
            "Choose another name",
        )
    return name


def checked_file(name: str) -> str:
    """A file name without a folder. Raises :class:`StudioError`."""
    if not name or PurePosixPath(name).name != name or "\\" in name or name.startswith("."):
        raise StudioError(
            f"{name[:80]!r} cannot be a file here", "only a plain file name is allowed", "Correct session.toml"
        )
    return name


def spoken_name(folder: Path) -> str:
    """A folder's name as text that every file can hold, also one whose bytes are no UTF-8."""
    return folder.name.encode("utf-8", "replace").decode()


@dataclass(frozen=True)
class Layout:
    """The tree of one project. A take's subject is "session/take"; a session's and a technique's is its name."""

    root: Path

    @property
    def project_toml(self) -> Path:
        return self.root / "project.toml"

    @property
    def coach_toml(self) -> Path:
        return self.root / "coach.toml"

    @property
    def approvals(self) -> Path:
        return self.root / "approvals.jsonl"

    @property
    def sessions(self) -> Path:
        return self.root / "sessions"

    @property
    def techniques(self) -> Path:
        return self.root / "techniques"

    @property
    def bodies(self) -> Path:
        """Bodies of the project's own, before those that come with the program."""
        return self.root / "bodies"

    @property
    def scratch(self) -> Path:
        """Cache, logs and locks; may be deleted while the project is closed."""
        return self.root / ".studio"

    @property
    def lock(self) -> Path:
        return self.scratch / "lock"

    @property
    def hashes(self) -> Path:
        return self.scratch / "hashes.json"

    def job(self, stage: int, subject: str) -> Path:
        """Who runs a stage right now."""
        return self.scratch / "jobs" / f"{stage}-{subject.replace('/', '+') or 'project'}.json"

    def job_log(self, stage: int, subject: str) -> Path:
        """What a stage's process printed."""
        return self.scratch / "logs" / f"{stage}-{subject.replace('/', '+') or 'project'}.log"

    def solver_log(self, technique: str) -> Path:
        """What the process that solves a technique's layers printed."""
        return self.scratch / "logs" / f"solver-{checked_name(technique)}.log"

    def session(self, session: str) -> Path:
        return self.sessions / checked_name(session)

    def session_toml(self, session: str) -> Path:
        return self.session(session) / "session.toml"

    def rig_toml(self, session: str) -> Path:
        return self.session(session) / "rig.toml"

    def take(self, subject: str) -> Path:
        """The folder of "session/take". Raises :class:`StudioError` where the subject names no take."""
        session, slash, take = subject.partition("/")
        if not slash:
            raise StudioError(f"{subject!r} names no take", "a take is written session/take", "Give both names")
        return self.session(session) / "takes" / checked_name(take)

    def take_toml(self, subject: str) -> Path:
        return self.take(subject) / "take.toml"

    def technique(self, technique: str) -> Path:
        return self.techniques / checked_name(technique)

    def technique_toml(self, technique: str) -> Path:
        return self.technique(technique) / "technique.toml"

    def practice_toml(self, technique: str) -> Path:
        """How its teacher is trained; may be absent."""
        return self.technique(technique) / "practice.toml"

    def layers_toml(self, technique: str) -> Path:
        """The coach's corrections; absent where there are none."""
        return self.technique(technique) / "layers.toml"

    def teachers(self, technique: str) -> Path:
        return self.technique(technique) / "teachers"

    def teacher(self, technique: str, run: str) -> Path:
        """One training: spec.json run.json events.jsonl clips/ snapshots/ gates/."""
        return self.teachers(technique) / checked_name(run)

    def gates(self, technique: str, run: str) -> Path:
        return self.teacher(technique, run) / "gates"

    @property
    def students(self) -> Path:
        return self.root / "students"

    @property
    def student_practice_toml(self) -> Path:
        """How the student is distilled; may be absent."""
        return self.students / "practice.toml"

    def results(self, stage: int, subject: str) -> Path:
        """Where the revisions of stages 1 to 7 and 9 lie; those of stage 8 lie with the teacher (:meth:`gates`)."""
        if stage == 1:
            return self.session(subject) / "capture"
        if stage in (2, 3, 4):
            return self.take(subject) / {2: "keypoints", 3: "points", 4: "body"}[stage]
        if stage in (5, 6, 7):
            return self.technique(subject) / {5: "retarget", 6: "variants", 7: "teachers"}[stage]
        if stage == 9:
            return self.students
        raise ValueError(f"stage {stage} has no results folder of its own")

    def relative(self, path: Path) -> str:
        """A path of the project as it is written in records: relative, with forward slashes."""
        return path.relative_to(self.root).as_posix()

    def absolute(self, relative: str) -> Path:
        """Inverse of :meth:`relative`. Raises :class:`StudioError` for a path that leads out of the project."""
        pure = PurePosixPath(relative)
        if pure.is_absolute() or ".." in pure.parts or not pure.parts or "\\" in relative or "\0" in relative:
            raise StudioError(f"{relative[:80]!r} cannot be used", "it leads out of the project", "Restore the record")
        return self.root.joinpath(*pure.parts)
