from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path

import pytest

from studio.schema.errors import StudioError
from studio.stages import execute
from studio.stages.stage import Context, Result, Stage
from studio.store import fingerprint, lock
from studio.store.catalog import declaration
from studio.store.project import Project
from studio.store.skills import policy_of, skill_sources
from tests.house import TAKE, make_project, run_through, use_tiny_stages


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    use_tiny_stages(monkeypatch)
    return make_project(tmp_path / "gym")


def rail(project: Project) -> list[str]:
    return [state.state for state in project.states()]


def test_a_fresh_project_is_ready_at_its_first_stage_and_locked_after(project: Project) -> None:
    assert rail(project) == ["ready"] + ["locked"] * 8


def test_stages_one_to_four_are_done_and_five_waits_for_eyes(project: Project) -> None:
    run_through(project, 5, approve=False)
    assert rail(project) == ["done"] * 4 + ["needs your eyes"] + ["locked"] * 4
    assert "waits for your eyes" in project.state(6, "kick").why


def test_approval_opens_the_next_stage(project: Project) -> None:
    run_through(project, 5)
    assert rail(project)[4:6] == ["approved", "ready"]


def test_after_the_whole_chain_the_student_stays_locked_for_want_of_a_second_teacher(project: Project) -> None:
    run_through(project, 8)
    assert rail(project) == ["done"] * 4 + ["approved"] * 4 + ["locked"]
    assert project.state(9, "").why == "it needs two adopted teachers, there is kick"


def second_technique(project: Project) -> None:
    other = project.layout.technique("knee") / "technique.toml"
    other.parent.mkdir()
    other.write_text(project.layout.technique_toml("kick").read_text().replace('"kick"', '"knee"'))


def test_of_two_techniques_the_student_waits_for_the_second_teacher_and_then_for_his_gate(project: Project) -> None:
    run_through(project, 8)
    second_technique(project)
    state = project.state(9, "")
    assert state.state == "locked" and state.why == "it needs two adopted teachers, there is kick"
    run_through(project, 7)
    assert project.state(9, "").why == "stage 8 (Gate) of knee has not run"
    run_through(project, 8)
    assert project.state(9, "").state == "ready"


def test_a_student_is_made_of_tables_adopted_snapshots_and_gates(project: Project) -> None:
    run_through(project, 6)
    second_technique(project)
    run_through(project, 9)
    state, record = project.state(9, ""), project.revisions(9, "")[-1].record
    assert state.state == "approved"
    for name in ("kick", "knee"):
        folders = {path.split("/")[2] for path in record.inputs if path.startswith(f"techniques/{name}/")}
        assert folders == {"variants", "teachers"}
        snapshots = [path for path in record.inputs if path.startswith(f"techniques/{name}/") and "/snapshots/" in path]
        assert snapshots == [project.snapshots(name)[-1]]
    (project.layout.students / "practice.toml").write_text("schema_version = 1\nseed = 5\n")
    assert project.state(9, "").why == "preset and seed changed"


def test_a_skill_whose_teacher_does_not_hold_any_more_is_handed_on_by_the_student_that_learned_it(
    project: Project,
) -> None:
    run_through(project, 6)
    second_technique(project)
    run_through(project, 9)
    student = project.revision(9, "")
    assert student is not None
    project.approve(7, "knee", verdict="withdrawn")
    assert [(source.technique, source.teacher) for source in skill_sources(project)] == [
        ("kick", True),
        ("knee", False),
    ]
    assert skill_sources(project)[1].policy == policy_of(student)
    assert project.state(9, "").why == "it needs two adopted teachers, there is kick"


def test_a_changed_video_makes_everything_after_it_stale_and_says_which_file(project: Project) -> None:
    run_through(project, 6)
    (project.layout.take(TAKE) / "b.mp4").write_bytes(b"another film")
    states = project.states()
    assert [s.state for s in states[:6]] == ["stale"] * 6
    assert states[0].why == "b.mp4 changed"
    assert "stage 1 (Capture) of s is stale" in states[1].why


