"""RTMPose (Jiang et al. 2023, arXiv:2303.07399) through rtmlib: HALPE_26 with feet, one person."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from studio.domain.pose.detector import ahead
from studio.domain.pose.weights import Weights, check, label, sha256
from studio.schema.errors import StudioError
from studio.schema.keypoints import HALPE_26

MODE = "balanced"
NAME = "rtmpose-m"
FILES = {"landmarks": "rtmpose-m-halpe26.onnx", "detector": "yolox-m-person.onnx"}
REACH_TIMEOUT_S = 4.0
KEEP_OVERLAP = 0.3
"""Below this overlap (IoU) with the person followed so far, the largest person is taken instead."""


class RTMPose:
    """A person detector (YOLOX) and RTMPose behind one protocol (see ``detector.Detector``); runs on the processor.

    The largest person is followed by the overlap of the boxes. Channels as the networks were trained: mmdet's YOLOX on
    BGR, mmpose's RTMPose on RGB (its configs set ``bgr_to_rgb``; rtmlib leaves the order to the caller).
    """

    def __init__(self, model: str, landmarks: Path, detector: Path) -> None:
        import rtmlib

        self.model = model
        pose_size, person_size = (input_size(path) for path in (landmarks, detector))
        with contextlib.redirect_stdout(sys.stderr):  # rtmlib prints what it loads
            self._solution = rtmlib.BodyWithFeet(
                det=str(detector),
                det_input_size=person_size[::-1],
                pose=str(landmarks),
                pose_input_size=pose_size,
                backend="onnxruntime",
                device="cpu",
            )

    def detect(
        self, frames: Iterable[np.ndarray], on_frame: Callable[[int], None] = lambda _: None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Keypoints (T, 26, 2) px and confidences (T, 26) of upright RGB frames, as ``detector.Detector`` has it."""
        xy, confidence, box = [], [], None
        for number, picture in enumerate(ahead(frames)):
            box = follow(np.asarray(self._solution.det_model(picture[..., ::-1])).reshape(-1, 4), box)
            points, trust = self._points(picture, box)
            xy.append(points)
            confidence.append(trust)
            on_frame(number)
        shape = (len(xy), len(HALPE_26))
        return np.reshape(xy, (*shape, 2)), np.reshape(confidence, shape)

    def _points(self, picture: np.ndarray, box: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Without a box rtmlib would invent a person as large as the picture; here there is nobody then."""
        if box is None:
            return np.full((len(HALPE_26), 2), np.nan), np.zeros(len(HALPE_26))
        points, scores = self._solution.pose_model(picture, bboxes=[box])
        if points.shape != (1, len(HALPE_26), 2):
            raise StudioError(
                f"{self.model} cannot be used",
                f"it gives {points.shape[1]} points, not the {len(HALPE_26)} of HALPE_26",
                "Choose an RTMPose model trained on Halpe26",
            )
        trust = np.clip(np.nan_to_num(scores[0]), 0.0, 1.0)
        unseen = (trust <= 0) | ~np.isfinite(points[0]).all(1)
        return np.where(unseen[:, None], np.nan, points[0]), np.where(unseen, 0.0, trust)


def follow(boxes: np.ndarray, last: np.ndarray | None) -> np.ndarray | None:
    """The box (x0, y0, x1, y1) among (N, 4) of the person followed so far, else of the largest one; None if nobody."""
    if not len(boxes):
        return None
    areas = np.clip(boxes[:, 2:] - boxes[:, :2], 0, None).prod(1)
    if last is not None:
        shared = np.clip(np.minimum(boxes[:, 2:], last[2:]) - np.maximum(boxes[:, :2], last[:2]), 0, None).prod(1)
        overlap = shared / (areas + (last[2:] - last[:2]).prod() - shared + 1e-9)
        if overlap.max() >= KEEP_OVERLAP:
            return boxes[int(np.argmax(overlap))]
    return boxes[int(np.argmax(areas))]


def input_size(path: Path) -> tuple[int, int]:
    """(width, height) px of an ONNX network's picture. Raises :class:`StudioError` when it has none."""
    shape = _session(path).get_inputs()[0].shape
    if len(shape) != 4 or not all(isinstance(side, int) and 0 < side < 4096 for side in shape[2:]):
        raise StudioError(
            f"{path.name} cannot be used", f"its input is {shape}, not one picture", "Choose another file"
        )
    return shape[3], shape[2]


def _session(path: Path) -> Any:
    import onnxruntime

    try:
        return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no common base for its errors
        raise StudioError(
            f"{path.name} cannot be used", "it is not a readable ONNX file", "Choose another file"
        ) from error


def rtmpose_weights(
    folder: Path, given: Path | None, on_progress: Callable[[str], None], tried: list[str]
) -> Weights | None:
    """RTMPose and its person detector: given, cached, else by rtmlib's own download where the network allows it.

    There is no published hash: the hash at first use is kept beside the file and held to from then on. What did not
    work is added to ``tried``.
    """
    if given is not None:
        return _given(given)
    files = {role: folder / name for role, name in FILES.items()}
    for role, path in files.items():
        if not path.is_file() and not _download(role, path, on_progress, tried):
            return None
        _pin(path)
    return Weights(label(NAME, files["landmarks"]), files)


def _given(given: Path) -> Weights | None:
    """Two ``.onnx`` files: the one with two outputs (SimCC x and y) is the pose network."""
    if not given.exists():
        raise StudioError(f"{given.name} cannot be opened", "there is no such file", "Choose the weights again")
    places = sorted((given if given.is_dir() else given.parent).glob("*.onnx"))
    if given.is_file() and given.suffix != ".onnx":
        return None
    poses = [path for path in places if len(_session(path).get_outputs()) == 2]
    people = [path for path in places if path not in poses]
    pose = given if given in poses else next(iter(poses), None)
    if pose is None and not people:
        return None
    if pose is None or not people:
        missing = "pose network with two outputs" if pose is None else "person detector (YOLOX)"
        raise StudioError(
            f"{given.name} is not enough for RTMPose",
            f"there is no {missing} beside it",
            "Give a folder with both .onnx files",
        )
    return Weights(label(pose.stem, pose), {"landmarks": pose, "detector": people[0]})


def _download(role: str, path: Path, on_progress: Callable[[str], None], tried: list[str]) -> bool:
    """Let rtmlib fetch one file. Its wait is long, so the host is asked first, with a short one."""
    from rtmlib import BodyWithFeet
    from rtmlib.tools.file import download_checkpoint, get_mirror_url

    url = BodyWithFeet.MODE[MODE]["pose" if role == "landmarks" else "det"]
    if not any(_answers(place) for place in (url, get_mirror_url(url)) if place):
        tried.append("RTMPose's download (not reachable)")
        return False
    on_progress(f"Fetching {path.stem}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.redirect_stdout(sys.stderr):
            Path(download_checkpoint(url, dst_dir=str(path.parent), progress=False)).replace(path)
    except Exception as error:  # rtmlib raises whatever its steps raise
        tried.append(f"RTMPose's download ({type(error).__name__})")
        return False
    return True


def _answers(url: str) -> bool:
    from urllib.request import Request, urlopen

    try:
        with urlopen(Request(url, method="HEAD"), timeout=REACH_TIMEOUT_S) as answer:
            return answer.status < 400
    except (OSError, ValueError):
        return False


def _pin(path: Path) -> None:
    """Hold a file to the hash it had when it was first used."""
    pin = path.with_suffix(".sha256")
    if pin.is_file():
        check(path, [pin.read_text(encoding="ascii").strip()])
    else:
        pin.write_text(sha256(path) + "\n", encoding="ascii")
