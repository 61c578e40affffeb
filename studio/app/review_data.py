"""All that the page of the retarget shows, read from a project or put together by hand. Slow: beside the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from studio.domain.cameras.floor import on_floor
from studio.domain.picture.framing import Crop, whole
from studio.domain.picture.video_source import VideoSource
from studio.domain.time import TakeClock
from studio.schema.body import Body
from studio.schema.camera import Rig
from studio.schema.errors import StudioError
from studio.schema.findings import Finding
from studio.schema.motion import Retarget, SkeletonFit
from studio.schema.take import Take
from studio.store.project import Project

STRIP_PICTURES, STRIP_HEIGHT, STRIP_SHARE = 40, 60, 0.72
"""How many, how tall (px), and how much of the crop's shorter side they show."""

T = TypeVar("T")


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
    """Read what stage 5 found and what it was made from. Raises :class:`StudioError` where something is missing; the
    fit of stage 4, of which only one figure is shown, may be."""
    told = project.technique(technique)
    subject = f"{told.session}/{told.take}"
    take, revision = project.take(subject), project.revision(5, technique)
    folder, retarget = project.layout.take(subject), project.reference(technique)
    return completed(
        ReviewData(
            take=take,
            files={video.phone: folder / video.file for video in take.videos},
            rig=on_floor(project.rig(told.session), retarget.floor_m),
            retarget=retarget,
            fighter=project.load(5, technique, Body, "body"),
            fit=_if_there(lambda: project.load(4, subject, SkeletonFit)),
            coach=_if_there(lambda: project.load(4, subject, Body, "coach")),
            findings=revision.record.findings if revision else (),
            revision=revision.number if revision else 0,
        )
    )


def completed(data: ReviewData) -> ReviewData:
    """The same with crops and figures, which are computed from the motion."""
    from studio.domain.body.build import build
    from studio.domain.picture.framing import action_points, frame_action
    from studio.domain.retarget.retarget import figures

    points = action_points(build(data.fighter).compile(), data.retarget.qpos)
    crops = {phone: frame_action(data.rig.camera(phone), points) for phone in data.phones}
    return replace(data, crops=crops, figures=figures(data.retarget, data.fighter) | _fit_figures(data.fit))


def make_strip(data: ReviewData, count: int = STRIP_PICTURES) -> tuple[np.ndarray, ...]:
    """``count`` small square pictures (H, H, 3) of the middle of what the first phone shows, evenly over the motion."""
    phone, clock = data.phones[0], data.clock
    camera = data.rig.camera(phone)
    middle = _middle(data.crops.get(phone) or whole(camera))
    source = VideoSource(data.files[phone], camera, data.take.sync, middle)
    source.set_pane(STRIP_HEIGHT, STRIP_HEIGHT, (0, 0, 0))
    try:
        moments = clock.start_s + (np.arange(count) + 0.5) / count * clock.frames / clock.fps
        return tuple(source.shot(clock.snap(float(moment))).picture for moment in moments)
    finally:
        source.close()


def _fit_figures(fit: SkeletonFit | None) -> dict[str, float]:
    if fit is None or not np.isfinite(fit.residual).any():
        return {}
    return {"fit_mm": 1e3 * float(np.nanmedian(fit.residual))}


def _middle(crop: Crop) -> Crop:
    """The square in the middle of a crop."""
    side = max(2, round(STRIP_SHARE * min(crop.width, crop.height)))
    return Crop(crop.left + (crop.width - side) // 2, crop.top + (crop.height - side) // 2, side, side)


def _if_there(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except StudioError:
        return None
