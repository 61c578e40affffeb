"""BlazePose (Bazarevsky et al. 2020, arXiv:2006.10204): one person, 33 landmarks, followed from frame to frame.

The steps and constants are those of MediaPipe's graphs ``pose_detection_cpu``, ``pose_landmark_by_roi_cpu``,
``tensors_to_pose_landmarks_and_segmentation``, ``pose_detection_to_roi``, ``pose_landmarks_to_roi`` and
``pose_landmark_filtering`` (Apache-2.0) with smoothing of the landmarks themselves off; the networks run in OpenVINO.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studio.domain.pose.detector import ahead
from studio.domain.pose.mapping import blazepose_to_halpe
from studio.schema.keypoints import HALPE_26

DETECTOR_SIDE = 224
LANDMARK_SIDE = 256
STRIDES = ((8, 2), (16, 2), (32, 6))
"""Grid step (px) and anchors in each cell: five SSD layers, of which three share the step 32."""
MIN_DETECTION = 0.5
MIN_PRESENCE = 0.5
OVERLAP = 0.3
MARGIN = 1.25
LANDMARKS, BODY = 39, 33
OUTPUTS = ("Identity", "Identity_1", "Identity_3")
"""Landmarks, presence, heat. Without the outline (a tenth of the work) and the landmarks in metres."""
HEATMAP_REACH = 3
MIN_HEAT = 0.5
STEP_S = 1.0 / 30.0
"""Step of the region's filter from frame to frame, whatever the camera's rate, as in MediaPipe's Python interface."""


@dataclass(frozen=True)
class Region:
    """A square of the picture, turned clockwise by ``angle`` (rad): centre and side in px."""

    x: float
    y: float
    side: float
    angle: float

    def to_picture(self, unit: np.ndarray) -> np.ndarray:
        """(..., 2) in 0..1 within the square to (..., 2) px in the picture."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        return (unit - 0.5) * self.side @ np.array([[c, s], [-s, c]]) + (self.x, self.y)


def region_between(centre: np.ndarray, rim: np.ndarray) -> Region:
    """The square about ``centre`` whose upright axis points to ``rim``, a point on the circle around the body (px)."""
    dx, dy = rim - centre
    angle = np.pi / 2 - np.arctan2(-dy, dx)
    turn = (angle + np.pi) % (2 * np.pi) - np.pi
    return Region(float(centre[0]), float(centre[1]), float(2 * MARGIN * np.hypot(dx, dy)), float(turn))


def cut(picture: np.ndarray, region: Region, side: int, edge: bool) -> np.ndarray:
    """(side, side, 3) uint8 of a region; outside the picture its ``edge`` is continued, or it is black."""
    import cv2

    corners = region.to_picture(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])).astype(np.float32)
    square = np.array([[0, 0], [side, 0], [0, side]], dtype=np.float32)
    border = cv2.BORDER_REPLICATE if edge else cv2.BORDER_CONSTANT
    return cv2.warpAffine(picture, cv2.getAffineTransform(corners, square), (side, side), borderMode=border)


def anchors() -> np.ndarray:
    """(2254, 2) centres of the detector's cells in 0..1, x before y."""
    rows = []
    for stride, copies in STRIDES:
        cells = DETECTOR_SIDE // stride
        y, x = np.divmod(np.arange(cells * cells), cells)
        rows.append(np.repeat(np.column_stack([x, y]) + 0.5, copies, axis=0) / cells)
    return np.concatenate(rows)


def best_person(boxes: np.ndarray, logits: np.ndarray, centres: np.ndarray) -> np.ndarray | None:
    """(4, 2) the body's points in 0..1 of the best detection, blended with those that overlap it; None if nobody.

    ``boxes`` (2254, 12) are centre, size and four points in px of the detector's input, relative to ``centres``;
    ``logits`` (2254,). Weighted non-maximum suppression as in MediaPipe.
    """
    scores = 1.0 / (1.0 + np.exp(-np.clip(logits, -100, 100)))
    likely = np.flatnonzero(scores >= MIN_DETECTION)
    if not len(likely):
        return None
    unit = boxes[likely].reshape(-1, 6, 2) / DETECTOR_SIDE
    middle = unit[:, 0] + centres[likely]
    low, high = middle - unit[:, 1] / 2, middle + unit[:, 1] / 2
    top = int(np.argmax(scores[likely]))
    shared = np.clip(np.minimum(high, high[top]) - np.maximum(low, low[top]), 0, None).prod(1)
    union = (high - low).prod(1) + (high - low)[top].prod() - shared
    weight = scores[likely] * (shared > OVERLAP * union)
    weight[top] = scores[likely][top]
    points = unit[:, 2:] + centres[likely][:, None]
    return np.einsum("n,nij->ij", weight, points) / weight.sum()


def refine(unit: np.ndarray, heat: np.ndarray) -> np.ndarray:
    """(39, 2) in 0..1 moved to the centre of the heat near them, where there is heat. ``heat`` (64, 64, 39) logits."""
    size = heat.shape[0]
    out = unit.copy()
    for k, (col, row) in enumerate(np.trunc(unit * size).astype(int)):
        if not (0 <= col < size and 0 <= row < size):
            continue
        rows = np.arange(max(0, row - HEATMAP_REACH), min(size, row + HEATMAP_REACH + 1))
        cols = np.arange(max(0, col - HEATMAP_REACH), min(size, col + HEATMAP_REACH + 1))
        likely = 1.0 / (1.0 + np.exp(-heat[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1, k]))
        if likely.max() >= MIN_HEAT:
            out[k] = (likely.sum(0) @ cols, likely.sum(1) @ rows) / (likely.sum() * size)
    return out


