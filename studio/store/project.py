"""One project on disk: its pages, revisions, states and verdicts."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from studio.domain.body.hinges import hinge_names
from studio.domain.layers.rules import checked
from studio.domain.sync.overlap import with_sync
from studio.schema.camera import Rig
from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.layers import Layers
from studio.schema.lineage import Approval
from studio.schema.motion import Retarget
from studio.schema.project import Coach, ProjectInfo
from studio.schema.session import DeclaredTake, Session
from studio.schema.take import Sync, Take
from studio.schema.technique import Technique
from studio.store import approvals, atomic, reading, revisions
from studio.store.catalog import declaration
from studio.store.hashes import Hashes
from studio.store.layout import Layout, checked_file, checked_name
from studio.store.lock import ProjectLock
from studio.store.revisions import Revision
from studio.store.states import StageState, States

T = TypeVar("T")


@contextlib.contextmanager
def _readable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StudioError(f"{folder} cannot be read", why, "Check the folder's permissions") from None


@contextlib.contextmanager
def fresh_folder(root: Path) -> Iterator[None]:
    """A new or empty folder in which a project is made; left as it was where that fails.

    Raises :class:`StudioError` where something lies there.
    """
    there = root.exists()
    if there and (not root.is_dir() or any(root.iterdir())):
        why = "the folder is not empty" if root.is_dir() else "it is a file"
        raise StudioError(f"{root} cannot become a project", why, "Choose another folder")
    try:
        yield
    except BaseException:
        for path in root.iterdir() if root.is_dir() else ():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        if not there:
            with contextlib.suppress(OSError):
                root.rmdir()
        raise


class Project:
    """A folder with a project.toml. Nothing of it is kept in memory but its two pages and the hashes of its files."""

    def __init__(self, layout: Layout, info: ProjectInfo, coach: Coach) -> None:
        self.layout = layout
        self.info = info
        self.coach = coach
        self.hashes = Hashes(layout.hashes)

    @classmethod
    def open(cls, path: Path | str) -> Project:
        """Open a project without changing anything. Raises :class:`StudioError`, also for one of a newer schema."""
        layout = Layout(Path(path).resolve())
        with _readable(layout.root):
            there = layout.project_toml.is_file()
        if not there:
            raise StudioError(
                f"{path} cannot be opened", "there is no project.toml in it", "Choose a project's folder, or make one"
            )
        info = reading.read_toml(ProjectInfo, layout.project_toml)
        return cls(layout, info, reading.read_toml(Coach, layout.coach_toml))

    @classmethod
    def create(cls, path: Path | str, info: ProjectInfo, coach: Coach) -> Project:
        """Make a project in a new or empty folder. Raises :class:`StudioError` where something lies there."""
        layout = Layout(Path(path).resolve())
        with fresh_folder(layout.root):
            atomic.write_toml(layout.coach_toml, document(coach), new=True)
            atomic.write_toml(layout.project_toml, document(info), new=True)
        return cls(layout, info, coach)

    def lock(self) -> ProjectLock:
        """The project's lock, not yet taken: ``with project.lock():``."""
        return ProjectLock(self.layout.lock)

    def sessions(self) -> tuple[str, ...]:
        """Names of the sessions."""
        return self._named(self.layout.sessions, "session.toml")

    def takes(self) -> tuple[str, ...]:
        """Every take as "session/take"."""
        return tuple(f"{name}/{take.name}" for name in self.sessions() for take in self.session(name).takes)

    def techniques(self) -> tuple[str, ...]:
        """Names of the techniques."""
        return self._named(self.layout.techniques, "technique.toml")

    def subjects(self, stage: int) -> tuple[str, ...]:
        """Everything a stage can run for."""
        kinds = {"session": self.sessions, "take": self.takes, "technique": self.techniques, "project": lambda: ("",)}
        return kinds[declaration(stage).kind]()

    def session(self, name: str) -> Session:
        """What was declared about a session. Raises :class:`StudioError`."""
        session = reading.read_toml(Session, self.layout.session_toml(name))
        checked_file(session.calibration)
        taken: set[str] = set()
        for take in session.takes:
            if checked_name(take.name) in taken:
                raise StudioError(
                    f"Session {name} cannot be used", f"it names take {take.name} twice", "Correct session.toml"
                )
            taken.add(take.name)
            for phone, file in (*take.files.items(), *take.keypoints.items()):
                checked_name(phone)
                checked_file(file)
        return replace(session, name=name)

    def declared_take(self, subject: str) -> DeclaredTake:
        """One take of a session as it was declared. Raises :class:`StudioError`."""
        session, _, name = subject.partition("/")
        for take in self.session(session).takes:
            if take.name == name:
                return take
        raise StudioError(
            f"There is no take {subject!r}", f"session.toml of {session} does not name it", "Name another"
        )

    def filmed_take(self, subject: str) -> Take:
        """A take as stage 1 found it, "session/take". Raises :class:`StudioError` before stage 1 ran."""
        return reading.read_toml(Take, self.layout.take_toml(subject))

    def take(self, subject: str) -> Take:
        """A take with the sync that stage 3 found in its sound, where that is how it is synchronised and was found,
        and then with its in and out on that clock. Raises :class:`StudioError` before stage 1 ran."""
        take = self.filmed_take(subject)
        if take.sync.method != "sound":
            return take
        revision = self.revision(3, subject)
        if revision is None or not revision.data("sync", "toml").exists():
            return take
        return with_sync(take, self.declared_take(subject), self.load(3, subject, Sync, "sync"))

    def rig(self, session: str) -> Rig:
        """The calibrated phones of a session. Raises :class:`StudioError` before stage 1 ran."""
        return reading.read_toml(Rig, self.layout.rig_toml(session))

    def technique(self, name: str) -> Technique:
        """What is being taught. Raises :class:`StudioError`."""
        technique = reading.read_toml(Technique, self.layout.technique_toml(name))
        for part in (technique.session, technique.take, technique.body):
            checked_name(part)
        return replace(technique, name=name)

    def layers(self, technique: str) -> Layers:
        """The coach's corrections of a technique, none where nothing is written. Raises :class:`StudioError`."""
        path = self.layout.layers_toml(technique)
        if not path.exists():
            return Layers()
        return checked(reading.read_toml(Layers, path), hinge_names())

    def write_layers(self, technique: str, layers: Layers) -> None:
        """Keep the coach's corrections; the file goes with the last of them. Equal layers make equal bytes.

        Raises :class:`StudioError` for layers that cannot be used and where the disk does not let itself be written.
        """
        path = self.layout.layers_toml(technique)
        if checked(layers, hinge_names()).layers:
            atomic.write_toml(path, document(layers))
        else:
            atomic.remove(path)

    def results(self, stage: int, subject: str) -> Path:
        """The folder of a stage's revisions; stage 8's is that of the adopted teacher, or else of the newest."""
        if stage != 8:
            return self.layout.results(stage, subject)
        try:
            run = self.adopted(subject).relative_to(self.layout.teachers(subject)).parts[0]
        except StudioError:
            teacher = self.revision(7, subject)
            run = f"r{teacher.number if teacher else 1}"
        return self.layout.gates(subject, run)

    def revisions(self, stage: int, subject: str) -> tuple[Revision, ...]:
        """Every run of a stage, failed ones too, in order."""
        return revisions.list_revisions(self.results(stage, subject))

    def revision(self, stage: int, subject: str) -> Revision | None:
        """The newest good run of a stage, whether or not it is up to date."""
        return next((r for r in reversed(self.revisions(stage, subject)) if r.good), None)

    def load(self, stage: int, subject: str, cls: type[T], part: str = "") -> T:
        """One part of the newest good result. Raises :class:`StudioError` where there is none."""
        revision = self.revision(stage, subject)
        if revision is None:
            raise StudioError(
                f"{declaration(stage).title} of {subject} cannot be shown", "it has not run", f"Run stage {stage}"
            )
        for kind, read in (("npz", reading.read_arrays), ("toml", reading.read_toml), ("json", reading.read_json)):
            path = revision.data(part, kind)
            if path.exists() and path != revision.path:
                return read(cls, self._unchanged(revision, path))
        return reading.read_arrays(cls, revision.data(part))

    def reference(self, technique: str) -> Retarget:
        """The fighter's motion as it is shown, varied and taught: the retarget with the coach's layers, as stage 5 made
        it last. What was made before there were layers has none. Raises :class:`StudioError` where there is none."""
        revision = self.revision(5, technique)
        apart = revision is not None and revision.data("reference").exists()
        return self.load(5, technique, Retarget, "reference" if apart else "")

    def _unchanged(self, revision: Revision, path: Path) -> Path:
        """The file of a result, if its bytes are those that the record names."""
        name, record = self.layout.relative(path), revision.record
        if self.hashes.of(path) != record.outputs.get(name):
            raise StudioError(
                f"{name} cannot be used",
                f"stage {record.stage} wrote something else",
                f"Run stage {record.stage} again",
            )
        return path

    def state(self, stage: int, subject: str) -> StageState:
        """The state of one stage now."""
        return States(self).of(stage, subject)

    def states(self) -> tuple[StageState, ...]:
        """The whole rail: every stage for each of its subjects, in the order of the stages."""
        states = States(self)
        rail = tuple(states.of(stage, subject) for stage in range(1, 10) for subject in self.subjects(stage))
        self.hashes.save()
        return rail

    def verdicts(self) -> approvals.Verdicts:
        """Everything the coach said."""
        return approvals.read_approvals(self.layout.approvals)

    def approve(
        self,
        stage: int,
        subject: str,
        words: str = "",
        *,
        automatic: bool = False,
        choice: str = "",
        verdict: str = "approved",
    ) -> Approval:
        """Record a verdict on the newest good result. ``choice``: for stage 7 the snapshot, left out: the last one.

        Raises :class:`StudioError` where there is nothing to look at, or it is not up to date.
        """
        revision, state = self.revision(stage, subject), self.state(stage, subject)
        if revision is None or state.state not in ("needs your eyes", "approved"):
            why = state.why or f"it is {state.state}"
            raise StudioError(f"{declaration(stage).title} of {subject} cannot be approved", why, f"Run stage {stage}")
        if stage == 7:
            choice = choice or next(reversed(self.snapshots(subject)), "")
            if choice not in self.snapshots(subject):
                raise StudioError(
                    f"Snapshot {choice!r} cannot be adopted", "it is no snapshot of the newest run", "Choose another"
                )
        approval = Approval(stage, subject, revision.fingerprint, verdict, words, approvals.now(), automatic, choice)
        approvals.append(self.layout.approvals, approval)
        return approval

    def snapshots(self, technique: str) -> tuple[str, ...]:
        """The newest teacher's saved policies, oldest first, as paths in the project."""
        revision = self.revision(7, technique)
        files = revision.record.files if revision else ()
        return tuple(name for name in files if "/snapshots/" in name and name.endswith(".onnx"))

    def adopted(self, technique: str) -> Path:
        """The snapshot the coach adopted. Raises :class:`StudioError` where none holds."""
        revision = self.revision(7, technique)
        verdict = self.verdicts().latest(7, technique, revision.fingerprint) if revision else None
        if verdict is None or verdict.verdict != "approved" or not verdict.choice:
            raise StudioError(f"No snapshot of {technique} is adopted", "stage 7 waits for your eyes", "Adopt one")
        return self.layout.absolute(verdict.choice)

    @staticmethod
    def _named(folder: Path, page: str) -> tuple[str, ...]:
        with _readable(folder):
            if not folder.is_dir():
                return ()
            names = [path.name for path in folder.iterdir() if (path / page).is_file()]
        return tuple(sorted(name for name in names if not name.startswith(".")))
