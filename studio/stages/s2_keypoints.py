"""Stage 2: the best detector at hand finds the coach in every frame of both phones."""

from __future__ import annotations

import numpy as np

from studio.schema.keypoints import Keypoints
from studio.schema.take import Video
from studio.stages.stage import Context, Result


def run(context: Context) -> Result:
    """Raw keypoints per phone, nothing filtered or repaired: r1-a.npz, r1-b.npz."""
    from studio.domain.pose.detector import best_detector

    take = context.project.take(context.subject)
    context.progress(0.0, "Loading the detector")
    detector = best_detector(on_progress=lambda text: context.progress(0.0, text))
    found: dict[str, Keypoints] = {}
    for number, video in enumerate(take.videos):
        start, stop = number / len(take.videos), (number + 1) / len(take.videos)
        found[video.phone] = _detect(context, detector, video, start, stop)
    seen = float(np.mean([np.mean(k.confidence > 0.3) for k in found.values()]))
    summary = {
        "model": detector.model,
        "frames": min(len(k.times) for k in found.values()),
        "phones": len(found),
        "seen_percent": round(100 * seen, 1),
    }
    return Result(arrays=dict(found), summary=summary)


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
