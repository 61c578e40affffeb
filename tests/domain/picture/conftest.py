"""A take that two small synthetic phones have filmed: each frame tells its own number."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from studio.domain.body.load import body_hash
from studio.domain.cameras.mujoco_camera import FreeCamera
from studio.domain.picture.dress import dressed_fighter
from studio.domain.video.writer import write_mp4
from studio.schema.body import Body
from studio.schema.camera import Camera, Rig
from studio.schema.motion import Motion
from studio.schema.take import Sync, Take, Video

WIDTH, HEIGHT, FPS, FRAMES, LATE = 96, 160, 30.0, 40, 4


def numbered(frame: int) -> np.ndarray:
    """Eight white or black bars: the frame's number in binary, the lowest bit on the left."""
    bars = [255 * (frame >> bit & 1) for bit in range(8)]
    return np.repeat(np.repeat(np.array(bars, np.uint8), WIDTH // 8)[None], HEIGHT, axis=0)[..., None].repeat(3, axis=2)


def number_in(picture: np.ndarray) -> int:
    """The number written by :func:`numbered` in a picture of any width."""
    places = ((np.arange(8) + 0.5) / 8 * picture.shape[1]).astype(int)
    middle = picture[picture.shape[0] // 2, places, 0]
    return sum(int(value > 128) << bit for bit, value in enumerate(middle))


@dataclass(frozen=True, eq=False)
class Filmed:
    take: Take
    files: dict[str, Path]
    rig: Rig
    body: Body
    motion: Motion
    number_in: staticmethod = field(default=staticmethod(number_in))


def phone(name: str, azimuth: float) -> Camera:
    base = FreeCamera((0.0, 0.0, 0.9), 3.6, azimuth, -12.0, 52.0).camera(WIDTH, HEIGHT)
    return Camera(name, WIDTH, HEIGHT, base.matrix, np.zeros(4), base.rotation, base.translation)


@pytest.fixture(scope="session")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    folder = tmp_path_factory.mktemp("take")
    files = {name: folder / f"{name}.mp4" for name in "ab"}
    for path in files.values():
        write_mp4(path, (numbered(k) for k in range(FRAMES)), FPS)
    videos = tuple(Video(p, f"{p}.mp4", "", WIDTH, HEIGHT, FPS, FRAMES, FRAMES / FPS) for p in "ab")
    take = Take("kick", "gym", videos, Sync("hand", {"b": LATE / FPS}), 0.0, (FRAMES - 1 - LATE) / FPS)
    body = Body("fighter", 1.80, 70.0, 1.25)
    model = dressed_fighter(body)
    qpos = np.tile(model.qpos0, (FRAMES - LATE, 1))
    qpos[:, model.jnt_qposadr[model.joint("hip_pitch_r").id]] = -np.linspace(0, 1.2, len(qpos))
    joints = tuple(model.joint(k).name for k in range(1, model.njnt))
    motion = Motion(body.name, body_hash(body), FPS, 0.0, joints, qpos)
    return Filmed(take, files, Rig((phone("a", 150.0), phone("b", 215.0))), body, motion)
