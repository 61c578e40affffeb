import http.server
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from studio.domain.pose import rtmpose
from studio.domain.pose.detector import best_detector
from studio.domain.pose.rtmpose import RTMPose, follow, input_size, rtmpose_weights
from studio.schema.errors import StudioError

RED, BLACK = (255, 0, 0), (0, 0, 0)


def picture(colour: tuple[int, int, int]) -> np.ndarray:
    return np.full((160, 160, 3), colour, dtype=np.uint8)


@pytest.fixture
def folder(tmp_path: Path, tiny: SimpleNamespace) -> Path:
    tiny.pose(tmp_path / "rtmpose-tiny.onnx")
    tiny.person(tmp_path / "yolox-tiny.onnx")
    return tmp_path


@pytest.fixture
def detector(folder: Path) -> RTMPose:
    return RTMPose("tiny", folder / "rtmpose-tiny.onnx", folder / "yolox-tiny.onnx")


def test_points_in_halpe_order_and_in_the_picture(detector: RTMPose, tiny: SimpleNamespace) -> None:
    """The crop is the box with a margin of 1.25, made as wide to as high as the network's input."""
    xy, confidence = detector.detect([picture(RED)] * 2)
    assert xy.shape == (2, 26, 2)
    (x0, y0, x1, y1), (width, height) = tiny.box, tiny.size
    high = max(1.25 * (y1 - y0), 1.25 * (x1 - x0) * height / width)
    wide = high * width / height
    k = np.arange(26)
    expected_x = (x0 + x1) / 2 + ((1 + k) / width - 0.5) * wide
    expected_y = (y0 + y1) / 2 + ((2 + 2 * k) / height - 0.5) * high
    assert np.allclose(xy[0], np.column_stack([expected_x, expected_y]), atol=0.02)
    assert np.array_equal(xy[0], xy[1])
    first_channel = (255 - 123.675) / 58.395
    assert np.allclose(confidence[0], np.clip(0.02 * (k + 1) * first_channel, 0, 1), atol=1e-3)


def test_each_network_gets_its_own_order_of_channels(detector: RTMPose) -> None:
    """The stand-ins see red as the last channel (YOLOX, BGR) and as the first one (RTMPose, RGB)."""
    xy, confidence = detector.detect([picture(RED), picture((0, 0, 255))])
    assert np.isfinite(xy[0]).all() and confidence[0].min() > 0
    assert np.isnan(xy[1]).all()


def test_nobody_is_nobody(detector: RTMPose) -> None:
    frames = [picture(RED), picture(BLACK), picture(RED)]
    done: list[int] = []
    xy, confidence = detector.detect(frames, done.append)
    assert np.isnan(xy[1]).all() and not confidence[1].any()
    assert np.isfinite(xy[[0, 2]]).all()
    assert done == [0, 1, 2]


def test_the_same_person_is_followed() -> None:
    boxes = np.array([[0.0, 0, 100, 200], [300, 0, 360, 120]])
    assert follow(boxes, None) is not None
    assert np.array_equal(follow(boxes, None), boxes[0])
    assert np.array_equal(follow(boxes, np.array([305.0, 5, 365, 125])), boxes[1])
    assert np.array_equal(follow(boxes, np.array([600.0, 5, 665, 125])), boxes[0])
    assert follow(np.zeros((0, 4)), boxes[0]) is None


def test_input_size(folder: Path, tiny: SimpleNamespace) -> None:
    assert input_size(folder / "rtmpose-tiny.onnx") == tiny.size
    broken = folder / "broken.onnx"
    broken.write_bytes(b"not a network")
    with pytest.raises(StudioError, match=r"broken\.onnx cannot be used"):
        input_size(broken)


def test_another_skeleton_is_refused(folder: Path, tiny: SimpleNamespace) -> None:
    other = RTMPose("coco", tiny.pose(folder / "coco.onnx", points=17), folder / "yolox-tiny.onnx")
    with pytest.raises(StudioError, match="gives 17 points"):
        other.detect([picture(RED)])


def test_best_detector_takes_what_is_given(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for given in (folder, folder / "rtmpose-tiny.onnx"):
        found = best_detector(folder / "cache", given)
        assert isinstance(found, RTMPose)
        assert found.model.startswith("rtmpose-tiny ")
        assert len(found.model.split()[-1]) == 8
    assert capfd.readouterr().out == "", "standard output belongs to the caller"


def test_pose_network_alone_is_not_enough(tmp_path: Path, tiny: SimpleNamespace) -> None:
    pose = tiny.pose(tmp_path / "pose.onnx")
    with pytest.raises(StudioError, match="no person detector"):
        best_detector(tmp_path / "cache", pose)


def test_cached_files_are_held_to_their_first_hash(tmp_path: Path, tiny: SimpleNamespace) -> None:
    pose = tiny.pose(tmp_path / rtmpose.FILES["landmarks"])
    tiny.person(tmp_path / rtmpose.FILES["detector"])
    tried: list[str] = []
    first = rtmpose_weights(tmp_path, None, tried.append, tried)
    assert first is not None and first.model.startswith("rtmpose-m ")
    assert rtmpose_weights(tmp_path, None, tried.append, tried) == first
    assert tried == []
    pose.write_bytes(pose.read_bytes() + b"\x00")
    with pytest.raises(StudioError, match=r"rtmpose-m-halpe26\.onnx is not used"):
        rtmpose_weights(tmp_path, None, tried.append, tried)


def test_no_network_goes_on_quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtmpose, "_answers", lambda url: False)
    tried: list[str] = []
    assert rtmpose_weights(tmp_path, None, tried.append, tried) is None
    assert tried == ["RTMPose's download (not reachable)"]


def test_download_by_rtmlib(tmp_path: Path, tiny: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server on this machine gives the archives that rtmlib expects: a zip with end2end.onnx in it."""
    import rtmlib

    served = tmp_path / "served"
    served.mkdir()
    for name, make in (("pose", tiny.pose), ("det", tiny.person)):
        network = make(tmp_path / f"{name}.onnx")
        with zipfile.ZipFile(served / f"{name}-model.zip", "w") as zipped:
            zipped.write(network, "sdk/end2end.onnx")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **kwargs) -> None:
            super().__init__(*args, directory=str(served), **kwargs)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_address[1]}"
    urls = {"det": f"{here}/det-model.zip", "pose": f"{here}/pose-model.zip"}
    monkeypatch.setitem(rtmlib.BodyWithFeet.MODE, rtmpose.MODE, urls)
    tried: list[str] = []
    said: list[str] = []
    try:
        found = rtmpose_weights(tmp_path / "cache", None, said.append, tried)
    finally:
        server.shutdown()
        server.server_close()
    assert found is not None, tried
    assert said == ["Fetching rtmpose-m-halpe26", "Fetching yolox-m-person"]
    xy, _ = RTMPose(found.model, found.files["landmarks"], found.files["detector"]).detect([picture(RED)])
    assert np.isfinite(xy).all()
    assert sorted(path.suffix for path in (tmp_path / "cache").iterdir()) == [".onnx", ".onnx", ".sha256", ".sha256"]


def test_a_host_that_is_not_there_does_not_answer() -> None:
    assert not rtmpose._answers("http://127.0.0.1:9/model.zip")
    assert not rtmpose._answers("no address")
