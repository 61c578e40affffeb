"""What the fighter looks like: which balls make which part, and its colour. Shapes drawn by us, in the body's frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from studio.domain.picture import palette
from studio.domain.picture.hull import Ball
from studio.domain.picture.palette import Rgb

ROUND = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Part:
    """One visible piece on a body: balls wrapped together, flattened by ``stretch``, with a matt or glossy colour."""

    body: str
    name: str
    balls: tuple[Ball, ...]
    colour: Rgb
    stretch: tuple[float, float, float] = ROUND
    gloss: float = 0.12


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


def _trunk(size: Size) -> Iterator[Part]:
    g, trunk = size.thick, size.trunk
    hips = (*_pair(-0.012, 0.075 * g, 0.0, 0.098 * g), *_pair(0.0, 0.066 * g, 0.075 * g, 0.088 * g))
    yield Part("pelvis", "hips", hips, palette.SHORTS, (0.92, 1.0, 1.0))
    yield Part("pelvis", "band", _pair(0.0, 0.062 * g, 0.118 * g, 0.088 * g), palette.TRIM, (0.93, 1.01, 0.30))
    belly = (*_pair(0.0, 0.055 * g, 0.02, 0.086 * g), *_pair(0.002, 0.068 * g, trunk * 0.26, 0.097 * g))
    yield Part("lumbar", "belly", belly, palette.SKIN, (0.92, 1.0, 1.0))
    ribs = (
        *_pair(0.0, 0.062 * g, trunk * 0.02, 0.096 * g),
        *_pair(0.006, 0.094 * g, trunk * 0.27, 0.102 * g),
        *_pair(-0.008, 0.078 * g, trunk * 0.37, 0.072 * g),
    )
    yield Part("chest", "ribs", ribs, palette.SKIN, (0.95, 1.0, 1.0))
    for side, sign in (("l", 1.0), ("r", -1.0)):
        breast: tuple[Ball, ...] = (
            ((0.052 * g, sign * 0.060 * g, trunk * 0.25), 0.058 * g),
            ((0.040 * g, sign * 0.105 * g, trunk * 0.30), 0.050 * g),
        )
        yield Part("chest", f"breast_{side}", breast, palette.SKIN, (1.0, 1.0, 0.85))


def _head(size: Size) -> Iterator[Part]:
    g = size.thick
    middle = size.neck + size.head * 0.92
    neck: tuple[Ball, ...] = (((-0.014, 0.0, -0.035), 0.058 * g), ((0.0, 0.0, size.neck * 0.9), 0.050 * g))
    yield Part("head", "neck", neck, palette.LIMB)
    skull: tuple[Ball, ...] = (
        ((0.004, 0.0, middle + 0.018 * g), 0.081 * g),
        ((0.028, 0.0, middle - 0.048 * g), 0.057 * g),
        ((0.046 * g, 0.0, middle - 0.066 * g), 0.034 * g),
    )
    yield Part("head", "skull", skull, palette.SKIN, (1.02, 0.92, 1.03))
    nose: tuple[Ball, ...] = (
        ((0.086 * g, 0.0, middle - 0.002 * g), 0.011 * g), ((0.096 * g, 0.0, middle - 0.026 * g), 0.015 * g),
    )  # fmt: skip
    yield Part("head", "nose", nose, palette.SKIN, (1.0, 0.9, 1.0))
    hair: tuple[Ball, ...] = (
        ((-0.014, 0.0, middle + 0.034 * g), 0.083 * g), ((-0.030 * g, 0.0, middle), 0.077 * g),
    )  # fmt: skip
    yield Part("head", "hair", hair, palette.HAIR, (1.0, 0.955, 1.0), gloss=0.03)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        ear: tuple[Ball, ...] = (
            ((0.004 * g, sign * 0.077 * g, middle - 0.006 * g), 0.017 * g),
            ((0.0, sign * 0.074 * g, middle - 0.028 * g), 0.011 * g),
        )
        yield Part("head", f"ear_{side}", ear, palette.LIMB, (1.0, 0.5, 1.0))


def _arm(size: Size, side: str, sign: float) -> Iterator[Part]:
    g, upper, fore = size.thick, size.upper_arm, size.forearm
    trapeze: tuple[Ball, ...] = (
        ((-0.012, sign * 0.015, 0.035 * g), 0.044 * g),
        ((-0.004, sign * (size.shoulder - 0.02 * g), -0.004), 0.062 * g),
    )
    yield Part(f"clavicle_{side}", f"trapeze_{side}", trapeze, palette.SKIN)
    deltoid: tuple[Ball, ...] = (((0.0, sign * 0.006, 0.002), 0.064 * g), ((0.0, sign * 0.004, -upper * 0.34), 0.046 * g))
    yield Part(f"upper_arm_{side}", f"deltoid_{side}", deltoid, palette.SKIN)
    arm: tuple[Ball, ...] = (
        ((0.0, 0.0, -0.02), 0.050 * g), ((0.007, 0.0, -upper * 0.48), 0.050 * g), ((0.0, 0.0, -upper), 0.039 * g),
    )  # fmt: skip
    yield Part(f"upper_arm_{side}", f"arm_{side}", arm, palette.SKIN)
    # The forearm's thick end bends with the elbow, its thin end turns with the wrist.
    thick_end: tuple[Ball, ...] = (
        ((0.0, 0.0, 0.0), 0.041 * g), ((0.0, 0.0, -fore * 0.28), 0.043 * g), ((0.0, 0.0, -fore * 0.62), 0.036 * g),
    )  # fmt: skip
    yield Part(f"forearm_{side}", f"forearm_{side}", thick_end, palette.LIMB)
    thin_end: tuple[Ball, ...] = (((0.0, 0.0, 0.0), 0.0375 * g), ((0.0, 0.0, -fore * 0.36), 0.031 * g))
    yield Part(f"forearm_twist_{side}", f"wrist_{side}", thin_end, palette.LIMB)
    cuff: tuple[Ball, ...] = (((0.0, 0.0, 0.032 * g), 0.043 * g), ((0.0, 0.0, -0.012 * g), 0.046 * g))
    yield Part(f"hand_{side}", f"cuff_{side}", cuff, palette.TRIM, gloss=0.2)
    glove: tuple[Ball, ...] = (
        ((0.004, 0.0, -0.045 * g), 0.057 * g), ((0.012, 0.0, -0.095 * g), 0.061 * g), ((0.030, 0.0, -0.085 * g), 0.051 * g),
    )  # fmt: skip
    yield Part(f"hand_{side}", f"glove_{side}", glove, palette.GLOVE, (1.0, 0.92, 1.0), gloss=0.35)
    thumb: tuple[Ball, ...] = (
        ((0.036, -sign * 0.030 * g, -0.032 * g), 0.022 * g), ((0.054, -sign * 0.034 * g, -0.075 * g), 0.023 * g),
    )  # fmt: skip
    yield Part(f"hand_{side}", f"thumb_{side}", thumb, palette.GLOVE, gloss=0.35)


def _leg(size: Size, side: str, sign: float) -> Iterator[Part]:
    g, thigh, shank = size.thick, size.thigh, size.shank
    shorts: tuple[Ball, ...] = (((0.0, sign * 0.006, 0.0), 0.098 * g), ((0.004, sign * 0.014, -thigh * 0.38), 0.099 * g))
    yield Part(f"thigh_{side}", f"shorts_{side}", shorts, palette.SHORTS)
    hem: tuple[Ball, ...] = (((0.004, sign * 0.014, -thigh * 0.40), 0.1005 * g),)
    yield Part(f"thigh_{side}", f"hem_{side}", hem, palette.TRIM, (1.0, 1.0, 0.14))
    muscle: tuple[Ball, ...] = (
        ((0.0, 0.0, -thigh * 0.25), 0.083 * g), ((0.008, 0.0, -thigh * 0.58), 0.074 * g), ((0.004, 0.0, -thigh), 0.053 * g),
    )  # fmt: skip
    yield Part(f"thigh_{side}", f"thigh_{side}", muscle, palette.SKIN)
    knee: tuple[Ball, ...] = (((0.011, 0.0, 0.012), 0.052 * g), ((0.014, 0.0, -0.032), 0.047 * g))
    yield Part(f"shank_{side}", f"knee_{side}", knee, palette.SKIN)
    shin: tuple[Ball, ...] = (((0.004, 0.0, -0.02), 0.049 * g), ((-0.002, 0.0, -shank * 0.40), 0.046 * g), ((0.0, 0.0, -shank * 0.94), 0.033 * g))
    yield Part(f"shank_{side}", f"shin_{side}", shin, palette.LIMB)
    calf: tuple[Ball, ...] = (
        ((-0.008, 0.0, -shank * 0.10), 0.042 * g), ((-0.020, 0.0, -shank * 0.28), 0.052 * g), ((-0.006, 0.0, -shank * 0.62), 0.036 * g),
    )  # fmt: skip
    yield Part(f"shank_{side}", f"calf_{side}", calf, palette.LIMB, (1.0, 0.98, 1.0))
    anklet: tuple[Ball, ...] = (((0.0, 0.0, -shank * 0.80), 0.042 * g), ((0.0, 0.0, -shank * 0.925), 0.040 * g))
    yield Part(f"shank_{side}", f"anklet_{side}", anklet, palette.GLOVE, gloss=0.1)


def _foot(size: Size, side: str, sign: float) -> Iterator[Part]:
    g, sole, long, wide = size.thick, -size.ankle, size.foot, size.half_foot
    foot: tuple[Ball, ...] = (
        ((-long * 0.11, 0.0, sole + 0.032 * g), 0.032 * g),
        ((0.0, 0.0, sole * 0.25), 0.038 * g),
        ((long * 0.20, -sign * wide * 0.15, sole * 0.45), 0.026 * g),
        ((long * 0.42, sign * wide * 0.42, sole + 0.021 * g), 0.021 * g),
        ((long * 0.46, -sign * wide * 0.40, sole + 0.024 * g), 0.024 * g),
    )
    yield Part(f"foot_{side}", f"foot_{side}", foot, palette.LIMB)
    base = sole * 0.30
    toes: tuple[Ball, ...] = (
        ((-long * 0.03, -sign * wide * 0.40, base + 0.021 * g), 0.021 * g),
        ((-long * 0.06, sign * wide * 0.45, base + 0.018 * g), 0.018 * g),
        ((long * 0.22, -sign * wide * 0.45, base + 0.015 * g), 0.015 * g),
        ((long * 0.17, sign * wide * 0.10, base + 0.013 * g), 0.013 * g),
        ((long * 0.10, sign * wide * 0.50, base + 0.012 * g), 0.012 * g),
    )
    yield Part(f"toe_{side}", f"toes_{side}", toes, palette.LIMB)
