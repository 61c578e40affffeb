"""A run's events as they come, teaching's order, and the pictures of a technique."""

from __future__ import annotations

import json

import numpy as np
import pytest

from studio.app import clips, teaching, trainings
from studio.app.films import camera_for, places_in
from studio.app.pictures import telling_pose, yaw_deg
from studio.app.story import StoryReader, newest_run
from studio.schema.body import Body
from studio.schema.errors import StudioError
from studio.schema.variants import Table
from studio.store.project import Project


@pytest.fixture
def project(gym) -> Project:
    return Project.open(gym)


def test_a_story_is_told_from_its_events(project):
    folder = newest_run(project, "right-knee")
    assert folder is not None
    story = StoryReader(folder).read()
    assert (story.iteration, story.iterations, story.ended, story.phase) == (60, 60, "done", "train")
    assert [clip.iteration for clip in story.clips] == [0, 30, 60]
    assert [kept.iteration for kept in story.snapshots] == [30, 60]
    assert story.curves["eval_reward_sum"] == ((0, 10.0), (30, 40.0), (60, 70.0))


def test_a_story_goes_on_where_it_stopped_and_leaves_out_what_is_not_there(project):
    folder = newest_run(project, "right-knee")
    assert folder is not None
    reader, path = StoryReader(folder), folder / "events.jsonl"
    before = reader.read()
    lines = path.read_text().splitlines()
    clip = {"type": "clip", "sha": "f" * 64, "size": 1, "name": "x.npz", "iter": 90}
    metric = {"type": "metric", "iter": 90, "values": {"reward": 0.7, "odd": "text"}}
    nonsense = {"type": "metric", "iter": 91, "values": 3}
    later = (clip, metric, nonsense)
    new = [json.dumps({"seq": len(lines) + k, "att": 1, **event}) for k, event in enumerate(later, 1)]
    new.append('{"torn": ')
    path.write_text("\n".join([*lines, *new]))
    after = reader.read()
    assert after.clips == before.clips, "a clip whose file is missing is not shown"
    assert after.curves["reward"][-1] == (90, 0.7)
    assert "odd" not in after.curves


def test_no_run_is_no_folder(made, tmp_path):
    assert newest_run(made.empty_project(tmp_path / "new"), "right-knee") is None


def test_the_order_is_the_preset_with_the_coachs_changes(project):
    order = teaching.read_order(project, "right-knee")
    assert order.preset == "quick" and order.entries == 9
    assert order.steps == order.iterations * order.fighters * 24
    assert order.seconds(1000.0) == order.steps / 1000.0
    assert {"hit", "joint_angles"} <= {reward.name for reward in order.rewards}
    teaching.choose_preset(project, "right-knee", "full")
    assert teaching.read_order(project, "right-knee").iterations > order.iterations
    teaching.choose_preset(project, "right-knee", "gigantic")
    with pytest.raises(StudioError, match="gigantic"):
        teaching.read_order(project, "right-knee")


def test_stopping_nothing_is_refused(made, tmp_path):
    with pytest.raises(StudioError, match="no training has begun"):
        trainings.stop_early(made.empty_project(tmp_path / "new"), 7, "right-knee")


def test_a_clip_that_is_no_recording_is_refused(project, made):
    folder = newest_run(project, "right-knee")
    assert folder is not None
    path = StoryReader(folder).read().clips[0].path
    assert clips.read_clip(path).qpos.shape[1] == 41
    path.write_bytes(b"no archive")
    with pytest.raises(StudioError):
        clips.read_clip(path)


def test_contacts_become_spans_on_the_films_clock(made):
    spans = clips.contact_spans(made.made_table())
    assert spans[0] == spans[1] == ((0.0, 0.8),)
    assert spans[2] == spans[3] == ((0.0, 0.1), (0.7, 0.8))


def test_the_telling_pose_is_the_hit_and_before_the_table_the_farthest(project, made, tmp_path):
    pose = telling_pose(project, "right-knee")
    assert pose is not None and np.array_equal(pose.qpos, made.made_table().qpos[4, 20])
    early = made.empty_project(tmp_path / "early")
    assert telling_pose(early, "right-knee") is None
    made.run_through(early, 5)
    pose = telling_pose(early, "right-knee")
    assert pose is not None and np.abs(pose.qpos[7:]).sum() > 2


def test_yaw_is_where_the_root_faces():
    half = np.sqrt(0.5)
    assert yaw_deg(np.array([0, 0, 1, half, 0, 0, half])) == pytest.approx(90)


def test_a_camera_keeps_the_whole_fighter_in_a_narrow_pane(project):
    table, body = project.load(6, "right-knee", Table), project.load(6, "right-knee", Body, "body")
    scene = clips.make_scene(table, body)
    track = np.tile(scene.skeleton.qpos0, (10, 1))
    wide, narrow = (camera_for("front", scene, places_in(scene, (track,)), *size) for size in ((800, 400), (100, 400)))
    assert narrow.distance > 1.3 * wide.distance
    walked = track.copy()
    walked[:, 1] += np.linspace(-0.5, 0.5, 10)
    assert camera_for("front", scene, places_in(scene, (walked,)), 100, 400).distance > narrow.distance
