"""What is sensed in the world, by name: key bodies, axes, centre of mass, the striker, bag and floor contacts."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from studio.domain.body.roles import roles
from studio.schema.body import Body

KEY_BODIES = (
    "pelvis", "chest", "head", "thigh_l", "thigh_r", "shank_l", "shank_r", "foot_l", "foot_r", "toe_l", "toe_r",
    "forearm_l", "forearm_r", "hand_l", "hand_r",
)  # fmt: skip
"""Bodies whose places are compared with the reference."""
FORCE, NETFORCE = 1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE), 3
"""A contact sensor's data field and its reduction: the net force (N), in the world."""


@dataclass(frozen=True)
class SensorMap:
    """Where each reading is in a row of sensor data. ``fighter``: the leading part that a reference can predict.

    Where nothing strikes, ``striker`` and ``striker_velocity`` are None and ``bag`` is empty: no force on it.
    """

    fighter: slice
    bodies: slice
    axes: slice
    upright: dict[str, slice]
    forward: slice
    com: slice
    striker: slice | None
    striker_velocity: slice | None
    bag: slice
    floor: dict[str, slice]

    def foot(self, side: str) -> slice:
        """Place (3) of the foot's body."""
        start = 3 * KEY_BODIES.index(f"foot_{side}")
        return slice(start, start + 3)


def add_sensors(
    spec: mujoco.MjSpec, body: Body, striker: str, striking_geoms: tuple[str, ...], sole_geoms: tuple[str, ...]
) -> None:
    """Add all sensors in the order that :func:`sensor_map` reads. Forces are those that act between the two geoms.

    An empty ``striker`` has no sensors.
    """
    S, O = mujoco.mjtSensor, mujoco.mjtObj  # noqa: E741
    role = roles(body)
    for name in KEY_BODIES:
        _frame(spec, f"place_{name}", S.mjSENS_FRAMEPOS, O.mjOBJ_XBODY, name)
    for name in (role.pelvis, role.chest):
        _frame(spec, f"up_{name}", S.mjSENS_FRAMEZAXIS, O.mjOBJ_XBODY, name)
    _frame(spec, "forward", S.mjSENS_FRAMEXAXIS, O.mjOBJ_XBODY, role.pelvis)
    if striker:
        _frame(spec, "striker", S.mjSENS_FRAMEPOS, O.mjOBJ_SITE, role.strikers[striker])
        _frame(spec, "striker_velocity", S.mjSENS_FRAMELINVEL, O.mjOBJ_SITE, role.strikers[striker])
    _frame(spec, "com", S.mjSENS_SUBTREECOM, O.mjOBJ_BODY, role.pelvis)
    for other, geoms in (("bag_geom", striking_geoms), ("floor", sole_geoms)):
        for geom in geoms:
            sensor = spec.add_sensor(
                name=f"{other}_{geom}", type=S.mjSENS_CONTACT, objtype=O.mjOBJ_GEOM, objname=geom,
                reftype=O.mjOBJ_GEOM, refname=other,
            )  # fmt: skip
            sensor.intprm = [FORCE, NETFORCE, 1]


def sensor_map(model: mujoco.MjModel) -> SensorMap:
    """Read the layout of a world's sensor row back from the compiled model."""
    where = {model.sensor(i).name: (model.sensor_adr[i], model.sensor_dim[i]) for i in range(model.nsensor)}
    spans = {name: slice(int(a), int(a + n)) for name, (a, n) in where.items()}
    uprights = {name: spans[f"up_{name}"] for name in ("pelvis", "chest")}
    contact = [s for name, s in spans.items() if name.startswith("bag_geom_")]
    soles = {name.removeprefix("floor_"): s for name, s in spans.items() if name.startswith("floor_")}
    return SensorMap(
        fighter=slice(0, spans["com"].stop),
        bodies=slice(0, 3 * len(KEY_BODIES)),
        axes=slice(uprights["pelvis"].start, spans["forward"].stop),
        upright=uprights,
        forward=spans["forward"],
        com=spans["com"],
        striker=spans.get("striker"),
        striker_velocity=spans.get("striker_velocity"),
        bag=slice(min((s.start for s in contact), default=0), max((s.stop for s in contact), default=0)),
        floor={
            side: slice(
                min(s.start for n, s in soles.items() if n.split("_")[1] == side),
                max(s.stop for n, s in soles.items() if n.split("_")[1] == side),
            )
            for side in "lr"
        },
    )


def contact_force(rows: np.ndarray, where: slice) -> np.ndarray:
    """(...,) N: the sum over geoms of the size of their net contact force, from sensor rows (..., n)."""
    return np.linalg.norm(rows[..., where].reshape(*rows.shape[:-1], -1, 3), axis=-1).sum(-1)


def _frame(spec: mujoco.MjSpec, name: str, kind, object_type, object_name: str) -> None:
    spec.add_sensor(name=name, type=kind, objtype=object_type, objname=object_name)
