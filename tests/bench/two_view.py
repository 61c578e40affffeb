"""Two phones against four, against a reference, and the seconds of every stage.

    python tests/bench/two_view.py [--videos] [--peer] [--project DIR | --chain DIR] [--json FILE] [--strict]

The pair is cam01 + cam02 of Pose2Sim's single-person demo (100 frames, a leg raised to the side), whose calibration
is biased by 12 px. ``--peer`` triangulates the same keypoints with Pose2Sim. ``--videos`` runs the detector on the
demo's own videos, from the installed pose2sim package. ``--chain`` makes the sample project in DIR and runs stages 1
to 8; ``--project`` reads a project that was run before.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from pose2sim_peer import package, pose2sim_points
from report import Row, add_options, finish

from studio.domain.cameras.calibration import NamedCamera, read_calibration, to_rig
from studio.domain.filters import low_pass
from studio.domain.pose.mapping import blazepose_to_halpe
from studio.domain.pose.sides import repair_sides
from studio.domain.space.triangulate import triangulate
from studio.schema.camera import Rig
from studio.schema.keypoints import INDEX, Keypoints
from studio.schema.take import Sync

ROOT = Path(__file__).resolve().parents[2]
CAMERAS = ("cam01", "cam02", "cam03", "cam04")
FPS = 60.0
CUTOFF_HZ = 12.0
REFERENCE = {"Sho": "Shoulder", "Elb": "Elbow", "Wri": "Wrist", "Hip": "Hip", "Kne": "Knee", "Ank": "Ankle",
             "Hee": "Heel", "Toe": "BigToe"}  # fmt: skip
LEGS = [INDEX[side + name] for name in ("Hip", "Knee", "Ankle", "Heel", "BigToe") for side in "LR"]
LIMIT_S = {"stages 1 to 5": (range(1, 6), 240.0), "stages 1 to 8": (range(1, 9), 480.0)}


def main() -> int:
    options = parse()
    data = shared_data()
    rows = stored_rows(data)
    if options.peer:
        rows += peer_rows(data)
    if options.videos:
        rows += video_rows(data)
    if options.chain:
        run_chain(options.chain)
    if options.chain or options.project:
        rows += stage_rows(options.chain or options.project)
    return finish("Two phones", rows, options)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", action="store_true", help="also from the videos, through the best detector at hand")
    parser.add_argument("--peer", action="store_true", help="also Pose2Sim's triangulation of the same keypoints")
    chain = parser.add_mutually_exclusive_group()
    chain.add_argument("--project", type=Path, metavar="DIR", help="show the seconds of a project's stages")
    chain.add_argument("--chain", type=Path, metavar="DIR", help="make the sample there, run it, show its seconds")
    add_options(parser)
    return parser.parse_args()


def shared_data() -> Path:
    place = Path(os.environ.get("PADWORK_SHARED") or ROOT.parent / "shared") / "data" / "two_view"
    if not place.is_dir():
        sys.exit("shared data not found: set PADWORK_SHARED")
    return place


def stored_rows(data: Path) -> list[Row]:
    """From stored keypoints of BlazePose heavy, and of BlazePose full for the repair of sides."""
    original, refined = (calibrated(read_calibration(data / f"calib_{name}.toml")) for name in ("original", "refined"))
    heavy, full = stored(data, "heavy"), stored(data, "full")
    rows = accuracy_rows("stored keypoints", original, heavy, reference(data))
    rows.append(Row("two against four, refined calibration: median", compare_with_four(refined, heavy)[0], "mm", 20.0))
    rows += sides_rows(refined, heavy, full)
    space, sides = (per_second(lambda f=f: f(refined, heavy[:2], Sync(), FPS)) for f in (triangulate, repair_sides))
    rows.append(Row("points in space, per second of film", space, "s", sense="shown"))
    rows.append(Row("repair of sides, per second of film", sides, "s", sense="shown"))
    return rows


def accuracy_rows(source: str, rig: Rig, keypoints: Sequence[Keypoints], truth: np.ndarray) -> list[Row]:
    """Errors after a 12 Hz low-pass. Aligned: one rigid motion (Kabsch) over all points and frames."""
    median, high = compare_with_four(rig, keypoints)
    aligned = 1000 * np.linalg.norm(align(pair_points(rig, keypoints), truth) - truth, axis=-1)
    raw = pair_points(rig, keypoints, smooth=False)
    raw_aligned = 1000 * np.nanmedian(np.linalg.norm(align(raw, truth) - truth, axis=-1))
    return [
        Row(f"{source}: two against four, biased calibration: median", median, "mm", 50.0),
        Row(f"{source}: two against four, biased calibration: 95 %", high, "mm", sense="shown"),
        Row(f"{source}: rigidly aligned to the reference: median", float(np.nanmedian(aligned)), "mm", 30.0),
        Row(
            f"{source}: rigidly aligned to the reference: 95 %",
            float(np.nanpercentile(aligned, 95)),
            "mm",
            sense="shown",
        ),
        Row(f"{source}: the same without the low-pass: median", float(raw_aligned), "mm", sense="shown"),
    ]


def sides_rows(rig: Rig, heavy: Sequence[Keypoints], full: Sequence[Keypoints]) -> list[Row]:
    four = triangulate(rig, heavy, Sync(), FPS).xyz

    def bad(keypoints: Sequence[Keypoints]) -> int:
        error = np.linalg.norm(triangulate(rig, keypoints, Sync(), FPS).xyz - four, axis=-1)
        return int((error[:, LEGS].mean(axis=1) > 0.2).sum())

    repaired = bad(repair_sides(rig, full[:2], Sync(), FPS).keypoints)
    pairs = [(full[2], full[3]), (full[0], full[3]), *((heavy[i], heavy[k]) for i, k in ((0, 1), (2, 3), (0, 3)))]
    touched = sum(bool(repair_sides(rig, pair, Sync(), FPS).findings) for pair in pairs)
    return [
        Row("mirrored clip: bad frames before the repair", bad(full[:2]), "frames", sense="shown"),
        Row("mirrored clip: bad frames after the repair", repaired, "frames", 6.0),
        Row("clean clips that the repair changed, of 5", touched, "clips", 0.0),
    ]


def peer_rows(data: Path) -> list[Row]:
    """Ours beside Pose2Sim's triangulation of the same two views, its own exchange of sides switched on."""
    calibration, truth, columns = data / "calib_original.toml", reference(data), reference_columns()
    rig = calibrated(read_calibration(calibration))
    heavy, full = stored(data, "heavy"), stored(data, "full")
    four = low_pass(triangulate(rig, heavy, Sync(), FPS).xyz, FPS, CUTOFF_HZ)[:, columns]
    rows = []
    for what, clip in (("clean clip", heavy[:2]), ("mirrored clip", full[:2])):
        errors = []
        for xyz in (pair_points(rig, clip), low_pass(pose2sim_points(calibration, clip)[:, columns], FPS, CUTOFF_HZ)):
            aligned = 1000 * np.linalg.norm(align(xyz, truth) - truth, axis=-1)
            against = 1000 * np.linalg.norm(xyz - four, axis=-1)
            errors.append((np.nanmedian(aligned), np.nanpercentile(aligned, 95), np.nanmedian(against)))
        names = ("rigidly aligned: median", "rigidly aligned: 95 %", "against four: median")
        for name, ours, peer in zip(names, *errors, strict=True):
            rows.append(Row(f"{what}, {name}", float(ours), "mm", float(peer), "shown", "Pose2Sim"))
    return rows


