"""What a training says is read with care: a machine may say anything."""

from __future__ import annotations

import pytest

from studio.stages.training_run import Heard, complaint

SHA = "a" * 64


@pytest.mark.parametrize(
    "event",
    [
        {"type": "progress", "iter": [], "iters": None},
        {"type": "metric", "values": ["reward", 1.0]},
        {"type": "metric", "values": {"reward": {"deep": 1.0}}},
        {"type": "log", "level": "error", "text": None},
    ],
)
def test_what_makes_no_sense_changes_nothing(event):
    told = []
    heard = Heard(lambda fraction, text: told.append(fraction))
    heard.hear(event)
    assert heard.figures == {} and heard.iterations == 0 and set(told) <= {0.0}


def test_a_snapshot_counts_with_or_without_its_iteration():
    heard = Heard(lambda fraction, text: None)
    heard.hear({"type": "ckpt", "sha": SHA, "iter": "many"})
    assert heard.snapshots == {SHA: 0}


def test_a_complaint_cannot_steer_a_terminal():
    heard = Heard(lambda fraction, text: None)
    heard.hear({"type": "log", "level": "error", "text": "\n\x1b[2Jout of memory.\nmore"})
    assert complaint(heard, {"status": "failed"}) == "[2Jout of memory"
    assert complaint(Heard(lambda fraction, text: None), {"status": "odd\x07"}) == "the training ended with odd"
