"""Stage 2: the best detector at hand finds the coach in every frame of both phones, or finished keypoints are taken."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from studio.schema.errors import StudioError
from studio.schema.keypoints import HALPE_26, Keypoints
from studio.schema.session import DeclaredTake
from studio.schema.take import Take, Video
from studio.stages.stage import Context, Result
from studio.store import reading

CLOCK_S = 1e-4
"""How far the times of keypoints may lie from those of the film's frames (s)."""

HANDED_IN = "the keypoints came with the take; no detector looked at the videos"

FARTHEST = 4.0
"""Pictures' widths or heights that a point may lie from the middle; farther is no measurement."""


def run(context: Context) -> Result:
    """Raw keypoints per phone, nothing filtered or repaired: r1-a.npz, r1-b.npz."""
    take, declared = context.project.filmed_take(context.subject), context.project.declared_take(context.subject)
    found = _imported(context, take, declared) if declared.keypoints else _detected(context, take)
    seen = float(np.mean([np.mean(k.confidence > 0.3) for k in found.values()]))
    summary = {
        "model": next(iter(found.values())).model,
        "frames": min(len(k.times) for k in found.values()),
        "phones": len(found),
        "seen_percent": round(100 * seen, 1),
        "notes": [HANDED_IN] if declared.keypoints else [],
    }
    return Result(arrays=dict(found), summary=summary)


def _imported(context: Context, take: Take, declared: DeclaredTake) -> dict[str, Keypoints]:
    """The keypoints that session.toml names, once they fit the films."""
    found: dict[str, Keypoints] = {}
    for number, video in enumerate(take.videos):
        context.progress(number / len(take.videos), f"Taking the keypoints of phone {video.phone}")
        name = declared.keypoints.get(video.phone)
        if name is None:
            raise _unfit(f"phone {video.phone}", "session.toml names no file for it, but for another phone")
        path = context.project.layout.take(context.subject) / name
        keypoints = reading.read_arrays(Keypoints, path)
        _check(name, keypoints, video, _frame_times(path.with_name(video.file)))
        found[video.phone] = keypoints
    return found


def _frame_times(path: Path) -> np.ndarray:
    from studio.domain.video.index import index_video

    return index_video(path).pts


def _check(name: str, keypoints: Keypoints, video: Video, times: np.ndarray) -> None:
    """Raises :class:`StudioError` for keypoints of another phone or film, or that are no measurements."""
    shapes = (keypoints.times.shape, keypoints.xy.shape, keypoints.confidence.shape)
    count, points = len(times), len(HALPE_26)
    if keypoints.phone != video.phone:
        raise _unfit(name, f"it is of phone {keypoints.phone[:20]}, not of phone {video.phone}")
    if len(keypoints.times) != count:
        raise _unfit(name, f"it covers {len(keypoints.times)} frames, {video.file} has {count}")
    if shapes != ((count,), (count, points, 2), (count, points)):
        raise _unfit(name, f"its arrays have the shapes {', '.join(map(str, shapes))}")
    if not np.allclose(keypoints.times, times, rtol=0.0, atol=CLOCK_S):
        raise _unfit(name, f"its times are not those of the frames of {video.file}")
    seen = keypoints.confidence > 0
    middle = np.array([video.width, video.height]) / 2
    far = np.abs(keypoints.xy[seen] - middle) / middle
    if not np.isfinite(keypoints.confidence).all() or keypoints.confidence.min() < 0 or keypoints.confidence.max() > 1:
        raise _unfit(name, "a confidence is not between 0 and 1")
    if not (np.isfinite(far).all() and (far <= 2 * FARTHEST).all()):
        raise _unfit(name, "a point that was seen has no place in the picture")


def _unfit(thing: str, why: str) -> StudioError:
    return StudioError(
        f"The keypoints of {thing} cannot be used", why, "Correct session.toml, or leave its keypoints out"
    )


def _detected(context: Context, take: Take) -> dict[str, Keypoints]:
    from studio.domain.pose.detector import best_detector

    context.progress(0.0, "Loading the detector")
    detector = best_detector(on_progress=lambda text: context.progress(0.0, text))
    found: dict[str, Keypoints] = {}
    for number, video in enumerate(take.videos):
        start, stop = number / len(take.videos), (number + 1) / len(take.videos)
        found[video.phone] = _detect(context, detector, video, start, stop)
    return found


def _detect(context: Context, detector, video: Video, start: float, stop: float) -> Keypoints:
    from studio.domain.video.reader import FrameReader

    path = context.project.layout.take(context.subject) / video.file
    reader = FrameReader(path)
    total = reader.index.frames

    def on_frame(frame: int) -> None:
        part = (frame + 1) / total
        context.progress(start + (stop - start) * part, f"Phone {video.phone}: frame {frame + 1} of {total}")

    try:
        xy, confidence = detector.detect(reader.frames(0, total), on_frame)
        return Keypoints(video.phone, detector.model, reader.index.pts, xy, confidence)
    finally:
        reader.close()