def test_the_coachs_measures_touch_only_the_skeleton_and_what_follows(project: Project) -> None:
    run_through(project, 5)
    page = project.layout.coach_toml
    page.write_text(page.read_text().replace("1.75", "1.80"))
    assert rail(project)[:5] == ["done", "done", "done", "stale", "stale"]
    assert project.state(4, TAKE).why == "coach.toml changed"


def test_an_upstream_change_takes_the_approval_back_and_says_why(project: Project) -> None:
    run_through(project, 5)
    page = project.layout.coach_toml
    page.write_text(page.read_text().replace("1.75", "1.80"))
    run_through(project, 5, approve=False)
    state = project.state(5, "kick")
    assert state.state == "needs your eyes"
    assert "was taken back: body changed since" in state.why


def test_the_same_bytes_made_again_change_nothing_downstream(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    run_through(project, 6)
    execute.run_stage(project, 4, TAKE, lambda fraction, text: None)
    revision = project.revision(4, TAKE)
    assert revision is not None and revision.number == 2
    assert rail(project)[:6] == ["done"] * 4 + ["approved"] * 2


def test_another_result_from_the_same_inputs_needs_eyes_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_through(project, 5)
    other = tuple(project.layout.technique("kick") / "retarget" / "r2-extra.txt" for _ in range(1))
    other[0].write_bytes(b"luck")
    monkeypatch.setattr(execute, "find_stage", lambda n: Stage(declaration(n), lambda context: Result(files=other)))
    execute.run_stage(project, 5, "kick", lambda fraction, text: None)
    state = project.state(5, "kick")
    assert state.state == "needs your eyes"
    assert "this is another result" in state.why


def test_a_withdrawn_approval_needs_eyes_again(project: Project) -> None:
    run_through(project, 5)
    project.approve(5, "kick", verdict="withdrawn", words="the foot")
    state = project.state(5, "kick")
    assert state.state == "needs your eyes" and "withdrawn" in state.why


def test_an_automatic_approval_says_so(project: Project) -> None:
    run_through(project, 5, approve=False)
    project.approve(5, "kick", automatic=True)
    assert project.state(5, "kick").automatic
    project.approve(5, "kick", "looked")
    assert not project.state(5, "kick").automatic


def test_nothing_is_approved_before_it_ran_or_when_it_is_stale(project: Project) -> None:
    with pytest.raises(StudioError, match="cannot be approved"):
        project.approve(5, "kick")
    run_through(project, 5, approve=False)
    page = project.layout.coach_toml
    page.write_text(page.read_text().replace("1.75", "1.80"))
    with pytest.raises(StudioError, match="stale"):
        project.approve(5, "kick")


def test_a_failure_is_told_and_keeps_the_last_good_revision(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    run_through(project, 2)

    def fail(_: object) -> Result:
        raise StudioError("No body found", "nobody is in the picture", "Film again")

    monkeypatch.setattr(execute, "find_stage", lambda n: Stage(declaration(n), fail))
    with pytest.raises(StudioError, match="No body found"):
        execute.run_stage(project, 2, TAKE, lambda fraction, text: None)
    state, good = project.state(2, TAKE), project.revision(2, TAKE)
    assert state.state == "failed" and "nobody is in the picture" in state.why
    assert good is not None and good.number == 1
    assert [r.record.status for r in project.revisions(2, TAKE)] == ["done", "failed"]


def test_a_fault_of_the_program_becomes_a_sentence_and_a_record(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execute, "find_stage", lambda n: Stage(declaration(n), lambda context: Result(files=1 / 0)))  # type: ignore[arg-type]
    with pytest.raises(StudioError, match="ZeroDivisionError"):
        execute.run_stage(project, 1, "s", lambda fraction, text: None)
    assert project.state(1, "s").state == "failed"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(errno.EACCES, os.strerror(errno.EACCES), "/gym/a.mp4"), "a.mp4: permission denied. Check"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "the disk is full. Check the disk"),
        (ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)), "the program made a mistake"),
    ],
)
def test_what_the_disk_refuses_is_no_fault_of_the_program(
    project: Project, monkeypatch: pytest.MonkeyPatch, error: OSError, said: str
) -> None:
    def refuse(context: Context) -> Result:
        raise error

    monkeypatch.setattr(execute, "find_stage", lambda n: Stage(declaration(n), refuse))
    with pytest.raises(StudioError, match=re.escape(said)):
        execute.run_stage(project, 1, "s", lambda fraction, text: None)


