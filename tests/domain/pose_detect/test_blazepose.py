from pathlib import Path

import numpy as np
import pytest

from studio.domain.pose import blazepose
from studio.domain.pose.blazepose import BlazePose, OneEuro, Region, Tracker, region_between
from studio.domain.pose.weights import Resolver
from studio.domain.video.reader import FrameReader
from studio.schema.keypoints import INDEX


def test_anchors_cover_the_picture() -> None:
    centres = blazepose.anchors()
    assert centres.shape == (2254, 2)
    assert centres[0].tolist() == [0.5 / 28, 0.5 / 28]
    assert centres[2].tolist() == [1.5 / 28, 0.5 / 28], "x runs first"
    assert centres[-1].tolist() == [6.5 / 7, 6.5 / 7]


def test_region_points_up() -> None:
    upright = region_between(np.array([300.0, 500.0]), np.array([300.0, 300.0]))
    assert upright == Region(300, 500, 500, pytest.approx(0))
    lying = region_between(np.array([300.0, 500.0]), np.array([500.0, 500.0]))
    assert lying.angle == pytest.approx(np.pi / 2)
    assert lying.to_picture(np.array([0.5, 0.0])) == pytest.approx([550, 500]), "the top of the square is at the head"


def test_cut_shows_the_head_on_top() -> None:
    picture = np.zeros((400, 600, 3), dtype=np.uint8)
    picture[180:220, 380:420] = 255
    lying = region_between(np.array([300.0, 200.0]), np.array([400.0, 200.0]))
    square = blazepose.cut(picture, lying, 256, edge=True)
    row, col = np.argwhere(square[..., 0] > 200).mean(0)
    assert (col, row) == (pytest.approx(128, abs=2), pytest.approx(128 * 0.2, abs=2))


def test_outside_the_picture() -> None:
    white = np.full((100, 100, 3), 200, dtype=np.uint8)
    half_out = Region(0, 50, 100, 0.0)
    assert blazepose.cut(white, half_out, 64, edge=True).min() == 200
    assert blazepose.cut(white, half_out, 64, edge=False)[:, :20].max() == 0


def detection(centre: tuple[float, float], anchor: np.ndarray) -> np.ndarray:
    """A box of 40 px about ``centre`` (0..1) with its four points 0, 10, 20, 30 px to the right."""
    offset = (np.array(centre) - anchor) * 224
    return np.concatenate([offset, [40, 40], *[offset + np.array([10 * k, 0]) for k in range(4)]])


def test_best_person_wins_and_blends_with_its_neighbours() -> None:
    centres = blazepose.anchors()
    boxes, logits = np.zeros((2254, 12)), np.full(2254, -9.0)
    for cell, centre, logit in ((700, (0.5, 0.4), 2.0), (705, (0.52, 0.4), 0.5), (100, (0.1, 0.9), 1.0)):
        boxes[cell], logits[cell] = detection(centre, centres[cell]), logit
    points = blazepose.best_person(boxes, logits, centres)
    assert points is not None
    a, b = 1 / (1 + np.exp(-2.0)), 1 / (1 + np.exp(-0.5))
    x = (a * 0.5 + b * 0.52) / (a + b)
    assert points[:, 1] == pytest.approx(0.4)
    assert points[:, 0] == pytest.approx(x + np.arange(4) * 10 / 224)


def test_nobody_is_detected() -> None:
    centres = blazepose.anchors()
    assert blazepose.best_person(np.zeros((2254, 12)), np.full(2254, -0.1), centres) is None
    assert blazepose.best_person(np.zeros((2254, 12)), np.full(2254, -1e6), centres) is None


def test_heat_moves_a_landmark() -> None:
    unit = np.full((39, 2), 0.5)
    unit[1] = (1.2, 0.5)
    heat = np.full((64, 64, 39), -20.0)
    heat[30, 33, 0] = heat[30, 34, 0] = 20.0
    heat[30, 33, 2] = -0.1
    heat[10, 10, 3] = 20.0
    out = blazepose.refine(unit, heat)
    assert out[0] == pytest.approx([33.5 / 64, 30 / 64], abs=1e-6)
    assert out[1].tolist() == [1.2, 0.5], "outside the crop"
    assert out[2].tolist() == [0.5, 0.5], "too little heat"
    assert out[3].tolist() == [0.5, 0.5], "heat too far away"


