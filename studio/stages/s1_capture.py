"""Stage 1: the phones' videos and their calibration become a rig and takes with true timestamps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from studio.domain.time import common_time
from studio.schema.camera import Rig
from studio.schema.errors import StudioError
from studio.schema.session import DeclaredTake, Session
from studio.schema.take import Take, Video
from studio.stages.stage import Context, Result

if TYPE_CHECKING:
    from studio.domain.video.index import VideoIndex

PHONES = ("a", "b")


def run(context: Context) -> Result:
    """Index every video, tie the lenses to the phones, and write rig.toml and each take.toml."""
    project, session = context.project, context.project.session(context.subject)
    indices: dict[str, dict[str, VideoIndex]] = {}
    for number, take in enumerate(session.takes):
        context.progress(number / len(session.takes), f"Reading the videos of {take.name}")
        indices[take.name] = _indices(project.layout.take(f"{session.name}/{take.name}"), take)
    rig = _rig(project.layout.session(session.name), session, indices)
    places: dict[Path, object] = {project.layout.rig_toml(session.name): rig}
    for take in session.takes:
        subject = f"{session.name}/{take.name}"
        hashes = {phone: project.hashes.of(project.layout.take(subject) / name) for phone, name in take.files.items()}
        places[project.layout.take_toml(subject)] = _take(session.name, take, indices[take.name], hashes)
    context.progress(1.0, "Videos and calibration read")
    return Result(places=places, summary=_summary(session, rig, indices))


def _indices(folder: Path, take: DeclaredTake) -> dict[str, VideoIndex]:
    from studio.domain.video.index import index_video

    if set(take.files) != set(PHONES):
        raise StudioError(
            f"Take {take.name} cannot be used", f"it names the phones {', '.join(take.files) or 'none'}", "Name a and b"
        )
    if len(set(take.files.values())) < len(PHONES):
        raise StudioError(
            f"Take {take.name} cannot be used",
            "both phones name the same video",
            "Correct session.toml",
        )
    return {phone: index_video(folder / take.files[phone]) for phone in PHONES}


def _rig(folder: Path, session: Session, indices: dict[str, dict[str, VideoIndex]]) -> Rig:
    """The lenses of the phones. Every take must have been filmed at one size."""
    from studio.domain.cameras.calibration import read_calibration, to_rig

    if not session.takes:
        raise StudioError(f"Session {session.name} has no take", "session.toml names none", "Film or import one")
    known = {camera.name: camera for camera in read_calibration(folder / session.calibration)}
    for phone in PHONES:
        if session.phones.get(phone) not in known:
            raise StudioError(
                f"Phone {phone} has no calibration",
                f"{session.calibration} knows {', '.join(known)}, not {session.phones.get(phone)!r}",
                "Correct session.toml",
            )
    if len({session.phones[phone] for phone in PHONES}) < len(PHONES):
        raise StudioError(
            f"Session {session.name} cannot be used", "both phones name the same camera", "Correct session.toml"
        )
    sizes = {take: {p: (i.width, i.height) for p, i in found.items()} for take, found in indices.items()}
    rigs = [to_rig({phone: known[session.phones[phone]] for phone in PHONES}, size) for size in sizes.values()]
    if any(size != next(iter(sizes.values())) for size in sizes.values()):
        raise StudioError(
            f"Session {session.name} cannot be used", "its takes have different picture sizes", "Split the session"
        )
    return rigs[0]


def _take(session: str, declared: DeclaredTake, found: dict[str, VideoIndex], hashes: dict[str, str]) -> Take:
    videos = tuple(
        Video(
            phone=phone,
            file=declared.files[phone],
            sha256=hashes[phone],
            width=index.width,
            height=index.height,
            fps=index.fps,
            frames=index.frames,
            duration_s=index.duration_s,
            rotation=index.rotation,
        )
        for phone, index in found.items()
    )
    known = {"a": found["a"]} if declared.sync.method == "sound" else found  # stage 3 will hear when b was filming
    own = [common_time(declared.sync, phone, index.pts[[0, -1]]) for phone, index in known.items()]
    first, last = max(0.0, *(float(times[0]) for times in own)), min(float(times[1]) for times in own)
    start = first if declared.start_s is None else max(first, declared.start_s)
    end = last if declared.end_s is None else min(last, declared.end_s)
    if end <= start:
        raise StudioError(
            f"Take {declared.name} is empty", f"it would last from {start:.2f} to {end:.2f} s", "Correct session.toml"
        )
    return Take(declared.name, session, videos, declared.sync, start, end)


def _summary(session: Session, rig: Rig, indices: dict[str, dict[str, VideoIndex]]) -> dict[str, object]:
    first = next(iter(indices.values()))["a"]
    return {
        "takes": len(session.takes),
        "phones": len(rig.cameras),
        "width": first.width,
        "height": first.height,
        "fps": round(first.fps, 3),
        "frames": first.frames,
        "notes": list(rig.notes),
    }
