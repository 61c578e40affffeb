import numpy as np

from studio.domain.pose.mapping import BLAZEPOSE, blazepose_to_halpe
from studio.schema.keypoints import HALPE_26, INDEX, MIRROR

MEDIAPIPE = [
    "nose", "left_eye_inner", "left_eye", "left_eye_outer",
    "right_eye_inner", "right_eye", "right_eye_outer", "left_ear",
    "right_ear", "mouth_left", "mouth_right", "left_shoulder",
    "right_shoulder", "left_elbow", "right_elbow", "left_wrist",
    "right_wrist", "left_pinky", "right_pinky", "left_index",
    "right_index", "left_thumb", "right_thumb", "left_hip",
    "right_hip", "left_knee", "right_knee", "left_ankle",
    "right_ankle", "left_heel", "right_heel", "left_foot_index",
    "right_foot_index",
]  # fmt: skip
"""MediaPipe's names of the landmarks (PoseLandmark)."""


def landmarks() -> np.ndarray:
    return np.column_stack([np.arange(33) * 10.0, np.arange(33) * 7.0, 0.5 + np.arange(33) / 100])


def test_every_point_goes_to_its_namesake() -> None:
    sides = {"L": "left_", "R": "right_"}
    for name, number in BLAZEPOSE.items():
        theirs = MEDIAPIPE[number]
        if name == "Nose":
            assert theirs == "nose"
            continue
        part = {"BigToe": "foot_index"}.get(name[1:], name[1:].lower())
        assert theirs == sides[name[0]] + part, name


def test_order_and_confidence() -> None:
    xy, confidence = blazepose_to_halpe(landmarks())
    assert xy.shape == (26, 2)
    assert xy[INDEX["LKnee"]].tolist() == [250, 175]
    assert confidence[INDEX["LKnee"]] == 0.75
    assert xy[INDEX["RBigToe"]].tolist() == [320, 224]


def test_midpoints_are_as_sure_as_the_worse_side() -> None:
    given = landmarks()
    given[24, 2] = 0.1
    xy, confidence = blazepose_to_halpe(given)
    assert xy[INDEX["Hip"]].tolist() == [235, 164.5]
    assert confidence[INDEX["Hip"]] == 0.1
    assert xy[INDEX["Neck"]].tolist() == [115, 80.5]


def test_what_blazepose_does_not_see_is_never_invented() -> None:
    xy, confidence = blazepose_to_halpe(landmarks())
    unseen = {name for name, trust in zip(HALPE_26, confidence, strict=True) if trust == 0}
    assert unseen == {"Head", "LSmallToe", "RSmallToe"}
    assert {name for name, point in zip(HALPE_26, xy, strict=True) if np.isnan(point).all()} == unseen


def test_barely_visible_points_stay() -> None:
    given = landmarks()
    given[:, 2] = 0.02
    xy, confidence = blazepose_to_halpe(given)
    assert np.isfinite(xy[INDEX["LWrist"]]).all()
    assert confidence[INDEX["LWrist"]] == 0.02


def test_nobody() -> None:
    xy, confidence = blazepose_to_halpe(np.column_stack([np.full((33, 2), np.nan), np.zeros(33)]))
    assert np.isnan(xy).all()
    assert not confidence.any()


def test_sides_mirror_each_other() -> None:
    left = {name[1:] for name in BLAZEPOSE if name[0] == "L"}
    assert left == {name[1:] for name in BLAZEPOSE if name[0] == "R"}
    for name, number in BLAZEPOSE.items():
        other = HALPE_26[MIRROR[INDEX[name]]]
        swap = {"left": "right", "right": "left"}
        mirrored = "_".join(swap.get(word, word) for word in MEDIAPIPE[number].split("_"))
        assert MEDIAPIPE[BLAZEPOSE[other]] == mirrored