class OneEuro:
    """The low-pass filter of Casiez et al. (CHI 2012) as MediaPipe sets it for the two points that make the region."""

    MIN_CUTOFF, BETA, DERIVATIVE_CUTOFF = 0.01, 10.0, 1.0

    def __init__(self) -> None:
        self._raw: np.ndarray | None = None
        self._value = self._speed = np.zeros(0)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """(2, 2) px filtered; speeds are measured in diameters of the circle around the body that they describe."""
        size = 2 * float(np.hypot(*(points[1] - points[0])))
        if self._raw is None or size < 1e-6:
            self._value, self._speed = points, np.zeros_like(points)
        else:
            speed = (points - self._raw) / (size * STEP_S)
            self._speed = self._speed + self._gain(self.DERIVATIVE_CUTOFF) * (speed - self._speed)
            gain = self._gain(self.MIN_CUTOFF + self.BETA * np.abs(self._speed))
            self._value = self._value + gain * (points - self._value)
        self._raw = points
        return self._value

    @staticmethod
    def _gain(cutoff: Any) -> Any:
        return 1.0 / (1.0 + 1.0 / (2 * np.pi * cutoff * STEP_S))


class Tracker:
    """Follows the person through one video. Frames in order; one tracker for each video."""

    def __init__(self, detect: Callable[[np.ndarray], np.ndarray | None], landmarks: Callable[..., Any]) -> None:
        self._detect = detect
        self._landmarks = landmarks
        self._filter = OneEuro()
        self._region: Region | None = None

    def follow(self, picture: np.ndarray) -> np.ndarray | None:
        """(33, 3) x px, y px, visibility 0..1; None when nobody is seen. A lost person is searched for at once."""
        found = None if self._region is None else self._landmarks(picture, self._region)
        if found is None:
            self._filter = OneEuro()
            points = self._detect(picture)
            found = None if points is None else self._landmarks(picture, region_between(points[0], points[1]))
        self._region = None
        if found is None:
            return None
        self._region = region_between(*self._filter(found[BODY : BODY + 2, :2]))
        return found[:BODY]


class BlazePose:
    """The detector of a person and the landmark network behind one protocol (see ``detector.Detector``).

    Several videos may be run at the same time from several threads: each call has its own requests and tracker, and
    each inference uses one thread of the processor.
    """

    def __init__(self, model: str, landmarks: Path, detector: Path) -> None:
        import openvino

        core = openvino.Core()
        settings = {"PERFORMANCE_HINT": "THROUGHPUT", "INFERENCE_PRECISION_HINT": "f32"}
        self.model = model
        network = core.read_model(str(landmarks))
        cut_to: Any = openvino.Model  # its stub does not know its own base class
        needed = cut_to([network.output(name) for name in OUTPUTS], network.get_parameters())
        self._body = core.compile_model(needed, "CPU", settings)
        self._person = core.compile_model(core.read_model(str(detector)), "CPU", settings)
        self._anchors = anchors()

    def detect(
        self, frames: Iterable[np.ndarray], on_frame: Callable[[int], None] = lambda _: None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Keypoints (T, 26, 2) px and confidences (T, 26) of upright RGB frames, as ``detector.Detector`` has it."""
        xy, confidence = [], []
        for number, found in enumerate(self.landmarks(frames)):
            points, trust = blazepose_to_halpe(found)
            xy.append(points)
            confidence.append(trust)
            on_frame(number)
        shape = (len(xy), len(HALPE_26))
        return np.reshape(xy, (*shape, 2)), np.reshape(confidence, shape)

    def landmarks(self, frames: Iterable[np.ndarray]) -> Iterable[np.ndarray]:
        """BlazePose's own (33, 3) x px, y px, visibility for each frame; NaN and 0 where nobody is seen."""
        person, body = self._person.create_infer_request(), self._body.create_infer_request()
        tracker = Tracker(
            lambda picture: self._find(person, picture), lambda picture, region: _read(body, picture, region)
        )
        nobody = np.column_stack([np.full((BODY, 2), np.nan), np.zeros(BODY)])
        for picture in ahead(frames):
            found = tracker.follow(picture)
            yield nobody if found is None else found

    def _find(self, request: Any, picture: np.ndarray) -> np.ndarray | None:
        """(4, 2) px: the detected body's points."""
        height, width = picture.shape[:2]
        whole = Region(width / 2, height / 2, max(width, height), 0.0)
        pixels = cut(picture, whole, DETECTOR_SIDE, edge=False)
        request.infer([pixels[None].astype(np.float32) / 127.5 - 1.0])
        boxes, logits = (request.get_output_tensor(i).data[0].astype(float) for i in (0, 1))
        points = best_person(boxes, logits[:, 0], self._anchors)
        return None if points is None else whole.to_picture(points)


def _read(request: Any, picture: np.ndarray, region: Region) -> np.ndarray | None:
    """(39, 3) x px, y px, visibility of the person in a region; None when the network says nobody is there."""
    pixels = cut(picture, region, LANDMARK_SIDE, edge=True)
    request.infer([pixels[None].astype(np.float32) / 255.0])
    raw, presence, heat = (request.get_output_tensor(i).data[0].astype(float) for i in range(3))
    if presence[0] < MIN_PRESENCE:
        return None
    values = raw.reshape(LANDMARKS, 5)
    unit = refine(values[:, :2] / LANDMARK_SIDE, heat)
    visibility = 1.0 / (1.0 + np.exp(-values[:, 3]))
    return np.column_stack([region.to_picture(unit), visibility])
