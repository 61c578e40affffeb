"""Everything of the sample that is made rather than copied, file by file."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import tomli_w

from studio.domain.body.build import build
from studio.domain.body.proportions import lengths
from studio.domain.fit.kinematics import Kinematics
from studio.domain.synthetic import phones, right_knee
from studio.domain.synthetic.claps import heard
from studio.domain.synthetic.exposure import resampled
from studio.domain.synthetic.film import pictures
from studio.domain.synthetic.perform import perform
from studio.domain.synthetic.seen import NOISE_PX, OUTLIER_SHARE, keypoints_of
from studio.domain.synthetic.takes import SESSION, TAKES, WORDS, TakeTruth, Written, way_through_air
from studio.domain.video.writer import write_mp4
from studio.schema.camera import Camera
from studio.schema.codec import document, pack
from studio.schema.motion import Motion

Progress = Callable[[float, str], None]
"""Called with the fraction done (0..1) and a short text."""

PERFORMED = 0.1
"""Share of a take's time that passes before it is filmed."""


@dataclass(frozen=True)
class MadeFile:
    """A file of the project: ``target`` is its path there; its ``content``, or a ``film`` that writes itself at a path,
    whole or not at all."""

    target: str
    content: bytes = b""
    film: Callable[[Path], None] | None = None


def right_knee_files(on_progress: Progress) -> Iterator[MadeFile]:
    """The calibration of session ``gym``, then each take's keypoints, truth and films; the same bytes every time on
    one computer."""
    folder = f"sessions/{SESSION}"
    yield MadeFile(f"{folder}/calibration.toml", phones.calibration().encode())
    length = sum(take.choreography().duration_s for take in TAKES)
    begin = 0.0
    for take in TAKES:
        share = take.choreography().duration_s / length
        yield from _take(take, f"{folder}/takes/{take.name}", partial(_part, on_progress, begin, share))
        begin += share


def _part(on_progress: Progress, begin: float, share: float, fraction: float, text: str) -> None:
    on_progress(begin + share * fraction, text)


def _take(take: Written, place: str, report: Progress) -> Iterator[MadeFile]:
    written, rig = take.choreography(), phones.rig()
    report(0.0, f"Performing {take.name}")
    motion = perform(right_knee.COACH, written)
    for camera in rig.cameras:
        found, _ = keypoints_of(right_knee.COACH, motion, camera, written.duration_s, take.faults)
        yield MadeFile(f"{place}/{camera.phone}-keypoints.npz", _npz(pack(found)))
    yield MadeFile(f"{place}/truth.npz", _npz(pack(resampled(motion, phones.FPS))))
    yield MadeFile(f"{place}/truth.toml", tomli_w.dumps(document(_truth(take, motion))).encode())
    for number, camera in enumerate(rig.cameras):
        part = PERFORMED + (1 - PERFORMED) * number / len(rig.cameras)
        told = partial(_part, report, part, (1 - PERFORMED) / len(rig.cameras))
        yield MadeFile(f"{place}/{camera.phone}.mp4", film=partial(_film, take, motion, camera, told))


def _film(take: Written, motion: Motion, camera: Camera, report: Progress, path: Path) -> None:
    duration_s = take.choreography().duration_s
    count = round(duration_s * phones.FPS)

    def told() -> Iterator[np.ndarray]:
        for number, picture in enumerate(pictures(right_knee.COACH, motion, camera, duration_s)):
            report(number / count, f"Filming {take.name} with phone {camera.phone}")
            yield picture

    path.parent.mkdir(parents=True, exist_ok=True)
    write_mp4(path, told(), phones.FPS, heard(camera.phone, take.claps_s, duration_s, take.clap_seed))


def _truth(take: Written, motion: Motion) -> TakeTruth:
    body = right_knee.COACH
    kinematics = Kinematics(build(body).compile())
    height = kinematics.forward(motion.qpos).site[:, kinematics.site_ids(["strike_knee_r"])[0], 2]
    strikes = bool(take.choreography().lifted)
    return TakeTruth(
        take=take.name,
        words=WORDS,
        sync=phones.SYNC,
        claps_s=take.claps_s,
        clap_delay_s=way_through_air(),
        noise_px=NOISE_PX,
        outlier_share=OUTLIER_SHARE,
        swaps=take.faults.swaps,
        gaps=take.faults.gaps,
        seeds={"keypoints": take.faults.seed, "sound": take.clap_seed},
        stature=body.stature,
        measures=lengths(body),
        strike_s=float(motion.times[height.argmax()]) if strikes else 0.0,
        strike_m=float(height.max()) if strikes else 0.0,
    )


def _npz(arrays: dict[str, np.ndarray]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()
