"""Meshes round the fighter's parts are closed, look outwards and lie where they should."""

import numpy as np
import pytest

from studio.domain.picture.hull import Surface, wrap
from studio.domain.picture.surface import grown_together, surface_nets

ROUND = (1.0, 1.0, 1.0)
CAPSULE = (((0.0, 0.0, 0.0), 0.05), ((0.0, 0.0, -0.3), 0.03))


def check_closed(surface: Surface) -> None:
    edges = np.sort(surface.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, counts = np.unique(edges, axis=0, return_counts=True)
    assert (counts == 2).all(), "each edge lies between two faces"
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    assert np.einsum("fi,fi->", a, normals) > 0, "positive volume: faces look outwards"
    assert np.linalg.norm(surface.normals, axis=1) == pytest.approx(1.0)
    facing = np.einsum("fi,fi->f", surface.normals[surface.faces[:, 0]], normals)
    assert (facing > 0).mean() > 0.99


def test_a_wrapped_capsule():
    surface = wrap(CAPSULE)
    check_closed(surface)
    z = np.clip(-surface.vertices[:, 2] / 0.3, 0, 1)
    radius = np.hypot(surface.vertices[:, 0], surface.vertices[:, 1])
    assert (radius <= 0.05 - 0.02 * z + 0.002).all()


def test_parts_grow_together_into_one():
    surface = grown_together([(CAPSULE, ROUND), ((((0.05, 0.0, -0.1), 0.04),), ROUND)], cell=0.008)
    check_closed(surface)
    assert surface.vertices[:, 0].max() == pytest.approx(0.09, abs=0.006)
    assert surface.vertices[:, 2].min() == pytest.approx(-0.33, abs=0.006)


def test_a_sphere_by_surface_nets():
    steps = np.linspace(-1, 1, 33)
    x, y, z = np.meshgrid(steps, steps, steps, indexing="ij")
    vertices, faces = surface_nets(np.sqrt(x**2 + y**2 + z**2) - 0.7)
    radii = np.linalg.norm(vertices / 16 - 1, axis=1)
    assert radii == pytest.approx(0.7, abs=0.01)
    assert len(vertices) - len(faces) * 3 / 2 + len(faces) == 2, "Euler: a sphere has no hole"


def test_stretching_flattens():
    flat = wrap((((0.0, 0.0, 0.0), 0.1),), (1.0, 1.0, 0.2))
    assert np.ptp(flat.vertices[:, 2]) == pytest.approx(0.04, rel=0.05)
    assert np.ptp(flat.vertices[:, 0]) == pytest.approx(0.2, rel=0.05)
