"""What the curve pane keeps between two paints never shows: it looks as one that paints everything anew."""

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from studio.ui.panes.curve import CurvePane
from studio.ui.panes.curve_data import CurveBase, CurveEdit

TIMES = np.arange(180) / 60
CAPTURE = 0.6 * np.sin(2 * TIMES)
BASE = CurveBase(TIMES, CAPTURE, -0.5, 2.4, (("entry", 2.0),))


def bent(
    by: float, beside: float = 0.0, window: tuple[float, float] = (1.25, 1.75), settled: bool = False
) -> CurveEdit:
    """Bent by some radians within the window, and beside it."""
    inside = (window[0] < TIMES) & (window[1] > TIMES)
    hump = np.sin(np.pi * (TIMES - window[0]) / (window[1] - window[0])) ** 2
    asked = CAPTURE + np.where(inside, by * hump, beside)
    return CurveEdit(asked - 0.02 * inside, asked, window, ((1.5, float(asked[90])),), 0, settled=settled)


def pane(qtbot: QtBot, *edits: CurveEdit) -> tuple[CurvePane, QImage]:
    made = CurvePane()
    qtbot.addWidget(made)
    made.resize(700, 260)
    made.show_base(BASE)
    made._fit = lambda always=False: None  # the angles in view stay, as under a hand
    picture = QImage()
    for edit in edits:
        made.show_edit(edit)
        picture = made.grab().toImage()
    return made, picture


@pytest.mark.parametrize(
    "last",
    [
        bent(0.2),
        bent(0.2, settled=True),
        bent(0.2, beside=0.1),
        bent(0.2, window=(0.5, 2.0)),
        CurveEdit(CAPTURE, CAPTURE + 0.1),
    ],
)
def test_it_looks_as_painted_anew(qtbot: QtBot, last: CurveEdit):
    once = pane(qtbot, last)[1]
    assert pane(qtbot, bent(0.1), bent(0.3, settled=True), bent(0.15), last)[1] == once
    assert once != pane(qtbot, bent(0.1))[1]


def test_a_hand_in_the_window_does_not_paint_what_lies_beside_it(qtbot: QtBot):
    made, _ = pane(qtbot, bent(0.1))
    kept = made._rest[False][1]
    made.show_edit(bent(0.2))
    made.grab()
    assert made._rest[False][1] is kept
    made.show_edit(bent(0.2, beside=0.1))
    made.grab()
    assert made._rest[False][1] is not kept
