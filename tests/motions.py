"""Recorded motions with known joint angles, keypoints made from them with known faults, and how far a fit is off."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, Slerp

from studio.domain.body.build import build
from studio.domain.body.load import body_hash
from studio.domain.fit.kinematics import Kinematics
from studio.schema.body import Body
from studio.schema.keypoints import INDEX, Points
from studio.schema.motion import SkeletonFit

FPS = 60.0
COACH = Body("coach", 1.70, 70.0, gloves=False)
MARKERS = (
    "Hip", "RHip", "RKnee", "RAnkle", "RBigToe", "RSmallToe", "RHeel", "LHip", "LKnee", "LAnkle", "LBigToe",
    "LSmallToe", "LHeel", "Neck", "Head", "Nose", "RShoulder", "RElbow", "RWrist", "LShoulder", "LElbow", "LWrist",
)  # fmt: skip
SOLES = tuple(f"{point}_{side}" for side in "lr" for point in ("heel", "ball_in", "ball_out", "toe_tip"))
LIMBS = tuple(f"{p}_{s}" for s in "lr" for p in ("thigh", "shank", "foot", "upper_arm", "forearm", "hand"))
Z_UP = Rotation.from_euler("x", 90, degrees=True)


@dataclass(frozen=True, eq=False)
class Truth:
    """A motion of :data:`COACH` with known angles: ``qpos`` (T, nq) at 60 fps, soles on the floor."""

    kinematics: Kinematics
    qpos: np.ndarray

    @property
    def fit(self) -> SkeletonFit:
        """As if stage 4 had found it exactly."""
        none = np.zeros((len(self.qpos), 1))
        joints = self.kinematics.joints
        return SkeletonFit(
            COACH.name, body_hash(COACH), FPS, 0.0, joints, ("Hip",), self.qpos, none, none > 1, np.zeros((1, 3))
        )


def read_kick(path: Path) -> Truth:
    """DeepMimic's humanoid3d kick on our body: every joint as Euler angles in the order of our hinges."""
    kinematics = Kinematics(build(COACH, floor=False).compile())
    frames = np.array(json.loads(path.read_text())["Frames"])
    when = np.concatenate([[0.0], np.cumsum(frames[:-1, 0])])

    def turn(column: int) -> Rotation:
        return Z_UP * Rotation.from_quat(frames[:, column : column + 4], scalar_first=True) * Z_UP.inv()

    angles: dict[str, np.ndarray] = {}

    def put(names: tuple[str, ...], turns: Rotation, order: str, signs: tuple[float, ...]) -> None:
        for name, column, sign in zip(names, turns.as_euler(order).T, signs, strict=True):
            angles[name] = np.unwrap(column) * sign

    half = Rotation.from_rotvec(turn(8).as_rotvec() / 2)
    for part in ("lumbar", "chest"):
        put((f"{part}_yaw", f"{part}_roll", f"{part}_pitch"), half, "ZXY", (1, 1, 1))
    put(("neck_yaw", "neck_roll", "neck_pitch"), turn(12), "ZXY", (1, 1, 1))
    for s, sign, hip, knee, ankle, arm, elbow in (("r", -1, 16, 20, 21, 25, 29), ("l", 1, 30, 34, 35, 39, 43)):
        put((f"hip_yaw_{s}", f"hip_roll_{s}", f"hip_pitch_{s}"), turn(hip), "ZXY", (sign, sign, 1))
        feet = Rotation.from_matrix(turn(ankle).as_matrix())
        pitch, roll, _ = feet.as_euler("YXZ").T
        angles[f"ankle_pitch_{s}"], angles[f"ankle_roll_{s}"] = np.unwrap(pitch), sign * np.unwrap(roll)
        put((f"shoulder_yaw_{s}", f"shoulder_pitch_{s}", f"shoulder_roll_{s}"), turn(arm), "ZYX", (sign, 1, sign))
        angles[f"knee_{s}"], angles[f"elbow_{s}"] = -frames[:, knee], frames[:, elbow]
    times = np.arange(0, when[-1], 1 / FPS)
    qpos = np.tile(kinematics.model.qpos0, (len(times), 1))
    qpos[:, :3] = CubicSpline(when, Z_UP.apply(frames[:, 1:4]))(times)
    qpos[:, 3:7] = Slerp(when, turn(4))(times).as_quat(scalar_first=True)
    for name, values in angles.items():
        i = kinematics.joints.index(name)
        smooth = CubicSpline(when, values)(times)
        qpos[:, 7 + i] = np.clip(smooth, kinematics.low[i] + 0.01, kinematics.high[i] - 0.01)
    soles = kinematics.forward(qpos).site[:, kinematics.site_ids(SOLES), 2]
    qpos[:, 2] -= np.median(soles.min(axis=1))
    return Truth(kinematics, qpos)


