"""Everything that a stage can find suspicious has words in both languages."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from studio.app import findings, units
from studio.app.text import LANGUAGE, words
from studio.domain.body.build import build
from studio.domain.body.load import load_body
from studio.domain.body.roles import roles
from studio.domain.fit.certainty import subject
from studio.domain.fit.markers import ON_BODY
from studio.schema.findings import Finding

ROOT = Path(__file__).resolve().parents[2]
MAKERS = {"Finding": 0, "spans_over": 2}
"""What makes findings, and which of its arguments is the kind."""


@pytest.fixture(autouse=True)
def english():
    LANGUAGE.choose("en")
    yield
    LANGUAGE.choose("en")


def calls() -> list[ast.Call]:
    trees = [
        ast.parse(path.read_text()) for part in ("domain", "stages") for path in (ROOT / "studio" / part).rglob("*.py")
    ]
    made = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in made if _name(node) in MAKERS]


def _name(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def literals(place: int) -> set[str]:
    """Every text that stands at the kind's place (0) or the subject's (1)."""
    nodes = [call.args[MAKERS[_name(call)] + place] for call in calls() if len(call.args) > MAKERS[_name(call)] + place]
    return {node.value for node in nodes if isinstance(node, ast.Constant)}


def limits() -> set[str]:
    from studio.domain.retarget.check import LIMITS_MM

    return set(LIMITS_MM)


def subjects() -> set[str]:
    body = load_body("fighter")
    model, parts = build(body).compile(), roles(body)
    joints = {model.joint(k).name for k in range(model.njnt)}
    bodies = {model.body(k).name for k in range(1, model.nbody)}
    markers = {subject(name) for name in ON_BODY}
    return joints | bodies | markers | set(parts.soles) | set(parts.strikers) | {"a", "b"}


def test_every_kind_that_a_stage_emits_is_named():
    kinds = literals(0) | limits()
    assert {"balance", "neighbour", "float", "hit", "calibration", "floor", "sides", "flick"} <= kinds
    assert {kind for kind in kinds if f"finding.{kind}" not in words("en")} == set()


def test_every_joint_sole_body_striker_phone_and_fixed_subject_is_named():
    named = subjects() | literals(1)
    assert {"knee_l", "ball_in_r", "forearm_l", "fist_r", "rig", "zero-moment point"} <= named
    assert {subject for subject in named if not findings.is_named(subject)} == set()
    assert all(findings.is_named(f"entry 3: {subject}") for subject in named)


def test_a_name_that_nobody_knows_is_not_named_and_shown_as_it_is():
    assert not findings.is_named("tail_l") and not findings.is_named("entry 0: tail_l")
    assert findings.subject_name("tail_l") == "tail l"
    assert findings.kind_name("odd_thing") == "odd thing"


@pytest.mark.parametrize(
    ("subject", "plain", "spoken"),
    [
        ("entry 0: heel_r", "target 1, right heel", "標的 1、右踵"),
        ("entry 4", "target 5", "標的 5"),
        ("ball_in_l", "left ball of the foot, inside", "左母趾球"),
        ("hip_roll_r", "right hip, sideways", "右股関節の横開き"),
        ("b", "phone B", "スマホ B"),
    ],
)
def test_a_subject_reads_as_a_coach_says_it(subject, plain, spoken):
    assert findings.subject_name(subject) == plain
    LANGUAGE.choose("ja")
    assert findings.subject_name(subject) == spoken


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (9.249, "deg/frame^2", "9.2°/frame²"), (7.71, "deg/frame", "7.7°/frame"), (32.34, "mm", "32 mm"),
        (3.55, "mm", "3.5 mm"), (815.8, "mm", "816 mm"), (1, "frames", "1 frame"), (12.0, "frames", "12 frames"),
        (6.234, "px", "6.2 px"),
    ],
)  # fmt: skip
def test_units_are_those_of_a_person(value, unit, text):
    assert units.with_unit(value, unit) == text


def test_the_worst_is_the_farthest_beyond_its_limit():
    small, large = (
        Finding("flick", "knee_l", 0, 1, v, u, m) for v, u, m in ((9.0, "deg", 8.0), (6.0, "deg/frame", 2.0))
    )
    assert findings.severity(large) > findings.severity(small)
    assert findings.severity(Finding("sides", "a", 0, 1, 12, "frames", 0.0)) == 12
