"""Colours of the fighter and of the floor, in one place. Values 0..1 for what OpenGL lights, 0..255 for the floor.

They repeat the product's look: the floor fades into the colour behind pictures of the same theme.
"""

from __future__ import annotations

from dataclasses import dataclass

Rgb = tuple[float, float, float]

SKIN: Rgb = (0.80, 0.645, 0.54)
LIMB: Rgb = (0.74, 0.585, 0.485)
SHORTS: Rgb = (0.13, 0.19, 0.35)
TRIM: Rgb = (0.86, 0.84, 0.80)
GLOVE: Rgb = (0.16, 0.29, 0.56)
HAIR: Rgb = (0.115, 0.105, 0.105)
BAG: Rgb = (0.17, 0.155, 0.15)


@dataclass(frozen=True)
class Floor:
    """``back`` is the colour behind everything, ``line`` the grid every 0.5 m, ``ghost`` the tint of a ghost."""

    back: tuple[int, int, int]
    floor: tuple[int, int, int]
    line: tuple[int, int, int]
    ghost: tuple[int, int, int]
    shade: float


DARK = Floor((14, 15, 17), (33, 35, 39), (62, 66, 73), (174, 182, 196), 0.72)
LIGHT = Floor((214, 216, 219), (203, 205, 209), (178, 181, 186), (92, 100, 112), 0.50)
