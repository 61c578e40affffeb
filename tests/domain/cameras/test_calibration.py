import importlib.util
from pathlib import Path

import numpy as np
import pytest

from studio.domain.cameras.calibration import NamedCamera, read_calibration, to_rig
from studio.schema.errors import StudioError

FIELDS = ("matrix", "distortion", "rotation", "translation")


@pytest.fixture(scope="session")
def qca() -> Path:
    """The calibration that comes with Pose2Sim's demo."""
    spec = importlib.util.find_spec("Pose2Sim")
    assert spec is not None and spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "Demo_SinglePerson" / "calibration" / "Calib.qca.txt"


def camera(**changes: object) -> NamedCamera:
    fields: dict = {
        "name": "left",
        "width": 1088,
        "height": 1920,
        "matrix": np.array([[1680.0, 0, 533], [0, 1680, 948], [0, 0, 1]]),
        "distortion": np.array([0.01, -0.02, 1e-3, 2e-3]),
        "rotation": np.eye(3),
        "translation": np.array([0.1, 0.2, 3.0]),
    }
    return NamedCamera(**(fields | changes))


TOML = """
[one]
name = "zoe"
size = [1080, 1920.0]
matrix = [[1500, 0, 540], [0, 1501.0, 960], [0, 0, 1]]
distortions = [0.1, -0.2, 0.001, 0.002]
rotation = [0.0, 0.0, 1.5707963267948966]
translation = [1, 2, 3]
fisheye = false
[two]
name = "abe"
size = [1080, 1920]
matrix = [[1500, 0, 540], [0, 1501.0, 960], [0, 0, 1]]
distortions = [0, 0, 0, 0, 0]
rotation = [0, 0, 0]
translation = [0, 0, 4]
[metadata]
error = 0.1
"""