def as_points(xyz: np.ndarray, fps: float = FPS, sigma: float = 0.008) -> Points:
    """(T, 26, 3) as the result of stage 3, every point with the same covariance; NaN is unseen."""
    seen = np.isfinite(xyz).all(-1)
    covariance = np.tile(np.eye(3) * sigma**2, (*seen.shape, 1, 1))
    return Points(fps, np.arange(len(xyz)) / fps, xyz, covariance, np.zeros(seen.shape), seen.astype(float))


def keypoints_of(truth: Truth, seed: int, faults: bool) -> Points:
    """What a pose model would see: 12 mm of slow noise, 8 mm wrong marker places (18 mm at the hips); with ``faults``
    three bursts of 30 cm, the pelvis thrown by 26 cm for 4 frames, and a foot hidden for 10 frames."""
    rng = np.random.default_rng(seed)
    kinematics, frames = truth.kinematics, truth.kinematics.forward(truth.qpos)
    sites = kinematics.site_ids(MARKERS)
    turned = frames.rotation[:, kinematics.model.site_bodyid[sites]]
    offset = np.random.default_rng(5).normal(0, 0.008, (len(MARKERS), 3))
    offset[[MARKERS.index("LHip"), MARKERS.index("RHip")]] += [[0, 0.015, 0.01], [0, -0.015, 0.01]]
    places = frames.site[:, sites] + np.einsum("tkij,kj->tki", turned, offset)
    fresh = rng.normal(0, 0.012 * 0.8, places.shape)
    noise = np.zeros_like(places)
    for t in range(1, len(noise)):
        noise[t] = 0.6 * noise[t - 1] + fresh[t]
    places = places + noise
    if faults:
        _spoil(places, rng)
    xyz = np.full((len(places), 26, 3), np.nan)
    xyz[:, [INDEX[n] for n in MARKERS]] = places
    return as_points(xyz)


def _spoil(places: np.ndarray, rng: np.random.Generator) -> None:
    count = len(places)
    for name, share, length in (("RKnee", 0.5, 7), ("LWrist", 0.2, 8), ("LAnkle", 0.75, 6)):
        way = rng.normal(size=3)
        start = int(count * share)
        places[start : start + length, MARKERS.index(name)] += 0.3 * way / np.linalg.norm(way)
    start = int(count * 0.85)
    for name in ("Hip", "LHip", "RHip"):
        places[start : start + 4, MARKERS.index(name)] += [-0.26, 0, 0]
    start = int(count * 0.6)
    for name in ("RAnkle", "RHeel", "RBigToe", "RSmallToe"):
        places[start : start + 10, MARKERS.index(name)] = np.nan


def joint_errors(truth: Truth, kinematics: Kinematics, qpos: np.ndarray) -> np.ndarray:
    """(T, 12) m between the joint centres of the limbs."""
    true = truth.kinematics.forward(truth.qpos).body[:, truth.kinematics.body_ids(LIMBS)]
    return np.linalg.norm(kinematics.forward(qpos).body[:, kinematics.body_ids(LIMBS)] - true, axis=-1)


def angle_error(truth: Truth, qpos: np.ndarray, joint: str) -> float:
    """Mean absolute error in degrees, both sides."""
    columns = [7 + truth.kinematics.joints.index(f"{joint}_{s}") for s in "lr"]
    return float(np.degrees(np.abs(qpos[:, columns] - truth.qpos[:, columns]).mean()))


