"""Stage 5 for real on a recorded kick: the retarget, the reference with layers, and what a second run makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from motions import COACH, read_kick

from studio.domain.body.load import load_body
from studio.domain.layers.relock import relock
from studio.schema.body import Body
from studio.schema.layers import Knot, Layer, Layers
from studio.schema.motion import Retarget
from studio.stages import execute, graph, s5_retarget
from studio.stages.stage import Context, Result, Stage
from studio.store.catalog import declaration
from studio.store.project import Project
from studio.store.revisions import Revision
from tests.house import make_project, tiny_run

KNEE = Layer("higher", "knee_r", 0.4, 0.9, (Knot(0.6, 0.2),))
LEAN = Layer("upright", "chest_pitch", 0.1, 0.7, (Knot(0.3, -0.1), Knot(0.5, -0.1)))


@pytest.fixture
def project(tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Stages 1 to 4 stand-ins, whose fit is the recorded kick; 5 real."""
    fit = read_kick(shared / "mocap" / "deepmimic_kick.txt").fit

    def run(context: Context) -> Result:
        if context.folder.name == "body":
            return Result(arrays={"": fit}, pages={"coach": COACH})
        return tiny_run(context)

    def find(number: int) -> Stage:
        return graph.stage(5) if number == 5 else Stage(declaration(number), run)

    monkeypatch.setattr(execute, "find_stage", find)
    made = make_project(tmp_path / "gym")
    for stage in range(1, 5):
        for subject in made.subjects(stage):
            execute.run_stage(made, stage, subject, lambda fraction, text: None)
    return made


def run_5(project: Project) -> Revision:
    return execute.run_stage(project, 5, "kick", lambda fraction, text: None)


def parts(revision: Revision) -> tuple[bytes, bytes]:
    return revision.data().read_bytes(), revision.data("reference").read_bytes()


def test_layers_are_applied_and_applied_again_and_undone_leave_the_same_bytes(project, monkeypatch) -> None:
    solved, real = [], s5_retarget._moved
    monkeypatch.setattr(s5_retarget, "_moved", lambda *told: (solved.append(1), real(*told))[1])
    plain = parts(run_5(project))
    assert plain[0] == plain[1], "without layers the reference is the retarget"
    project.write_layers("kick", Layers((KNEE, LEAN)))
    layered = run_5(project)
    assert layered.record.summary["layers"] == 2
    assert parts(layered)[0] == plain[0] and parts(layered)[1] != plain[1]
    moved, reference = project.load(5, "kick", Retarget), project.reference("kick")
    fighter = project.load(5, "kick", Body, "body")
    assert reference.qpos.tobytes() == relock(moved, Layers((KNEE, LEAN)), fighter).qpos.tobytes()
    column = 7 + moved.joints.index("chest_pitch")
    assert (reference.qpos - moved.qpos)[:, column].min() == pytest.approx(-0.1, abs=1e-6)
    for layers, wanted in ((Layers(), plain), (Layers((KNEE, LEAN)), parts(layered))):
        project.write_layers("kick", layers)
        assert parts(run_5(project)) == wanted
    assert len(solved) == 1, "a corrected curve does not wait for the whole solve"


def test_a_new_retarget_applies_the_layers_again(project, monkeypatch) -> None:
    project.write_layers("kick", Layers((LEAN,)))
    first = run_5(project)
    body = load_body("fighter")
    text = project.layout.root / "bodies" / "fighter.toml"
    text.parent.mkdir()
    text.write_text(
        f'schema_version = 1\nname = "fighter"\nstature = {body.stature + 0.02}\nmass = {body.mass}\n'
        f"leg_ratio = {body.leg_ratio}\n"
    )
    assert project.state(5, "kick").state == "stale"
    second = run_5(project)
    assert parts(second)[0] != parts(first)[0]
    moved, reference = project.load(5, "kick", Retarget), project.reference("kick")
    column = 7 + moved.joints.index("chest_pitch")
    assert (reference.qpos - moved.qpos)[:, column].min() == pytest.approx(-0.1, abs=1e-6)
    still = moved.motion.times >= 0.7
    assert reference.qpos[still].tobytes() == moved.qpos[still].tobytes()


def test_figures_and_findings_are_those_of_the_reference(project) -> None:
    before = run_5(project).record
    flick = Layer("flick", "shoulder_roll_l", 0.5, 0.58, (Knot(0.54, 1.0),))
    project.write_layers("kick", Layers((flick,)))
    after = run_5(project).record
    assert not [f for f in before.findings if f.kind == "flick" and f.subject == "shoulder_roll_l"]
    assert [f for f in after.findings if f.kind == "flick" and f.subject == "shoulder_roll_l"]
    assert after.summary["max_acceleration"] > before.summary["max_acceleration"]
    floors = [[f for f in record.findings if f.kind == "floor"] for record in (before, after)]
    assert floors[0] == floors[1]


def test_a_result_without_a_reference_is_still_shown(project) -> None:
    revision = run_5(project)
    revision.data("reference").unlink()
    assert np.array_equal(project.reference("kick").qpos, project.load(5, "kick", Retarget).qpos)
    assert project.state(5, "kick").state == "stale"