def test_filter_holds_still_and_follows() -> None:
    smooth = OneEuro()
    still = np.array([[100.0, 200.0], [100.0, 0.0]])
    rng = np.random.default_rng(2)
    out = np.array([smooth(still + rng.normal(0, 1, (2, 2))) for _ in range(200)])
    assert out[50:].std(0).max() < 0.4
    for step in range(60):
        last = smooth(still + np.array([10.0 * step, 0]))
    assert last[0, 0] == pytest.approx(690, abs=25), "a fast walk is followed closely"


def body_at(x: float) -> np.ndarray:
    points = np.column_stack([np.full(39, x), np.full(39, 50.0), np.full(39, 0.9)])
    points[33, :2], points[34, :2] = (x, 50), (x, 20)
    return points


def test_a_lost_person_is_searched_for_at_once() -> None:
    calls: list[str] = []
    present = iter([True, True, False, True, True])

    def detect(_: np.ndarray) -> np.ndarray:
        calls.append("detect")
        return np.array([[70.0, 50.0], [70.0, 20.0], [0, 0], [0, 0]])

    def landmarks(_: np.ndarray, region: Region) -> np.ndarray | None:
        calls.append(f"read {region.x:.0f}")
        return body_at(90.0) if next(present) else None

    tracker = Tracker(detect, landmarks)
    picture = np.zeros((100, 100, 3), dtype=np.uint8)
    found = [tracker.follow(picture) for _ in range(4)]
    assert calls == ["detect", "read 70", "read 90", "read 90", "detect", "read 70", "read 90"]
    assert all(body is not None and body.shape == (33, 3) for body in found)


def test_nobody_there() -> None:
    tracker = Tracker(lambda _: None, lambda *_: body_at(1.0))
    assert tracker.follow(np.zeros((10, 10, 3), dtype=np.uint8)) is None


@pytest.fixture(scope="module")
def heavy() -> BlazePose:
    found = Resolver().model("blazepose-heavy")
    assert found is not None
    return BlazePose(found.model, found.files["landmarks"], found.files["detector"])


@pytest.mark.parametrize("cam", ["cam01", "cam02"])
def test_as_mediapipe_itself(heavy: BlazePose, demo_videos: Path, shared: Path, cam: str) -> None:
    """Median under 5 px (measured 1.0 and 1.4 over all 100 frames); the person is about 900 px tall."""
    reference = np.load(shared / "two_view" / "blazepose_heavy.npz")[cam][:12]
    done: list[int] = []
    with FrameReader(demo_videos / f"{cam}.mp4") as reader:
        xy, confidence = heavy.detect(reader.frames(0, 12), done.append)
    assert done == list(range(12))
    assert xy.shape == (12, 26, 2)
    assert confidence.shape == (12, 26)
    pairs = {"LShoulder": 11, "RHip": 24, "LKnee": 25, "RAnkle": 28, "RWrist": 16, "LHeel": 29, "RBigToe": 32}
    error = [np.linalg.norm(xy[:, INDEX[name]] - reference[:, k, :2], axis=1) for name, k in pairs.items()]
    assert np.median(error) < 3
    assert np.percentile(error, 95) < 10
    assert np.isnan(xy[:, INDEX["Head"]]).all()
    assert heavy.model == "blazepose-heavy 59e42d71"


def test_an_empty_room(heavy: BlazePose) -> None:
    room = np.full((480, 270, 3), 127, dtype=np.uint8)
    xy, confidence = heavy.detect([room, room])
    assert np.isnan(xy).all()
    assert not confidence.any()


def test_no_frames(heavy: BlazePose) -> None:
    xy, confidence = heavy.detect([])
    assert xy.shape == (0, 26, 2)
    assert confidence.shape == (0, 26)
