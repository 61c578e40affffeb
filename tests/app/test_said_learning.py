"""What the training programs, the gate and the readers of files say can be said in the language of the window."""

from __future__ import annotations

from pathlib import Path

from clauses import said_by

from studio.app.said import is_known

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("remote_agent", "studio/domain/body", "studio/domain/gates", "studio/domain/policy", "studio/domain/retarget",
          "studio/domain/synthetic", "studio/domain/variants", "studio/schema")  # fmt: skip


def clauses() -> set[str]:
    files = [path for place in PLACES for path in (ROOT / place).rglob("*.py")]
    return {text for text in said_by(("StudioError", "_refuse"), files) if " " in text}


def test_every_sentence_is_known():
    found = clauses()
    assert len(found) > 90
    assert {text for text in found if not is_known(text)} == set()


def test_the_new_sentences_do_not_swallow_others():
    assert not is_known("he leans back too far")
    assert not is_known("the knee is late")
