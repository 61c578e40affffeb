"""What finds a person's points in a video, and the choice of the best one at hand."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

import numpy as np

from studio.schema.errors import StudioError

AHEAD = 4
"""Frames decoded ahead of the network."""


class Detector(Protocol):
    """Finds HALPE_26 keypoints. ``model`` is the network's name with the prefix of its weights' SHA-256."""

    model: str

    def detect(
        self, frames: Iterable[np.ndarray], on_frame: Callable[[int], None] = ...
    ) -> tuple[np.ndarray, np.ndarray]:
        """Upright RGB frames (H, W, 3) uint8 in order to xy (T, 26, 2) px and confidence (T, 26) in 0..1.

        Points that were not seen are NaN with confidence 0. ``on_frame`` gets the number of each finished frame.
        """
        ...


def best_detector(
    weights_dir: Path | None = None,
    given: Path | None = None,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Detector:
    """RTMPose where its weights can be had, else BlazePose heavy, else BlazePose full.

    ``given`` is a file, folder or downloaded package that the user chose: it decides (an ``.onnx`` means RTMPose, a
    ``.tflite`` BlazePose). ``weights_dir`` replaces the cache. Fetching says so in words to ``on_progress``. Raises
    :class:`StudioError` when there are no weights, saying what was tried, or when a file is not the published one.
    """
    from studio.domain.pose.blazepose import BlazePose
    from studio.domain.pose.rtmpose import RTMPose, rtmpose_weights
    from studio.domain.pose.weights import Resolver

    resolver = Resolver(weights_dir, given, on_progress)
    found = rtmpose_weights(resolver.folder, given, on_progress, resolver.tried)
    if found is not None:
        on_progress(f"Loading {found.model}")
        return RTMPose(found.model, found.files["landmarks"], found.files["detector"])
    for name in resolver.order:
        weights = resolver.model(name)
        if weights is not None:
            on_progress(f"Loading {weights.model}")
            return BlazePose(weights.model, weights.files["landmarks"], weights.files["detector"])
    missing = " and ".join(resolver.files(resolver.order[0]))
    raise StudioError(
        "There are no weights for the pose model",
        "tried " + ", ".join(["the cache", *resolver.tried]),
        f"Connect to the internet once, or put {missing} into {resolver.folder}",
    )


def ahead(frames: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """The same frames, decoded by a thread of their own a few frames ahead. Its errors are raised here."""
    waiting: queue.Queue[np.ndarray | BaseException | None] = queue.Queue(AHEAD)
    stopped = threading.Event()

    def put(item: np.ndarray | BaseException | None) -> None:
        while not stopped.is_set():
            try:
                return waiting.put(item, timeout=0.1)
            except queue.Full:
                continue

    def decode() -> None:
        try:
            for frame in frames:
                put(frame)
                if stopped.is_set():
                    return
            put(None)
        except BaseException as error:  # handed to the caller's thread
            put(error)

    thread = threading.Thread(target=decode, name="decode", daemon=True)
    thread.start()
    try:
        while (item := waiting.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stopped.set()
        thread.join()
