"""The figures of a whole table, on tables whose faults are known."""

from dataclasses import replace

import numpy as np
import pytest
from factories import make_table

from studio.domain.variants.quality import midpoints, mixed, table_quality
from studio.schema.variants import Table


@pytest.fixture(scope="module")
def table() -> Table:
    return make_table("r", "knee", "planned", 9)[0]


BODY = make_table("r", "knee", "planned", 9)[1]


def test_half_way_between_neighbours_on_both_axes_and_across(table: Table) -> None:
    places = {tuple(place) for place in midpoints(table.uv)}
    assert len(places) == 25 - 9
    assert {(-0.5, -1.0), (0.0, 0.5), (0.5, -0.5)} <= places and (0.0, 0.0) not in places
    assert midpoints(np.zeros((1, 2))).shape == (0, 2)
    assert len(midpoints(np.array([[0.0, v] for v in (-1.0, 0.0, 1.0)]))) == 2


def test_a_clip_in_the_middle_is_the_mean_of_its_neighbours(table: Table) -> None:
    clip = mixed(table, np.array([[0.0, 0.5]]))[0]
    assert clip[:, 7:] == pytest.approx(table.qpos[4:6, :, 7:].mean(0), abs=1e-12)
    assert np.linalg.norm(clip[:, 3:7], axis=1) == pytest.approx(1.0)


def test_a_clean_table(table: Table) -> None:
    found = table_quality(table, BODY)
    assert found.hit_mm == pytest.approx(0.0, abs=1e-6) and 0.1 < found.between_mm < 5
    assert found.slide_mm < 2 and found.below_mm < 2 and found.limit_frames == 0
    assert found.between_slide_mm < 2 and found.between_below_mm < 2


def test_one_spoiled_entry_is_the_figure(table: Table) -> None:
    targets = table.targets.copy()
    targets[2, 1] += 0.03
    assert table_quality(replace(table, targets=targets), BODY).hit_mm == pytest.approx(30.0, abs=0.1)
    sunk = table.qpos.copy()
    sunk[7, :, 2] -= 0.012
    found = table_quality(replace(table, qpos=sunk), BODY)
    assert found.below_mm == pytest.approx(12.0, abs=0.5) and found.between_below_mm == pytest.approx(6.0, abs=0.5)
    slid = table.qpos.copy()
    slid[0, 20:, 0] += 0.04
    assert table_quality(replace(table, qpos=slid), BODY).slide_mm > 10
    bent = table.qpos.copy()
    bent[5, 30:33, 7 + table.joints.index("knee_l")] = -1.0
    assert table_quality(replace(table, qpos=bent), BODY).limit_frames == 3


def test_where_nothing_strikes_nothing_is_missed(table: Table) -> None:
    one = replace(
        table,
        striker="",
        uv=np.zeros((1, 2)),
        targets=np.full((1, 3), 9.0),
        qpos=table.qpos[4:5],
        hit_error=np.zeros(1),
    )
    found = table_quality(one, BODY)
    assert (found.hit_mm, found.between_mm, found.between_slide_mm) == (0.0, 0.0, 0.0) and found.slide_mm > 0