def read_trc(path: Path) -> Points:
    """Markers of a Pose2Sim TRC (y up, m) in a z-up world."""
    lines = path.read_text().splitlines()
    fps = float(lines[2].split("\t")[0])
    names = [n for n in lines[3].split("\t")[2:] if n.strip()]
    rows = [line.split("\t") for line in lines[5:] if line.split("\t")[0].strip()]
    wide = 3 * len(names)
    values = [[float(v) if v.strip() else np.nan for v in (row[2:] + [""] * wide)[:wide]] for row in rows]
    raw = np.array(values).reshape(len(rows), len(names), 3)
    xyz = np.full((len(rows), 26, 3), np.nan)
    for k, name in enumerate(names):
        if name in INDEX:
            xyz[:, INDEX[name]] = raw[:, k][:, [0, 2, 1]] * [1, -1, 1]
    return as_points(xyz, fps)


def read_bvh_points(path: Path, start: int, stop: int) -> Points:
    """Joint centres of a Bandai-Namco clip (cm, y up, 30 fps), its frames start..stop, as HALPE points at 60 fps."""
    joints, parents, offsets, channels, frames, period = _parse_bvh(path)
    places = _bvh_places(parents, offsets, channels, frames[start:stop]) / 100.0
    times = np.arange(stop - start) * period
    fine = np.arange(0, times[-1], 1 / FPS)
    named = {
        "Neck": "Neck",
        "LShoulder": "UpperArm_L", "LElbow": "LowerArm_L", "LWrist": "Hand_L", "LHip": "UpperLeg_L",
        "LKnee": "LowerLeg_L", "LAnkle": "Foot_L", "LBigToe": "Toes_L",
    }  # fmt: skip
    named |= {n.replace("L", "R", 1): j[:-1] + "R" for n, j in named.items() if n.startswith("L")}
    xyz = np.full((len(fine), 26, 3), np.nan)
    for name, joint in named.items():
        place = places[:, joints.index(joint)][:, [2, 0, 1]]
        xyz[:, INDEX[name]] = CubicSpline(times, place)(fine)
    return as_points(xyz)


def _parse_bvh(path: Path):
    text, motion = path.read_text().split("MOTION")
    words, joints, parents, offsets, channels = text.split(), [], [], [], []
    stack: list[int] = []
    i = 0
    while i < len(words):
        word = words[i]
        if word in ("ROOT", "JOINT"):
            joints.append(words[i + 1])
            parents.append(stack[-1] if stack else -1)
            stack.append(len(joints) - 1)
        elif word == "End":
            stack.append(-2)
        elif word == "OFFSET" and stack[-1] >= 0:
            offsets.append([float(v) for v in words[i + 1 : i + 4]])
        elif word == "CHANNELS":
            channels.append(words[i + 2 : i + 2 + int(words[i + 1])])
        elif word == "}":
            stack.pop()
        i += 1
    lines = motion.strip().splitlines()
    period = float(lines[1].split()[-1])
    frames = np.array([[float(v) for v in line.split()] for line in lines[2:]])
    return joints, parents, np.array(offsets), channels, frames, period


def _bvh_places(parents, offsets, channels, frames) -> np.ndarray:
    places = np.zeros((len(frames), len(parents), 3))
    turns: list[Rotation] = []
    column = 0
    for j, names in enumerate(channels):
        values = dict(zip(names, frames[:, column : column + len(names)].T, strict=True))
        column += len(names)
        order = "".join(n[0] for n in names if n.endswith("rotation"))
        own = Rotation.from_euler(order, np.stack([values[f"{a}rotation"] for a in order], 1), degrees=True)
        shift = np.tile(offsets[j], (len(frames), 1))
        for k, axis in enumerate("XYZ"):
            if f"{axis}position" in values:
                shift[:, k] = values[f"{axis}position"]
        if parents[j] < 0:
            turns.append(own)
            places[:, j] = shift
        else:
            turns.append(turns[parents[j]] * own)
            places[:, j] = places[:, parents[j]] + turns[parents[j]].apply(shift)
    return places
