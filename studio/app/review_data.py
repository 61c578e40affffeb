"""All that the page of the retarget shows, read from a project or put together by hand. Slow: beside the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from studio.domain.picture.framing import Crop
from studio.domain.picture.video_source import VideoSource
from studio.domain.time import TakeClock
from studio.schema.body import Body
from studio.schema.camera import Rig
from studio.schema.findings import Finding
from studio.schema.motion import Retarget, SkeletonFit
from studio.schema.take import Take
from studio.store.project import Project

STRIP_PICTURES, STRIP_HEIGHT = 40, 60


@dataclass(frozen=True, eq=False)
class ReviewData:
    """``files``: the phones' videos; ``crops``: which part of each picture is worth showing; ``figures``: numbers of
    the motion by name, mm and degrees as their names say; ``fit`` None where stage 4 is not at hand."""

    take: Take
    files: Mapping[str, Path]
    rig: Rig
    retarget: Retarget
    fighter: Body
    fit: SkeletonFit | None = None
    coach: Body | None = None
    findings: tuple[Finding, ...] = ()
    revision: int = 0
    crops: Mapping[str, Crop] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def clock(self) -> TakeClock:
        """The frames of the motion on the common clock."""
        motion = self.retarget
        return TakeClock(motion.fps, motion.start_s, len(motion.qpos))

    @property
    def phones(self) -> tuple[str, ...]:
        return tuple(video.phone for video in self.take.videos)

    def sources(self) -> dict[str, VideoSource]:
        """A fresh source of pictures for each phone; its owner closes it."""
        return {
            phone: VideoSource(self.files[phone], self.rig.camera(phone), self.take.sync, self.crops.get(phone))
            for phone in self.phones
        }


def load_review(project: Project, technique: str) -> ReviewData:
    """Read what stage 5 found and what it was made from. Raises :class:`StudioError` where something is missing."""
    told = project.technique(technique)
    subject = f"{told.session}/{told.take}"
    take, revision = project.take(subject), project.revision(5, technique)
    folder = project.layout.take(subject)
    return completed(
        ReviewData(
            take=take,
            files={video.phone: folder / video.file for video in take.videos},
            rig=project.rig(told.session),
            retarget=project.load(5, technique, Retarget),
            fighter=project.load(5, technique, Body, "body"),
            fit=project.load(4, subject, SkeletonFit),
            coach=project.load(4, subject, Body, "coach"),
            findings=revision.record.findings if revision else (),
            revision=revision.number if revision else 0,
        )
    )


def completed(data: ReviewData) -> ReviewData:
    """The same with crops and figures, which are computed from the motion."""
    from dataclasses import replace

    from studio.domain.body.build import build
    from studio.domain.picture.framing import action_points, frame_action
    from studio.domain.retarget.retarget import figures

    points = action_points(build(data.fighter).compile(), data.retarget.qpos)
    crops = {phone: frame_action(data.rig.camera(phone), points) for phone in data.phones}
    return replace(data, crops=crops, figures=figures(data.retarget, data.fighter) | _fit_figures(data.fit))


def make_strip(data: ReviewData, count: int = STRIP_PICTURES) -> tuple[np.ndarray, ...]:
    """``count`` small pictures (H, W, 3) of the first phone, evenly over the motion."""
    phone, clock = data.phones[0], data.clock
    source = data.sources()[phone]
    crop = data.crops.get(phone)
    shape = (crop.width, crop.height) if crop else (data.rig.camera(phone).width, data.rig.camera(phone).height)
    source.set_pane(max(1, round(STRIP_HEIGHT * shape[0] / shape[1])), STRIP_HEIGHT, (0, 0, 0))
    try:
        moments = clock.start_s + (np.arange(count) + 0.5) / count * clock.frames / clock.fps
        return tuple(source.shot(clock.snap(float(moment))).picture for moment in moments)
    finally:
        source.close()


def _fit_figures(fit: SkeletonFit | None) -> dict[str, float]:
    if fit is None or not np.isfinite(fit.residual).any():
        return {}
    return {"fit_mm": 1e3 * float(np.nanmedian(fit.residual))}