def compare_with_four(rig: Rig, keypoints: Sequence[Keypoints]) -> tuple[float, float]:
    """Median and 95th percentile (mm) of two phones against all four, same calibration, both low-passed."""
    four = low_pass(triangulate(rig, keypoints, Sync(), FPS).xyz, FPS, CUTOFF_HZ)
    two = low_pass(triangulate(rig, keypoints[:2], Sync(), FPS).xyz, FPS, CUTOFF_HZ)
    error = 1000 * np.linalg.norm(two - four, axis=-1)[:, reference_columns()]
    return float(np.nanmedian(error)), float(np.nanpercentile(error, 95))


def pair_points(rig: Rig, keypoints: Sequence[Keypoints], smooth: bool = True) -> np.ndarray:
    """(100, 17, 3) m of the two phones as the studio makes them: sides repaired, triangulated."""
    repaired = repair_sides(rig, keypoints[:2], Sync(), FPS).keypoints
    xyz = triangulate(rig, repaired, Sync(), FPS).xyz[:, reference_columns()]
    return low_pass(xyz, FPS, CUTOFF_HZ) if smooth else xyz


def align(xyz: np.ndarray, onto: np.ndarray) -> np.ndarray:
    """``xyz`` turned and moved as one body onto ``onto``, least squares over all points and frames (Kabsch 1976)."""
    both = np.isfinite(xyz).all(axis=-1) & np.isfinite(onto).all(axis=-1)
    a, b = xyz[both], onto[both]
    u, _, vt = np.linalg.svd((a - a.mean(axis=0)).T @ (b - b.mean(axis=0)))
    turn = u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt
    return (xyz - a.mean(axis=0)) @ turn + b.mean(axis=0)


