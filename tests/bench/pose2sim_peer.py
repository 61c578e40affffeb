"""Pose2Sim's own triangulation of the same keypoints, as the peer to compare with.

It runs in a child process without windows: it may end a process that has no display. Layout of its project folder,
OpenPose JSON and TRC as documented by Pose2Sim 0.10 (BSD-3-Clause).
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tomli_w

from studio.schema.keypoints import HALPE_26, INDEX, Keypoints

CHILD = "import json, sys; from Pose2Sim import Pose2Sim; Pose2Sim.triangulation(json.loads(sys.argv[1]))"
TIMEOUT_S = 300


def package() -> Path:
    """Where Pose2Sim is installed. Ends the program when it is not."""
    spec = importlib.util.find_spec("Pose2Sim")
    if spec is None or spec.origin is None:
        sys.exit("pose2sim is not installed: pip install 'padwork[capture]'")
    return Path(spec.origin).parent


def pose2sim_points(calibration: Path, keypoints: Sequence[Keypoints]) -> np.ndarray:
    """(T, 26, 3) m, world z up; NaN for markers that it does not write."""
    with tempfile.TemporaryDirectory(prefix="peer-") as scratch:
        folder = Path(scratch)
        _write_project(folder, calibration, keypoints)
        quiet = dict(os.environ, MPLBACKEND="Agg", QT_QPA_PLATFORM="offscreen", PYTHONIOENCODING="utf-8")
        run = subprocess.run(
            [sys.executable, "-c", CHILD, json.dumps(_settings(folder))],
            cwd=folder,
            env=quiet,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        found = sorted((folder / "pose-3d").glob("*.trc"))
        if run.returncode or len(found) != 1:
            sys.exit(f"pose2sim failed ({run.returncode}): {run.stderr[-600:]}")
        return read_trc(found[0], len(keypoints[0].times))


def read_trc(path: Path, frames: int) -> np.ndarray:
    """(frames, 26, 3) m with z up, from Pose2Sim's file with y up."""
    lines = path.read_text(encoding="utf-8").splitlines()
    names = lines[3].split("\t")[2::3]
    xyz = np.full((frames, len(HALPE_26), 3), np.nan)
    for line in lines[5:]:
        cells = line.split("\t")
        values = np.array([float(cell) if cell.strip() else np.nan for cell in cells[2 : 2 + 3 * len(names)]])
        row = int(cells[0])
        for name, (y, z, x) in zip(names, values.reshape(-1, 3), strict=False):
            if name in INDEX and row < frames:
                xyz[row, INDEX[name]] = x, y, z
    return xyz


def _settings(folder: Path) -> dict[str, object]:
    return {
        "project": {"project_dir": str(folder), "multi_person": False, "frame_rate": 60, "frame_range": "all"},
        "pose": {"pose_model": "HALPE_26"},
        "triangulation": {"undistort_points": True, "handle_LR_swap": True, "fill_large_gaps_with": "nan"},
        "logging": {"use_custom_logging": True},
    }


def _write_project(folder: Path, calibration: Path, keypoints: Sequence[Keypoints]) -> None:
    shutil.copy(package() / "Demo_SinglePerson" / "Config.toml", folder / "Config.toml")
    known = tomllib.loads(calibration.read_text(encoding="utf-8"))
    kept = {name: table for name, table in known.items() if name in {k.phone for k in keypoints}}
    (folder / "calibration").mkdir()
    (folder / "calibration" / "Calib.toml").write_text(tomli_w.dumps({**kept, "metadata": known.get("metadata", {})}))
    for clip in keypoints:
        target = folder / "pose" / f"{clip.phone}_json"
        target.mkdir(parents=True)
        rows = np.nan_to_num(np.concatenate([clip.xy, clip.confidence[..., None]], axis=-1)).reshape(
            len(clip.times), -1
        )
        for frame, values in enumerate(rows.round(3).tolist()):
            person = {"version": 1.3, "people": [{"person_id": [-1], "pose_keypoints_2d": values}]}
            (target / f"{clip.phone}_{frame:06d}.json").write_text(json.dumps(person))
