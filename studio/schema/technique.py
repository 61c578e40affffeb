"""What is being taught."""

from __future__ import annotations

from dataclasses import dataclass, field

STRIKE, STANCE = "strike", "stance"


@dataclass(frozen=True)
class Grid:
    """Targets around the recorded one: offsets in ``steps`` (m) along the axes "y" (left) and "z" (up) of the world
    after the technique's heading; ``counts`` odd, row-major with the first axis slowest."""

    axes: tuple[str, ...] = ("y", "z")
    step: float = 0.1
    counts: tuple[int, ...] = (3, 3)


@dataclass(frozen=True)
class Technique:
    """One technique: which take and window (s on the common clock), which body learns it, what strikes, when.

    ``events``: name to seconds on the common clock (start lift_off impact upright land end); those left out are found
    from the motion. ``striker``: a role of the body, empty where nothing strikes (a stance). ``heading_deg``: turn
    about z that brings where the technique faces onto +x when the table is made.
    """

    name: str
    session: str
    take: str
    body: str
    striker: str
    start_s: float
    end_s: float
    heading_deg: float = 0.0
    events: dict[str, float] = field(default_factory=dict)
    grid: Grid = field(default_factory=Grid)


def kind_of(striker: str) -> str:
    """What a technique with this striker is: "strike", or "stance" where nothing strikes. It names the files of
    resources/rewards and resources/gates that it is paid and judged by."""
    return STRIKE if striker else STANCE