def test_a_stage_behind_an_unapproved_one_refuses_to_run(project: Project) -> None:
    run_through(project, 5, approve=False)
    with pytest.raises(StudioError, match="Finish stage 5 first"):
        execute.run_stage(project, 6, "kick", lambda fraction, text: None)


def test_running_is_seen_while_the_process_lives_and_not_after(project: Project) -> None:
    marker = project.layout.job(1, "s")
    lock.write_holder(marker, lock.me())
    assert project.state(1, "s").state == "running"
    marker.write_text(json.dumps({"host": lock.me().host, "pid": os.getpid(), "start": "1"}))
    assert project.state(1, "s").state == "ready", "another process of that number is not the one that ran"


def test_a_raised_code_version_makes_stale(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from studio.store import catalog

    run_through(project, 2)
    newer = tuple(replace(d, version=d.version + (d.number == 2)) for d in catalog.CATALOG)
    monkeypatch.setattr(catalog, "CATALOG", newer)
    state = project.state(2, TAKE)
    assert state.state == "stale" and "another way" in state.why


def test_adopting_another_snapshot_makes_the_gate_stale(project: Project) -> None:
    run_through(project, 8)
    first, last = project.snapshots("kick")
    assert project.adopted("kick") == project.layout.absolute(last)
    project.approve(7, "kick", choice=first)
    assert project.adopted("kick") == project.layout.absolute(first)
    assert project.state(8, "kick").state == "stale"
    with pytest.raises(StudioError, match="no snapshot"):
        project.approve(7, "kick", choice="techniques/kick/teachers/r9/snapshots/x.onnx")


def test_a_video_that_is_gone_locks_with_its_name(project: Project) -> None:
    (project.layout.take(TAKE) / "a.mp4").unlink()
    state = project.state(1, "s")
    assert state.state == "locked" and "a.mp4 is missing" in state.why


def test_a_damaged_result_is_stale_and_the_next_run_repairs_it(project: Project) -> None:
    run_through(project, 5)
    revision = project.revision(3, TAKE)
    assert revision is not None
    good = revision.data().read_bytes()
    revision.data().write_bytes(good[:-1] + b"?")
    state = project.state(3, TAKE)
    assert state.state == "stale" and state.why.endswith("points/r1.npz is not what was written")
    assert project.state(4, TAKE).state == "stale", "nothing builds on it"
    run_through(project, 3)
    repaired = project.revision(3, TAKE)
    assert repaired is not None and repaired.number == 2 and repaired.data().read_bytes() == good
    assert rail(project)[:5] == ["done"] * 4 + ["approved"], "the same bytes again change nothing downstream"
    repaired.data().unlink()
    assert project.state(3, TAKE).why.endswith("points/r2.npz is missing")


def test_a_lost_rig_is_made_again(project: Project) -> None:
    run_through(project, 3)
    project.layout.rig_toml("s").unlink()
    assert project.state(1, "s").state == "stale"
    run_through(project, 3)
    assert rail(project)[:3] == ["done"] * 3


def test_a_technique_of_a_take_that_is_not_there_says_which_there_are(project: Project) -> None:
    run_through(project, 4)
    page = project.layout.technique_toml("kick")
    page.write_text(page.read_text().replace('take = "t"', 'take = "u"'))
    state = project.state(5, "kick")
    assert state.state == "locked" and state.why == "Technique kick has no take s/u: there are s/t"


def test_an_input_of_several_files_is_named_once() -> None:
    old = {"takes/t/body/r1.npz": "1", "takes/t/body/r1-coach.toml": "2", "coach.toml": "3"}
    new = {"takes/t/body/r2.npz": "7", "takes/t/body/r2-coach.toml": "8", "coach.toml": "9"}
    assert fingerprint.changes(old, new) == ("coach.toml", "body")