def reference(data: Path) -> np.ndarray:
    """(100, 17, 3) m: four cameras with the refined calibration, unfiltered."""
    with np.load(data / "reference_4cam_3d.npz") as stored_reference:
        return stored_reference["xyz"].astype(float)


def reference_columns() -> list[int]:
    """Where the reference's 17 points are among the 26."""
    return [INDEX["Nose"], *(INDEX[side + name] for name in REFERENCE.values() for side in "LR")]


def stored(data: Path, model: str) -> tuple[Keypoints, ...]:
    with np.load(data / f"blazepose_{model}.npz") as clips:
        frames = {name: [blazepose_to_halpe(f) for f in clips[name].astype(float)] for name in CAMERAS}
    return tuple(
        Keypoints(n, model, np.arange(len(f)) / FPS, np.stack([x for x, _ in f]), np.stack([c for _, c in f]))
        for n, f in frames.items()
    )


def calibrated(cameras: Sequence[NamedCamera], sizes: dict[str, tuple[int, int]] | None = None) -> Rig:
    named = {c.name: c for c in cameras if c.name in CAMERAS}
    return to_rig(named, sizes or {name: (c.width, c.height) for name, c in named.items()})


def video_rows(data: Path) -> list[Row]:
    """The same from the demo's videos, with the calibration that comes with them."""
    from studio.domain.pose.detector import best_detector
    from studio.domain.video.reader import FrameReader

    demo = package() / "Demo_SinglePerson"
    detector = best_detector(on_progress=lambda text: print(text, file=sys.stderr))
    found, sizes, seconds = [], {}, 0.0
    for name in CAMERAS:
        reader = FrameReader(demo / "videos" / f"{name}.mp4")
        started = time.perf_counter()
        xy, confidence = detector.detect(reader.frames(0, reader.index.frames), lambda _: None)
        seconds += time.perf_counter() - started
        sizes[name] = (reader.index.width, reader.index.height)
        found.append(Keypoints(name, detector.model, reader.index.pts, xy, confidence))
        reader.close()
    rig = calibrated(read_calibration(demo / "calibration" / "Calib.qca.txt"), sizes)
    rate = sum(len(k.times) for k in found) / seconds
    return [
        *accuracy_rows(f"videos, {detector.model}", rig, found, reference(data)),
        Row("detector, frames per second", rate, "/s", sense="shown"),
    ]


def per_second(call: Callable[[], object], repeats: int = 5) -> float:
    """Median seconds of five calls, for one second of film."""
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return float(np.median(taken)) / (100 / FPS)


def run_chain(folder: Path) -> None:
    for arguments in (["new", str(folder), "--sample", "leg-raise"], ["run", str(folder), "--through", "8", "--yes"]):
        subprocess.run([sys.executable, "-m", "studio", *arguments], check=True, cwd=ROOT)


def stage_rows(folder: Path) -> list[Row]:
    """Seconds of each stage's latest good result, from its record."""
    from studio.store.project import Project

    project = Project.open(folder)
    seconds: dict[int, float] = {}
    for stage in range(1, 9):
        records = [project.revision(stage, subject) for subject in project.subjects(stage)]
        done = [revision.record.seconds for revision in records if revision is not None]
        if done:
            seconds[stage] = sum(done)
    rows = [Row(f"stage {stage}", value, "s", sense="shown") for stage, value in seconds.items()]
    for what, (stages, limit) in LIMIT_S.items():
        if set(stages) <= set(seconds):
            rows.append(Row(what, sum(seconds[s] for s in stages), "s", limit))
    return rows


if __name__ == "__main__":
    sys.exit(main())