def written(folder: Path, text: str | bytes, name: str = "Calib.toml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_toml(tmp_path: Path) -> None:
    abe, zoe = read_calibration(written(tmp_path, TOML))
    assert (abe.name, zoe.name) == ("abe", "zoe")
    assert (zoe.width, zoe.height) == (1080, 1920)
    assert np.allclose(zoe.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert np.allclose(zoe.distortion, [0.1, -0.2, 0.001, 0.002])
    assert np.allclose(zoe.translation, [1, 2, 3])
    assert abe.distortion.shape == (4,)


def test_qualisys_agrees_with_pose2sim(qca: Path, shared: Path) -> None:
    """The shared file was made from the other by Pose2Sim itself."""
    ours = read_calibration(qca)
    theirs = read_calibration(shared / "two_view" / "calib_original.toml")
    assert [c.name for c in ours] == [c.name for c in theirs] == ["cam01", "cam02", "cam03", "cam04"]
    for a, b in zip(ours, theirs, strict=True):
        assert (a.width, a.height) == (b.width, b.height) == (1088, 1920)
        for field in FIELDS:
            assert np.abs(getattr(a, field) - getattr(b, field)).max() < 1e-6, field


def test_demo_cameras_stand_around_a_floor(qca: Path) -> None:
    cameras = {"a": read_calibration(qca)[0], "b": read_calibration(qca)[1]}
    rig = to_rig(cameras, {"a": (1080, 1920), "b": (1080, 1920)})
    for phone in ("a", "b"):
        assert 1.5 < rig.camera(phone).position[2] < 2.1
        assert rig.camera(phone).rotation[2, 2] < 0, "looks down"


def test_same_size_is_taken_as_it_is() -> None:
    rig = to_rig({"b": camera(), "a": camera()}, {"a": (1088, 1920), "b": (1088, 1920)})
    assert [c.phone for c in rig.cameras] == ["a", "b"]
    assert rig.notes == ()
    assert np.array_equal(rig.camera("a").matrix, camera().matrix)


def test_rounded_width_is_scaled_and_said() -> None:
    """A point seen at x, y in the calibrated picture is at s x, s (y - 960) + 960 in the video (pixel edges)."""
    rig = to_rig({"a": camera()}, {"a": (1080, 1920)})
    point = np.array([0.3, -0.4, 2.0])
    before = camera().matrix @ point
    after = rig.camera("a").matrix @ point
    x, y = before[:2] / before[2] + 0.5
    scale = 1080 / 1088
    assert np.allclose(after[:2] / after[2] + 0.5, [scale * x, scale * (y - 960) + 960])
    assert rig.camera("a").width == 1080
    assert len(rig.notes) == 1
    assert all(word in rig.notes[0] for word in ("Phone a", "1088 x 1920", "1080 x 1920"))


def test_scaling_is_what_happened_to_the_demo(qca: Path) -> None:
    """The still background of a demo video lies where the scaled lens says, not where a crop would put it."""
    import cv2

    from studio.domain.video.reader import FrameReader

    demo = qca.parents[1]
    still = cv2.imread(str(demo / "calibration" / "extrinsics" / "cam02_ext.png"), cv2.IMREAD_GRAYSCALE)
    assert still is not None and still.shape == (1920, 1088)
    with FrameReader(demo / "videos" / "cam02.mp4") as reader:
        video = cv2.cvtColor(reader.frame(0), cv2.COLOR_RGB2GRAY)
    lens = to_rig({"a": camera()}, {"a": (1080, 1920)}).camera("a").matrix @ np.linalg.inv(camera().matrix)
    scaled = cv2.warpAffine(still, lens[:2], (1080, 1920))
    errors = {}
    for name, guess in (("scaled", scaled), ("right", still[:, :1080]), ("both", still[:, 4:1084])):
        patch = (slice(120, 420), slice(820, 1060))  # cupboards and cameras, at the edge where the guesses differ
        a, b = (cv2.GaussianBlur(p[patch].astype(np.float32), (0, 0), 1.5) for p in (guess, video))
        errors[name] = float(np.abs((a - a.mean()) - (b - b.mean())).mean())
    assert errors["scaled"] < 0.7 * min(errors["right"], errors["both"]), errors


@pytest.mark.parametrize("size", [(1920, 1080), (720, 1280), (1072, 1920), (1080, 1912), (1089, 1920)])
def test_any_other_size_is_refused_by_name(size: tuple[int, int]) -> None:
    with pytest.raises(StudioError) as caught:
        to_rig({"b": camera()}, {"b": size})
    assert "Phone b" in caught.value.what
    assert "1088 x 1920" in caught.value.why
    assert f"{size[0]} x {size[1]}" in caught.value.why


BAD_TOML = {
    "fisheye": ("fisheye = false", "fisheye = true"),
    "size": ("size = [1080, 1920.0]\n", ""),
    "five": ("distortions = [0, 0, 0, 0, 0]", "distortions = [0, 0, 0, 0, 0.1]"),
    "three": ("distortions = [0, 0, 0, 0, 0]", "distortions = [0, 0, 0]"),
    "nan": ("translation = [1, 2, 3]", "translation = [1, nan, 3]"),
    "shape": ("translation = [1, 2, 3]", "translation = [1, 2]"),
    "focal": ("matrix = [[1500, 0, 540]", "matrix = [[-1500, 0, 540]"),
    "words": ("translation = [1, 2, 3]", 'translation = ["x", 2, 3]'),
    "huge": ("size = [1080, 1920.0]", "size = [1e300, 1920]"),
    "syntax": ("[two]", "[two"),
}


@pytest.mark.parametrize("case", BAD_TOML)
def test_bad_toml(tmp_path: Path, case: str) -> None:
    old, new = BAD_TOML[case]
    assert old in TOML
    with pytest.raises(StudioError, match=r"Calib\.toml cannot be used as a calibration"):
        read_calibration(written(tmp_path, TOML.replace(old, new, 1)))


def test_fisheye_names_the_camera(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="camera zoe has a fisheye lens"):
        read_calibration(written(tmp_path, TOML.replace("fisheye = false", "fisheye = true")))


BAD_QCA = {
    "lens": ('focalLengthU="107599.671875"', ""),
    "number": ('focalLengthU="107599.671875"', 'focalLengthU="wide"'),
    "turned view": ('viewrotation="0"', 'viewrotation="90"'),
    "not a rotation": ('r11="0.5536380477336265"', 'r11="0.9"'),
    "no place": ("<transform", "<transformed"),
    "cut off": ("</calibration>", ""),
}


@pytest.mark.parametrize("case", BAD_QCA)
def test_bad_qualisys(tmp_path: Path, qca: Path, case: str) -> None:
    text = qca.read_text()
    old, new = BAD_QCA[case]
    assert old in text
    with pytest.raises(StudioError, match="cannot be used as a calibration"):
        read_calibration(written(tmp_path, text.replace(old, new, 1), "Calib.qca.txt"))


def test_marker_cameras_are_left_out(tmp_path: Path, qca: Path) -> None:
    text = (
        qca.read_text().replace('model="none"', 'model="Oqus 7+"', 1).replace('model="none"', 'model="Miqus Video"', 1)
    )
    names = [c.name for c in read_calibration(written(tmp_path, text, "Calib.qca.txt"))]
    assert names == ["cam02", "cam03", "cam04"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_not_expanded(tmp_path: Path, encoding: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("private")
    text = (
        f'<?xml version="1.0"?><!doctype c [<!ENTITY x SYSTEM "{secret}">]>'
        "<calibration><cameras><camera serial='&x;' model='none'/></cameras></calibration>"
    )
    with pytest.raises(StudioError) as caught:
        read_calibration(written(tmp_path, text.encode(encoding), "Calib.qca.txt"))
    assert "private" not in str(caught.value)


def test_other_bad_files(tmp_path: Path) -> None:
    for data in (b"", b"\xff\xfe\x00\x01binary", b"camera,fx,fy\n", b"<calibration/>", b" " * (4 * 2**20 + 1)):
        with pytest.raises(StudioError, match="cannot be used as a calibration"):
            read_calibration(written(tmp_path, data, "Calib.qca.txt"))
    with pytest.raises(StudioError, match="no such file"):
        read_calibration(tmp_path / "gone.toml")
    with pytest.raises(StudioError, match="no camera"):
        read_calibration(written(tmp_path, "[metadata]\nerror = 0.0\n"))
