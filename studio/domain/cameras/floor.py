"""The cameras seen from the floor that the coach really stood on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from studio.schema.camera import Rig


def on_floor(rig: Rig, floor_m: float) -> Rig:
    """The same cameras in a world whose z = 0 lies ``floor_m`` (m) higher: x_c = R (x + floor z) + t.

    A fighter who stands on z = 0 is then seen where the coach stood, although the calibration's floor was wrong.
    """
    lift = np.array([0.0, 0.0, floor_m])
    cameras = tuple(replace(c, translation=c.translation + c.rotation @ lift) for c in rig.cameras)
    return replace(rig, cameras=cameras)
