"""Gives a body's spec its looks: skin, shorts, gloves, and the bag its leather. Never its physics."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import mujoco
import numpy as np

from studio.domain.body.bag import add_bag
from studio.domain.body.build import build
from studio.domain.picture import palette
from studio.domain.picture.figure import ROUND, Part, Size, parts
from studio.domain.picture.hull import Surface, wrap
from studio.domain.picture.surface import grown_together
from studio.schema.body import Body

SHOWN, HIDDEN = 1, 4
"""Geom groups: what is drawn, and what only collides."""

_BAG = "bag"


def dress(spec: mujoco.MjSpec, light: bool = False) -> None:
    """Add the visible parts to a generated body (welded or not) and, where there is one, to the heavy bag.

    What collides stays exactly as it is and moves to a group that is not drawn; what is added has no mass and touches
    nothing, so the compiled model moves bit for bit as before. ``light`` is remembered in the fog's colour, where a
    renderer finds its theme. Raises ``ValueError`` when the spec has not the generator's bodies.
    """
    bodies = {body.name: body for body in spec.bodies}
    for geom in spec.geoms:
        if geom.type != mujoco.mjtGeom.mjGEOM_PLANE:
            geom.group = HIDDEN
    for part in parts(_size(bodies, spec)):
        _add(spec, bodies[part.body], part.name, _surface(part), part)
    if _BAG in bodies:
        _dress_bag(spec, bodies)
    back = (palette.LIGHT if light else palette.DARK).back
    spec.visual.rgba.fog = [*(c / 255 for c in back), 1.0]
    spec.visual.quality.shadowsize = 2048
    spec.visual.quality.offsamples = 0
    spec.visual.quality.numslices, spec.visual.quality.numstacks = 12, 8
    spec.visual.map.shadowclip = 1.0
    spec.visual.map.znear = 0.02
    spec.stat.extent = 2.6
    spec.stat.center = [0.0, 0.0, 0.9]


def _size(bodies: dict[str, mujoco.MjsBody], spec: mujoco.MjSpec) -> Size:
    """The lengths of the body, from where its parts hang on each other."""
    try:
        place = {name: np.asarray(body.pos, float) for name, body in bodies.items()}
        site = {s.name: np.asarray(s.pos, float) for s in spec.sites}
        geom = {g.name: g for g in spec.geoms}
        thick = float(abs(place["clavicle_l"][1]) / 0.02)
        head = float(geom["head_geom"].size[0])
        return Size(
            thick=thick,
            trunk=float(place["chest"][2] / 0.33),
            shoulder=float(abs(place["upper_arm_l"][1]) + 0.02 * thick),
            upper_arm=float(-place["forearm_l"][2]),
            forearm=float(-place["forearm_twist_l"][2] / 0.55),
            thigh=float(-place["shank_l"][2]),
            shank=float(-place["foot_l"][2]),
            ankle=float(-site["heel_l"][2]),
            foot=float(place["toe_l"][0] / 0.50),
            half_foot=float(abs(site["ball_in_l"][1])),
            neck=float(geom["head_geom"].pos[2]) - head,
            head=head,
        )
    except KeyError as missing:
        raise ValueError(f"the spec has no {missing}: only a body of the generator can be dressed") from None


def _surface(part: Part) -> Surface:
    """A lone ball and a bare hull keep their exact shape; anything else is grown together."""
    if part.cell == 0 or sum(len(balls) for balls, _ in part.pieces) == 1:
        return wrap(*part.pieces[0])
    return grown_together(part.pieces, part.cell)


def _add(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, surface: Surface, part: Part) -> None:
    mesh = spec.add_mesh(name=f"look_{name}")
    mesh.uservert = surface.vertices.astype(np.float32).ravel()
    mesh.userface = surface.faces.astype(np.int32).ravel()
    mesh.usernormal = surface.normals.astype(np.float32).ravel()
    mesh.userfacenormal = surface.faces.astype(np.int32).ravel()
    body.add_geom(
        name=f"look_{name}", type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh.name, group=SHOWN,
        rgba=[*part.colour, 1.0], material=_material(spec, part.gloss), contype=0, conaffinity=0, mass=0.0, density=0.0,
    )  # fmt: skip


def _material(spec: mujoco.MjSpec, gloss: float) -> str:
    """A material of this gloss; colours stay with the geoms."""
    name = f"look_{round(gloss * 100):02d}"
    if name not in {m.name for m in spec.materials}:
        material = spec.add_material(name=name)
        material.specular, material.shininess, material.reflectance = 0.3 + gloss, 0.15 + gloss, 0.0
    return name


def _dress_bag(spec: mujoco.MjSpec, bodies: dict[str, mujoco.MjsBody]) -> None:
    """A leather cylinder with a blue band and its straps, over the bag's own capsule."""
    hull = next(g for g in bodies[_BAG].geoms if g.name == "bag_geom")
    radius = float(hull.size[0])
    top, bottom = sorted((float(hull.fromto[2]), float(hull.fromto[5])), reverse=True)
    strap = -float(bodies[_BAG].pos[2])
    rim = radius * 0.16
    ring = [(np.cos(a) * (radius - rim), np.sin(a) * (radius - rim)) for a in np.linspace(0, 2 * np.pi, 24, False)]
    ends = (bottom - radius + rim, top + radius - rim)
    leather = tuple(((float(x), float(y), z), rim) for z in ends for x, y in ring)
    band_z = (top - 0.10, top - 0.02)
    band = tuple(((float(x), float(y), z), rim + 0.003) for z in band_z for x, y in ring)
    straps = (((0.0, 0.0, top + radius - 0.01), 0.012), ((0.0, 0.0, strap), 0.012))
    pieces = (
        Part(_BAG, "bag_leather", palette.BAG, ((leather, ROUND),), gloss=0.3),
        Part(_BAG, "bag_band", palette.GLOVE, ((band, (1.0, 1.0, 0.2)),), gloss=0.3),
        Part(_BAG, "bag_strap", palette.TRIM, ((straps, ROUND),)),
    )
    for piece in pieces:
        _add(spec, bodies[_BAG], piece.name, wrap(*piece.pieces[0]), piece)


def dressed_fighter(body: Body, light: bool = False) -> mujoco.MjModel:
    """The compiled fighter or coach as it is drawn: the full variant, its ``qpos`` as in a retarget."""
    spec = build(body)
    dress(spec, light)
    return spec.compile()


def dressed_world(body: Body, hook: tuple[float, float, float], light: bool = False) -> mujoco.MjModel:
    """Welded fighter and heavy bag as they are drawn: ``qpos`` as in the world of training and gate.

    ``hook`` (3,) m is where the bag hangs from; change ``body_pos`` of ``bag_anchor`` to hang it elsewhere.
    """
    spec = build(body, markers=False, welded=True)
    add_bag(spec, hook)
    dress(spec, light)
    return spec.compile()
