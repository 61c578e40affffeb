"""What the pages say, without a window, in both languages."""

from __future__ import annotations

import pytest

from studio.app.text import LANGUAGE
from studio.schema.training import GateRow
from studio.ui.presenters.gate import LOST, limit_text, row_view, value_text, verdict_of
from studio.ui.presenters.presenter import technique_name
from studio.ui.presenters.rail import RailPresenter
from studio.ui.presenters.stage import figure
from studio.ui.presenters.topbar import TopbarPresenter


def test_the_rail_says_one_true_line_per_stage(at_gym):
    rows = RailPresenter(at_gym).rows
    assert [row.line for row in rows] == [
        "2 phones · 60 fps", "100 frames · 98 %", "100 frames · 3.1 px", "1.71 m · fit 11 mm", "40 frames · 1 finding",
        "9 targets · 4 mm", "60 iterations", "2 of 3 rows pass", "waits for Gate",
    ]  # fmt: skip
    assert [row.stage for row in rows if row.ends_with_eyes] == [5, 6, 7, 8, 9]
    assert rows[8].why == "Stage 8 (Gate) of right-knee waits for your eyes."
    LANGUAGE.choose("ja")
    assert RailPresenter(at_gym).rows[8].why == "right-knee の段階 8（ゲート）が確認を待っています。"
    assert RailPresenter(at_gym).rows[8].line == "ゲート待ち"
    assert RailPresenter(at_gym).rows[4].line == "40フレーム · 指摘 1"


def test_the_rail_of_a_new_project_waits_for_the_first_stage(session, made, tmp_path, qtbot):
    made.empty_project(tmp_path / "new")
    with qtbot.waitSignal(session.states_changed, timeout=20_000):
        session.open(tmp_path / "new")
    rows = RailPresenter(session).rows
    assert (rows[0].state, rows[0].line) == ("ready", "Ready")
    assert {row.line for row in rows[1:]} == {"waits for Capture"}


def test_a_record_of_another_version_is_still_told(at_gym):
    from dataclasses import replace

    from studio.ui.presenters.presenter import figures_line

    view = replace(at_gym.stage(4), summary={"odd": 3}, line="what the store says")
    assert figures_line(view) == "what the store says"


def test_the_bar_tells_where_we_are(at_gym):
    bar = TopbarPresenter(at_gym)
    assert bar.crumbs == ("North Gym",) and bar.job is None
    bar.go("8")
    assert bar.crumbs == ("North Gym", "Right knee", "Gate", "Revision 1")
    bar.go("9")
    assert bar.crumbs[-1] == "Student"


@pytest.mark.parametrize("synthetic", [False, True])
def test_a_project_that_nobody_was_filmed_for_says_so_on_every_page(session, made, tmp_path, qtbot, synthetic):
    made.empty_project(tmp_path / "new")
    page = tmp_path / "new" / "project.toml"
    page.write_text(page.read_text().replace("synthetic = false", f"synthetic = {str(synthetic).lower()}"))
    with qtbot.waitSignal(session.states_changed, timeout=20_000):
        session.open(tmp_path / "new")
    bar = TopbarPresenter(session)
    for place in ("home", "2", "8", "machines"):
        bar.go(place)
        assert bar.synthetic == synthetic, place


def test_names_read_like_names():
    assert technique_name("right-knee") == "Right knee"
    assert technique_name("leg-raise") == "Leg raise"
    LANGUAGE.choose("ja")
    assert technique_name("leg-raise") == "脚上げ"


@pytest.mark.parametrize(
    ("row", "value", "text", "limit", "verdict"),
    [
        (GateRow("lean", "deg", "below", 3.0, True, {}), 9.72, "9.7°", "≤ 3°", "fails"),
        (GateRow("lean", "deg", "below", 3.0, True, {}), 3.0, "3.0°", "≤ 3°", "passes"),
        (GateRow("flight", "s", "below", 0.1, True, {}), 0.04, "0.04 s", "≤ 0.10 s", "passes"),
        (GateRow("hit", "N s", "above", 15.0, True, {}), 9.0, "9.0 N s", "≥ 15 N s", "fails"),
        (GateRow("tracking", "cm", "below", 10.0, False, {}), 118.4, "118 cm", "≤ 10 cm", "shown"),
        (GateRow("tracking", "cm", "below", 10.0, True, {}), LOST, "–", "≤ 10 cm", "fails"),
    ],
)
def test_a_cell_is_printed_with_its_unit_and_judged_against_its_limit(row, value, text, limit, verdict):
    assert value_text(row, value, unit=True) == text
    assert limit_text(row) == limit
    assert verdict_of(row, value) == verdict


def test_a_row_that_asks_whether_shows_signs():
    view = row_view(GateRow("front_foot", "", "above", 1.0, True, {"bag": (1.0, 0.0)}))
    assert [cell.sign for cell in view.cells["bag"]] == ["check", "close"]
    assert (view.limit, view.verdict, view.name) == ("yes", "fails", "The right foot in front")


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("residual_mm", 11.2, "11.2 mm"), ("seen_percent", 97.5, "97.5 %"), ("frames", 100, "100"),
        ("root_scale", 1.2, "1.2"), ("stature", 1.715, "1.72 m"), ("passed", False, "no"), ("fps", 60.0, "60"),
        ("sync", "declared", "the cameras"), ("model", "rtmpose", "rtmpose"), ("residual_px", 3.1, "3.10 px"),
    ],
)  # fmt: skip
def test_a_figure_has_its_unit(key, value, text):
    assert figure(key, value) == text
