"""Points from rays: exact without noise, honest about uncertainty with it, NaN where nothing can be known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from studio.domain.cameras.undistort import project
from studio.domain.space.rays import covariance, ray_angle, solve_points
from studio.schema.camera import Rig


@pytest.fixture
def cloud() -> np.ndarray:
    return np.random.default_rng(3).uniform([-0.8, -0.8, 0.0], [0.8, 0.8, 1.9], (200, 3))


def pixels(rig: Rig, xyz: np.ndarray) -> np.ndarray:
    return np.stack([project(c, xyz) for c in rig.cameras])


@pytest.mark.parametrize("azimuths", [(-32, 33), (0, 90, 200), (10, 80, 170, 260)])
def test_points_seen_without_noise_come_back(phones, cloud, azimuths):
    rig = phones(*azimuths)
    xyz = solve_points(rig.cameras, pixels(rig, cloud), np.ones((len(azimuths), len(cloud))))
    assert np.abs(xyz - cloud).max() < 1e-9


def test_the_solution_has_the_least_weighted_reprojection_error(phones, cloud):
    rig = phones(-40, 40, 150)
    rng = np.random.default_rng(8)
    xy = pixels(rig, cloud[:5]) + rng.normal(0, 25, (3, 5, 2))
    weight = rng.uniform(0.1, 1.0, (3, 5))
    found = solve_points(rig.cameras, xy, weight)
    for k in range(5):
        best = least_squares(
            lambda p, k=k: np.concatenate(
                [np.sqrt(weight[i, k]) * (project(c, p) - xy[i, k]) for i, c in enumerate(rig.cameras)]
            ),
            cloud[k],
            xtol=1e-14,
            ftol=1e-14,
        ).x
        assert np.linalg.norm(found[k] - best) < 2e-5


def test_one_view_or_none_gives_nan_and_does_not_spoil_the_others(phones, cloud):
    rig = phones(-32, 33, 120)
    xy, weight = pixels(rig, cloud), np.ones((3, len(cloud)))
    xy[1:, 0], weight[:2, 1], xy[:, 2] = np.nan, 0.0, np.nan
    weight[2, 3] = 0.0
    xyz = solve_points(rig.cameras, xy, weight)
    assert np.isnan(xyz[:3]).all()
    assert np.abs(xyz[3:] - cloud[3:]).max() < 1e-9


def test_a_crossing_behind_a_camera_is_refused(phones):
    rig = phones(0, 60)
    behind = rig.cameras[0].position + 1.5 * (rig.cameras[0].position - np.array([0.0, 0.0, 1.0]))
    image = [c.projection @ np.append(behind, 1.0) for c in rig.cameras]
    xy = np.stack([(v[:2] / v[2])[None] for v in image])
    assert np.isnan(solve_points(rig.cameras, xy, np.ones((2, 1)))).all()


def test_rays_of_phones_side_by_side_measure_no_depth(phones, cloud):
    rig = phones(0, 0.3)
    assert np.isnan(solve_points(rig.cameras, pixels(rig, cloud), np.ones((2, len(cloud))))).all()
    assert np.isfinite(solve_points(phones(0, 5).cameras, pixels(phones(0, 5), cloud), np.ones((2, len(cloud))))).all()


def test_a_doubtful_view_pulls_less(phones, cloud):
    rig = phones(-40, 40, 120)
    xy = pixels(rig, cloud)
    xy[2] += 30.0
    weight = np.ones((3, len(cloud)))
    trusting = np.linalg.norm(solve_points(rig.cameras, xy, weight) - cloud, axis=1)
    weight[2] = 0.05
    doubting = np.linalg.norm(solve_points(rig.cameras, xy, weight) - cloud, axis=1)
    assert np.median(doubting) < 0.2 * np.median(trusting)


@pytest.mark.parametrize("azimuths", [(-15, 15), (-32, 33), (0, 90, 200)])
def test_the_covariance_is_what_noise_does(phones, azimuths):
    rig = phones(*azimuths)
    place, sigma, draws = np.array([0.3, -0.2, 1.1]), 4.0, 4000
    xy = pixels(rig, np.tile(place, (draws, 1)))
    xy += np.random.default_rng(1).normal(0, sigma, xy.shape)
    weight = np.ones((len(azimuths), draws))
    found = solve_points(rig.cameras, xy, weight)
    told = covariance(rig.cameras, place[None], np.full((len(azimuths), 1), 1 / sigma**2))[0]
    assert np.cov(found.T) == pytest.approx(told, rel=0.1, abs=0.05 * np.trace(told))
    assert np.linalg.norm(found.mean(axis=0) - place) < 0.05 * np.sqrt(np.trace(told))


def test_depth_is_the_uncertain_direction_of_a_narrow_pair(phones):
    rig = phones(-10, 10)
    told = covariance(rig.cameras, np.array([[0.0, 0.0, 1.0]]), np.full((2, 1), 1 / 16))[0]
    _, axes = np.linalg.eigh(told)
    assert abs(axes[:, 2] @ [1.0, 0.0, 0.0]) > 0.95
    assert np.isnan(covariance(rig.cameras, np.full((1, 3), np.nan), np.ones((2, 1)))).all()


def test_ray_angles(phones):
    at = np.array([[0.0, 0.0, 1.4]])
    seen = np.ones((2, 1))
    assert np.degrees(ray_angle(phones(0, 65).cameras, at, seen)) == pytest.approx(65)
    assert np.degrees(ray_angle(phones(0, 150).cameras, at, seen)) == pytest.approx(30)
    assert ray_angle(phones(0, 65).cameras, at, np.array([[1.0], [0.0]])) == 0
