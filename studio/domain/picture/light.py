"""Where the light comes from: a key, a rim and a dome, for one quick picture or averaged over many for a film."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

AMBIENT = 0.11
"""Light from everywhere, so that nothing that faces the floor is black."""


@dataclass(frozen=True)
class Lamp:
    """A directional light: ``towards`` (3,) unit, from the scene to the light; ``strength`` 0..1; ``gloss`` 0..1."""

    towards: tuple[float, float, float]
    strength: float
    gloss: float = 0.0
    shadow: bool = False


@dataclass(frozen=True)
class Exposure:
    """One rendering with these lamps; a picture is the weighted sum of its exposures."""

    lamps: tuple[Lamp, ...]
    weight: float = 1.0


def key_direction(view_azimuth: float) -> np.ndarray:
    """(3,) to the key light, over the right shoulder of a viewer that stands at ``view_azimuth`` (rad)."""
    return _turned(view_azimuth + np.radians(38), 0.95)


def exposures(view_azimuth: float, film: bool) -> tuple[Exposure, ...]:
    """Live: one rendering, no shadow on the body. Film: three, with shadows on the body."""
    key = key_direction(view_azimuth)
    return _film(key, view_azimuth) if film else (Exposure(_live(key, view_azimuth)),)


def _live(key: np.ndarray, view_azimuth: float) -> tuple[Lamp, ...]:
    around = [_turned(view_azimuth + np.radians(a), h) for a, h in ((-50, 0.25), (85, 0.15), (190, 0.45))]
    shares = (0.28, 0.12, 0.30)
    dome = tuple(Lamp(_unit(d), s) for d, s in zip(around, shares, strict=True))
    return (Lamp(_unit(key), 0.64, gloss=0.08), Lamp((0.0, 0.0, 1.0), 0.18), *dome)


def _film(key: np.ndarray, view_azimuth: float) -> tuple[Exposure, ...]:
    """Three exposures: the key steps a little between them, so the edges of its shadows are soft."""
    steps = 0.09 * np.array([[1.0, 0.0, 0.3], [-0.5, 0.87, -0.3], [-0.5, -0.87, 0.0]])
    rest = _live(key, view_azimuth)[1:]
    return tuple(Exposure((Lamp(_unit(key + step), 0.70, 0.10, True), *rest), 1 / len(steps)) for step in steps)


def _turned(azimuth: float, height: float) -> np.ndarray:
    """(3,) unit vector; both angles in rad."""
    return np.array([np.cos(azimuth) * np.cos(height), np.sin(azimuth) * np.cos(height), np.sin(height)])


def _unit(direction: np.ndarray) -> tuple[float, float, float]:
    x, y, z = direction / np.linalg.norm(direction)
    return float(x), float(y), float(z)


def set_lamps(scene: mujoco.MjvScene, lamps: tuple[Lamp, ...], centre: np.ndarray) -> None:
    """Replace the scene's lights after ``mjv_updateScene``. Shadows are drawn only if a lamp casts one."""
    scene.nlight = len(lamps)
    for light, lamp in zip(scene.lights, lamps, strict=False):
        light.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
        light.headlight = 0
        light.castshadow = int(lamp.shadow)
        light.pos[:] = centre + 4.0 * np.array(lamp.towards)
        light.dir[:] = -np.array(lamp.towards)
        light.ambient[:] = AMBIENT / len(lamps)
        light.diffuse[:] = lamp.strength
        light.specular[:] = lamp.gloss
        light.attenuation[:] = (1, 0, 0)
    scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = int(any(lamp.shadow for lamp in lamps))
