"""Reading the calibration of cameras from other programs, and fitting it to the videos at hand."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from studio.schema.camera import Camera, Rig
from studio.schema.errors import StudioError

LARGEST_FILE = 4 * 2**20
CODEC_BLOCK = 16
"""H.264 stores pictures in blocks of 16 px (ITU-T H.264, 6.3), so 1080 becomes 1088."""
SENSOR_UNITS = 64.0
"""Qualisys writes intrinsics in 1/64 px (QTM calibration file; so read by Pose2Sim's calibration.py)."""
CHECK_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class NamedCamera:
    """One camera as its file has it, not yet tied to a phone. Fields as in :class:`studio.schema.camera.Camera`."""

    name: str
    width: int
    height: int
    matrix: np.ndarray
    distortion: np.ndarray
    rotation: np.ndarray
    translation: np.ndarray


def read_calibration(path: Path | str) -> tuple[NamedCamera, ...]:
    """Cameras of a Pose2Sim ``.toml`` or a Qualisys ``.qca.txt``, sorted by name.

    World to camera, metres, OpenCV's camera axes (x right, y down, z forward). Raises :class:`StudioError` for a file
    that is missing, damaged, not of these two kinds, or holds a camera that this model cannot describe.
    """
    path = Path(path)
    text = _text(path)
    try:
        if path.suffix.lower() == ".toml":
            cameras = _from_toml(path, tomllib.loads(text))
        else:
            cameras = _from_qualisys(path, text)
    except (tomllib.TOMLDecodeError, ElementTree.ParseError) as error:
        raise _refused(path, f"it is damaged ({str(error)[:80]})") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _refused(path, f"a value is missing or not a number ({str(error)[:80]})") from error
    if not cameras:
        raise _refused(path, "there is no camera in it")
    for camera in cameras:
        _check(path, camera)
    return tuple(sorted(cameras, key=lambda camera: camera.name))


def to_rig(cameras: Mapping[str, NamedCamera], sizes: Mapping[str, tuple[int, int]]) -> Rig:
    """Tie cameras to phones: ``cameras`` and ``sizes`` (width, height of the upright video, px) by phone.

    A video must have the size it was calibrated with. One difference is understood, a calibration whose width was
    rounded up to the codec's block of 16 px (1088 for 1080, same height): there the video is the calibrated picture
    scaled down to the narrower width and centred in the height: x' = s x, y' = s (y - H/2) + H/2, s = 1080/1088.
    It is not a crop. Measured on Pose2Sim's single-person demo between its extrinsic stills (1088 wide) and its videos
    (1080 wide): 725 and 1354 matched points of the still background follow this map to 0.3 and 0.2 px, while a crop on
    the right would be 8 px wrong at the right edge and a crop on both sides 4 px at either edge; and the videos have
    the 7 dark rows above and below that the scaling leaves. Any other difference raises :class:`StudioError` naming
    the phone and both sizes.
    """
    built, notes = [], []
    for phone in sorted(cameras):
        camera, note = _fit_size(phone, cameras[phone], sizes[phone])
        built.append(
            Camera(phone, *sizes[phone], camera.matrix, camera.distortion, camera.rotation, camera.translation)
        )
        notes += [note] if note else []
    return Rig(tuple(built), tuple(notes))


def _fit_size(phone: str, camera: NamedCamera, size: tuple[int, int]) -> tuple[NamedCamera, str]:
    width, height = size
    if (camera.width, camera.height) == size:
        return camera, ""
    rounded = -(-width // CODEC_BLOCK) * CODEC_BLOCK
    if (camera.width, camera.height) != (rounded, height):
        raise StudioError(
            f"Phone {phone}: the calibration does not belong to this video",
            f"it was made for {camera.width} x {camera.height} px, the video is {width} x {height} px",
            "Calibrate with the same lens, zoom, resolution and orientation as the take",
        )
    note = (
        f"Phone {phone}: calibrated at {camera.width} x {camera.height} px, filmed at {width} x {height} px; "
        "the lens was scaled to the narrower picture, centred in its height"
    )
    return replace(camera, width=width, matrix=_letterboxed(camera.matrix, camera.width, width, height)), note


def _letterboxed(matrix: np.ndarray, calibrated: int, width: int, height: int) -> np.ndarray:
    """K after a uniform scale that keeps the left edge and the middle row. Pixel centres are at whole numbers."""
    scale = width / calibrated
    out = matrix.copy()
    out[:2] *= scale
    out[0, 2] = scale * (matrix[0, 2] + 0.5) - 0.5
    out[1, 2] = scale * (matrix[1, 2] + 0.5 - height / 2) + height / 2 - 0.5
    return out


def _text(path: Path) -> str:
    if not path.is_file():
        raise StudioError(f"{path.name} cannot be opened", "there is no such file", "Choose the calibration again")
    if path.stat().st_size > LARGEST_FILE:
        raise _refused(path, "it is larger than any calibration")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(path, "it is not a text file") from error


def _refused(path: Path, why: str) -> StudioError:
    return StudioError(
        f"{path.name} cannot be used as a calibration", why, "Choose a Pose2Sim .toml or a Qualisys .qca.txt file"
    )


def _from_toml(path: Path, document: dict[str, Any]) -> list[NamedCamera]:
    cameras = []
    for key, table in document.items():
        if key == "metadata" or not isinstance(table, dict):
            continue
        name = str(table.get("name", key))
        if table.get("fisheye", False):
            raise _refused(path, f"camera {name} has a fisheye lens, which is not supported")
        width, height = (round(float(side)) for side in table["size"])
        cameras.append(
            NamedCamera(
                name,
                width,
                height,
                np.array(table["matrix"], dtype=float),
                _four(path, name, table["distortions"]),
                Rotation.from_rotvec(np.array(table["rotation"], dtype=float)).as_matrix(),
                np.array(table["translation"], dtype=float),
            )
        )
    return cameras


def _four(path: Path, name: str, values: Any) -> np.ndarray:
    """k1 k2 p1 p2; a fifth term (k3) is accepted only where it is zero."""
    distortion = np.array(values, dtype=float)
    if distortion.ndim != 1 or not 4 <= len(distortion) <= 5 or np.any(distortion[4:]):
        raise _refused(path, f"camera {name} needs more than the four distortion terms k1 k2 p1 p2")
    return distortion[:4]


def _from_qualisys(path: Path, text: str) -> list[NamedCamera]:
    """Video cameras of a Qualisys calibration.

    QTM stores the camera in the world (mm, rotation by columns, z towards the viewer, y up); turned over about x it is
    OpenCV's world to camera. Units and signs as in Pose2Sim's ``read_qca`` and ``calib_qca_fun`` (BSD-3-Clause), so
    that both give the same points; that includes its division of the distortion by 64, which makes it nearly vanish.
    """
    if "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper():
        raise _refused(path, "it declares entities, which a calibration never does")
    root = ElementTree.fromstring(text)
    return [_qualisys_camera(path, tag) for tag in root.findall("cameras/camera") if _films(tag)]


def _films(tag: ElementTree.Element) -> bool:
    """Marker cameras carry another model name (the same test as Pose2Sim's)."""
    model = tag.get("model", "").lower()
    return "video" in model or "none" in model


def _qualisys_camera(path: Path, tag: ElementTree.Element) -> NamedCamera:
    name = tag.attrib["serial"]
    if float(tag.get("viewrotation", "0")) % 360:
        raise _refused(path, f"camera {name} is stored with a turned view, which its numbers do not follow")
    view, lens, place = (_part(tag, part).attrib for part in ("fov_video", "intrinsic", "transform"))
    left, right, top, bottom = (float(view[side]) for side in ("left", "right", "top", "bottom"))
    fu, fv, cu, cv = (
        float(lens[k]) / SENSOR_UNITS for k in ("focalLengthU", "focalLengthV", "centerPointU", "centerPointV")
    )
    terms = ("radialDistortion1", "radialDistortion2", "tangentalDistortion1", "tangentalDistortion2")
    in_world = np.array([[float(place[f"r{column}{row}"]) for column in (1, 2, 3)] for row in (1, 2, 3)])
    position = np.array([float(place[axis]) for axis in "xyz"]) / 1000.0
    rotation = np.diag([1.0, -1.0, -1.0]) @ in_world.T
    return NamedCamera(
        name,
        round(right - left + 1),
        round(bottom - top + 1),
        np.array([[fu, 0.0, cu - left], [0.0, fv, cv - top], [0.0, 0.0, 1.0]]),
        np.array([float(lens[term]) / SENSOR_UNITS for term in terms]),
        rotation,
        -rotation @ position,
    )


def _part(tag: ElementTree.Element, name: str) -> ElementTree.Element:
    part = tag.find(name)
    if part is None:
        raise ValueError(name)
    return part


def _check(path: Path, camera: NamedCamera) -> None:
    """Refuse numbers that no camera has: they would only show much later, as a bent fighter."""
    arrays = (camera.matrix, camera.distortion, camera.rotation, camera.translation)
    shapes = tuple(array.shape for array in arrays)
    if shapes != ((3, 3), (4,), (3, 3), (3,)) or not all(np.isfinite(array).all() for array in arrays):
        raise _refused(path, f"the numbers of camera {camera.name} have the wrong shape or are not finite")
    if not (0 < camera.width < 20_000 and 0 < camera.height < 20_000):
        raise _refused(path, f"camera {camera.name} is {camera.width} x {camera.height} px")
    if min(camera.matrix[0, 0], camera.matrix[1, 1]) <= 0 or not np.allclose(camera.matrix[2], [0, 0, 1]):
        raise _refused(path, f"the lens matrix of camera {camera.name} is not one")
    turned = camera.rotation @ camera.rotation.T - np.eye(3)
    if np.abs(turned).max() > CHECK_TOLERANCE or np.linalg.det(camera.rotation) < 0:
        raise _refused(path, f"the rotation of camera {camera.name} is not one")
