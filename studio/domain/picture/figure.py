"""What the fighter looks like: which balls make which part, and its colour. Drawn by us, in the bodies' frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from studio.domain.picture import palette
from studio.domain.picture.hull import Ball
from studio.domain.picture.palette import Rgb

Piece = tuple[tuple[Ball, ...], tuple[float, float, float]]
ROUND = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Part:
    """One visible thing on a body: pieces grown together, each some balls in one hull and how they are stretched.

    ``cell`` (m) is the fineness of its surface, 0 for the bare hull of its one piece; ``gloss`` 0 matt .. 1 glossy.
    """

    body: str
    name: str
    colour: Rgb
    pieces: tuple[Piece, ...]
    gloss: float = 0.12
    cell: float = 0.021


@dataclass(frozen=True)
class Size:
    """Lengths (m) read from the body that is dressed; ``thick`` 1 at a stature of 1.70 m."""

    thick: float
    trunk: float
    shoulder: float
    upper_arm: float
    forearm: float
    thigh: float
    shank: float
    ankle: float
    foot: float
    half_foot: float
    neck: float
    head: float


def parts(size: Size) -> Iterator[Part]:
    """Every part of a fighter of this size."""
    yield from _trunk(size)
    yield from _head(size)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        yield from _arm(size, side, sign)
        yield from _leg(size, side, sign)
        yield from _foot(size, side, sign)


def _pair(x: float, y: float, z: float, radius: float) -> tuple[Ball, Ball]:
    """The same ball left and right of the middle."""
    return ((x, y, z), radius), ((x, -y, z), radius)


def _balls(*balls: Ball, stretch: tuple[float, float, float] = ROUND) -> Piece:
    return balls, stretch


def _trunk(size: Size) -> Iterator[Part]:
    g, trunk = size.thick, size.trunk
    hips = (*_pair(-0.012, 0.075 * g, 0.0, 0.096 * g), *_pair(0.0, 0.064 * g, 0.085 * g, 0.086 * g))
    seat = _pair(-0.045 * g, 0.050 * g, -0.015 * g, 0.078 * g)
    yield Part("pelvis", "hips", palette.SHORTS, (_balls(*hips, stretch=(0.92, 1.0, 1.0)), _balls(*seat)))
    band = _balls(*_pair(0.0, 0.060 * g, 0.128 * g, 0.093 * g), stretch=(0.94, 1.01, 0.2))
    yield Part("pelvis", "band", palette.TRIM, (band,), cell=0.0)
    belly = (*_pair(0.0, 0.055 * g, 0.02, 0.085 * g), *_pair(0.002, 0.066 * g, trunk * 0.27, 0.095 * g))
    yield Part("lumbar", "belly", palette.SKIN, (_balls(*belly, stretch=(0.92, 1.0, 1.0)),))
    ribs = (
        *_pair(0.0, 0.060 * g, trunk * 0.02, 0.094 * g),
        *_pair(0.004, 0.088 * g, trunk * 0.26, 0.098 * g),
        *_pair(-0.010, 0.070 * g, trunk * 0.37, 0.070 * g),
    )
    pieces = [_balls(*ribs, stretch=(0.95, 1.0, 1.0))]
    for sign in (1.0, -1.0):
        breast = (
            ((0.050 * g, sign * 0.040 * g, trunk * 0.24), 0.058 * g),
            ((0.048 * g, sign * 0.078 * g, trunk * 0.26), 0.058 * g),
            ((0.022 * g, sign * 0.112 * g, trunk * 0.32), 0.052 * g),
        )
        lat = (
            ((-0.030 * g, sign * 0.098 * g, trunk * 0.27), 0.076 * g),
            ((-0.020 * g, sign * 0.080 * g, trunk * 0.06), 0.066 * g),
        )
        pieces += [_balls(*breast, stretch=(1.0, 1.0, 0.84)), _balls(*lat)]
    yield Part("chest", "chest", palette.SKIN, tuple(pieces))


def _head(size: Size) -> Iterator[Part]:
    g = size.thick
    z = size.neck + size.head * 0.90
    neck = _balls(((-0.016, 0.0, -0.045), 0.060 * g), ((0.0, 0.0, size.neck * 0.9), 0.051 * g))
    yield Part("head", "neck", palette.LIMB, (neck,))
    skull = _balls(
        ((0.0, 0.0, z + 0.022 * g), 0.080 * g), ((0.030, 0.0, z - 0.044 * g), 0.056 * g),
        ((0.050 * g, 0.0, z - 0.072 * g), 0.031 * g), stretch=(1.02, 0.92, 1.03),
    )  # fmt: skip
    brow = _balls(
        ((0.068 * g, 0.026 * g, z + 0.012 * g), 0.016 * g), ((0.068 * g, -0.026 * g, z + 0.012 * g), 0.016 * g)
    )
    nose = _balls(((0.080 * g, 0.0, z - 0.002 * g), 0.010 * g), ((0.094 * g, 0.0, z - 0.030 * g), 0.0145 * g))
    ears = tuple(
        _balls(
            ((0.0, s * 0.078 * g, z - 0.002 * g), 0.018 * g),
            ((0.002, s * 0.073 * g, z - 0.030 * g), 0.012 * g),
            stretch=(1.0, 0.6, 1.0),
        )
        for s in (1.0, -1.0)
    )
    yield Part("head", "face", palette.SKIN, (skull, brow, nose, *ears), cell=0.014)
    hair = _balls(
        ((-0.014, 0.0, z + 0.036 * g), 0.083 * g),
        ((-0.034 * g, 0.0, z - 0.004 * g), 0.074 * g),
        stretch=(1.0, 0.955, 1.0),
    )
    yield Part("head", "hair", palette.HAIR, (hair,), gloss=0.25)


def _arm(size: Size, side: str, sign: float) -> Iterator[Part]:
    g, upper, fore = size.thick, size.upper_arm, size.forearm
    trapeze = _balls(
        ((-0.012, sign * 0.012, 0.040 * g), 0.046 * g), ((-0.006, sign * (size.shoulder - 0.03 * g), -0.002), 0.060 * g)
    )
    yield Part(f"clavicle_{side}", f"trapeze_{side}", palette.SKIN, (trapeze,))
    deltoid = _balls(((0.0, sign * 0.004, 0.0), 0.064 * g), ((0.0, sign * 0.010, -upper * 0.22), 0.052 * g))
    biceps = _balls(((0.006, 0.0, -upper * 0.30), 0.045 * g), ((0.010, 0.0, -upper * 0.60), 0.046 * g))
    arm = _balls(
        ((0.0, 0.0, -0.02), 0.048 * g), ((-0.004, 0.0, -upper * 0.48), 0.046 * g), ((0.0, 0.0, -upper), 0.039 * g)
    )
    yield Part(f"upper_arm_{side}", f"arm_{side}", palette.SKIN, (deltoid, arm, biceps))
    # The forearm's thick end bends with the elbow, its thin end turns with the wrist.
    thick_end = _balls(
        ((0.0, 0.0, 0.0), 0.040 * g), ((0.002, 0.0, -fore * 0.26), 0.043 * g), ((0.0, 0.0, -fore * 0.64), 0.0345 * g)
    )
    yield Part(f"forearm_{side}", f"forearm_{side}", palette.SKIN, (thick_end,), cell=0.012)
    thin_end = _balls(((0.0, 0.0, 0.0), 0.0325 * g), ((0.0, 0.0, -fore * 0.36), 0.031 * g))
    yield Part(f"forearm_twist_{side}", f"wrist_{side}", palette.SKIN, (thin_end,), cell=0.012)
    cuff = _balls(((0.0, 0.0, 0.032 * g), 0.043 * g), ((0.0, 0.0, -0.012 * g), 0.047 * g))
    yield Part(f"hand_{side}", f"cuff_{side}", palette.TRIM, (cuff,), gloss=0.2)
    fist = _balls(
        ((0.002, 0.0, -0.040 * g), 0.055 * g), ((0.008, 0.0, -0.092 * g), 0.060 * g),
        ((0.030, 0.0, -0.086 * g), 0.050 * g),
        stretch=(1.0, 0.92, 1.0),
    )  # fmt: skip
    thumb = _balls(
        ((0.034, -sign * 0.034 * g, -0.030 * g), 0.022 * g), ((0.054, -sign * 0.036 * g, -0.074 * g), 0.022 * g)
    )
    yield Part(f"hand_{side}", f"glove_{side}", palette.GLOVE, (fist, thumb), gloss=0.35, cell=0.014)


def _leg(size: Size, side: str, sign: float) -> Iterator[Part]:
    g, thigh, shank = size.thick, size.thigh, size.shank
    shorts = _balls(
        ((0.0, sign * 0.004, -0.01 * g), 0.097 * g),
        ((0.004, sign * 0.012, -thigh * 0.44), 0.100 * g),
        stretch=(1.0, 1.0, 0.35),
    )
    yield Part(f"thigh_{side}", f"shorts_{side}", palette.SHORTS, (shorts,))
    hem = _balls(((0.004, sign * 0.012, -thigh * 0.44 - 0.008 * g), 0.1015 * g), stretch=(1.0, 1.0, 0.11))
    yield Part(f"thigh_{side}", f"hem_{side}", palette.TRIM, (hem,))
    muscle = _balls(
        ((0.0, 0.0, -thigh * 0.25), 0.082 * g),
        ((0.010, 0.0, -thigh * 0.58), 0.074 * g),
        ((0.004, 0.0, -thigh), 0.052 * g),
    )
    yield Part(f"thigh_{side}", f"thigh_{side}", palette.SKIN, (muscle,))
    knee = _balls(((0.012, 0.0, 0.010), 0.050 * g), ((0.014, 0.0, -0.034), 0.045 * g))
    shin = _balls(
        ((0.004, 0.0, -0.02), 0.048 * g), ((0.0, 0.0, -shank * 0.40), 0.046 * g), ((0.0, 0.0, -shank * 0.94), 0.033 * g)
    )
    calf = _balls(
        ((-0.010, 0.0, -shank * 0.10), 0.040 * g),
        ((-0.022, 0.0, -shank * 0.27), 0.052 * g),
        ((-0.006, 0.0, -shank * 0.62), 0.036 * g),
    )
    yield Part(f"shank_{side}", f"shank_{side}", palette.SKIN, (shin, calf, knee))
    anklet = _balls(((0.0, 0.0, -shank * 0.80), 0.043 * g), ((0.0, 0.0, -shank * 0.925), 0.041 * g))
    yield Part(f"shank_{side}", f"anklet_{side}", palette.GLOVE, (anklet,), gloss=0.1, cell=0.014)


def _foot(size: Size, side: str, sign: float) -> Iterator[Part]:
    g, sole, long, wide = size.thick, -size.ankle, size.foot, size.half_foot
    foot = _balls(
        ((-long * 0.11, 0.0, sole + 0.032 * g), 0.032 * g), ((0.0, 0.0, sole * 0.25), 0.038 * g),
        ((long * 0.20, -sign * wide * 0.15, sole * 0.45), 0.026 * g),
        ((long * 0.42, sign * wide * 0.42, sole + 0.021 * g), 0.021 * g),
        ((long * 0.46, -sign * wide * 0.40, sole + 0.024 * g), 0.024 * g),
    )  # fmt: skip
    yield Part(f"foot_{side}", f"foot_{side}", palette.LIMB, (foot,), cell=0.014)
    base = sole * 0.30
    pad = _balls(
        ((-long * 0.03, -sign * wide * 0.40, base + 0.021 * g), 0.021 * g),
        ((-long * 0.06, sign * wide * 0.45, base + 0.018 * g), 0.018 * g),
        ((long * 0.10, sign * wide * 0.10, base + 0.013 * g), 0.013 * g),
    )
    tips = [
        (0.22, -0.52, 0.0155),
        (0.20, -0.14, 0.0115),
        (0.17, 0.14, 0.011),
        (0.135, 0.40, 0.0105),
        (0.09, 0.64, 0.010),
    ]
    toes = tuple(
        _balls(
            ((long * (x - 0.16), sign * wide * y * 0.9, base + r * 1.2 * g), r * 1.15 * g),
            ((long * x, sign * wide * y, base + r * g), r * g),
        )
        for x, y, r in tips
    )
    yield Part(f"toe_{side}", f"toes_{side}", palette.LIMB, (pad, *toes), cell=0.009)
