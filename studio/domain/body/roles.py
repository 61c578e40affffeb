"""Which named part of the generated body plays which role."""

from __future__ import annotations

from studio.domain.body.sites import SOLE_POINTS, STRIKERS
from studio.schema.body import Body, Roles


def roles(body: Body) -> Roles:
    """The roles of a generated body; the same names for every measure, welded or not."""
    del body
    return Roles(
        root="root",
        pelvis="pelvis",
        chest="chest",
        head="head",
        feet={"l": "foot_l", "r": "foot_r"},
        soles=tuple(f"{point}_{side}" for side in "lr" for point in SOLE_POINTS),
        strikers={f"{part}_{side}": f"strike_{part}_{side}" for side in "lr" for part in STRIKERS},
    )
