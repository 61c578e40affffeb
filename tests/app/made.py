"""A project whose nine stages have run for real, on made-up results: quick to make, true in its records."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from studio.domain.body.build import build
from studio.domain.body.load import body_hash, load_body
from studio.schema.camera import Camera, Rig
from studio.schema.codec import document, pack
from studio.schema.findings import Finding
from studio.schema.motion import Retarget
from studio.schema.project import Coach, ProjectInfo
from studio.schema.session import DeclaredTake, Session
from studio.schema.take import Sync, Take, Video
from studio.schema.technique import Technique
from studio.schema.training import Clip, GateRow, GateTable
from studio.schema.variants import Table
from studio.stages import execute, graph
from studio.stages.stage import Context, Result
from studio.store import atomic
from studio.store.project import Project

FRAMES, FPS, ENTRIES = 40, 50.0, 9
SOLES = tuple(f"{part}_{side}" for side in "lr" for part in ("heel", "ball_in", "ball_out", "toe_tip"))
FINDINGS = (
    Finding("sides", "a", 0.4, 0.6, 3.0, "px", 1.0, repaired=True),
    Finding("jump", "pelvis", 0.2, 0.26, 0.26, "m", 0.1),
)


def empty_project(folder: Path) -> Project:
    """A session with two files and one technique; nothing has run."""
    project = Project.create(folder, ProjectInfo("North Gym", "Anan"), Coach("Anan", 1.71, 68.0))
    layout = project.layout
    take = DeclaredTake("two", {"a": "a.mp4", "b": "b.mp4"})
    session = Session("spring", "calib.toml", {"a": "one", "b": "two"}, (take,))
    atomic.write_toml(layout.session_toml("spring"), document(session))
    for path in (layout.session("spring") / "calib.toml", *(layout.take("spring/two") / f"{p}.mp4" for p in "ab")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(path.name.encode())
    technique = Technique("right-knee", "spring", "two", "fighter", "knee_r", 0.0, 0.8)
    atomic.write_toml(layout.technique_toml("right-knee"), document(technique))
    return project


def run_through(project: Project, last: int, approve: bool = True) -> None:
    """Run stages 1 to ``last``, approving in between, with results made up here."""
    before = execute.find_stage
    execute.find_stage = lambda number: replace(graph.stage(number), run=RUNS[number])
    try:
        for stage in range(1, last + 1):
            subject = {1: "spring", 2: "spring/two", 3: "spring/two", 4: "spring/two"}.get(stage, "right-knee")
            execute.run_stage(project, stage, subject, lambda fraction, text: None)
            if stage >= 5 and (stage < last or approve):
                project.approve(stage, subject, words="good")
    finally:
        execute.find_stage = before


def raised_leg() -> tuple[tuple[str, ...], np.ndarray]:
    """Names of the joints and (T, nq): standing, one leg up and down again."""
    model = build(load_body("fighter")).compile()
    joints = tuple(model.joint(k).name for k in range(1, model.njnt))
    qpos = np.tile(model.qpos0, (FRAMES, 1))
    lift = np.sin(np.linspace(0, np.pi, FRAMES))
    qpos[:, model.joint("hip_pitch_r").qposadr[0]] = -1.2 * lift
    qpos[:, model.joint("knee_r").qposadr[0]] = 1.4 * lift
    return joints, qpos


def made_table() -> Table:
    body = load_body("fighter")
    joints, qpos = raised_leg()
    uv = np.array([[u, v] for u in (-1.0, 0.0, 1.0) for v in (-1.0, 0.0, 1.0)])
    contacts = np.ones((FRAMES, len(SOLES)), bool)
    contacts[5:35, 4:] = False
    return Table(
        technique="right-knee", body=body.name, body_hash=body_hash(body), fps=FPS, start_s=0.0, joints=joints,
        soles=SOLES, striker="knee_r", impact_frame=20, events={}, uv=uv,
        targets=np.tile([0.5, -0.1, 0.9], (ENTRIES, 1)),
        qpos=np.tile(qpos, (ENTRIES, 1, 1)), contacts=contacts, hit_error=np.full(ENTRIES, 0.004), world=np.eye(4),
    )  # fmt: skip


def made_clip(iteration: int) -> Clip:
    """26 trained hinges, the bag's two balls, a fighter who stays at the reference."""
    model = build(load_body("fighter"), welded=True, markers=False).compile()
    reference = np.tile(model.qpos0, (FRAMES, 1))
    bag = np.tile([1.0, 0, 0, 0, 1.0, 0, 0, 0], (FRAMES, 1))
    joints = tuple(model.joint(k).name for k in range(1, model.njnt))
    return Clip(
        "right-knee", iteration, FPS, "bag", 200, joints, np.hstack([reference, bag]), reference, {"mean_error_m": 0.05}
    )


def made_gate(passing: bool = False) -> GateTable:
    lean = (1.0, 2.0, 2.5) if passing else (1.0, 9.7, 2.0)
    rows = (
        GateRow("hit", "N s", "above", 15.0, True, {"bag": (24.0, 26.0, 31.0)}),
        GateRow("front_foot", "", "above", 1.0, True, {"air": (1.0, 1.0, 1.0), "bag": (1.0, 1.0, 1.0)}),
        GateRow("lean", "deg", "below", 3.0, True, {"air": (0.5, 0.7, 0.2), "bag": lean}),
        GateRow("tracking", "cm", "below", 10.0, False, {"air": (14.0, 9.0, 8.0), "bag": (12.0, 1e4, 8.0)}),
    )
    shas = dict.fromkeys(("air", "bag"), ("0" * 64,) * 3)
    return GateTable("right-knee", "iter-000060", (100, 101, 102), rows, shas, "1" * 64, "2" * 64, {"mujoco": "3"})


def made_rig() -> Rig:
    """Two phones three metres away, at right angles, at the height of the chest."""
    cameras = []
    for phone, azimuth in (("a", 0.0), ("b", np.pi / 2)):
        forward = -np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
        rotation = np.stack([[-forward[1], forward[0], 0.0], [0.0, 0.0, -1.0], forward])
        rotation[0] = np.cross(rotation[1], rotation[2])
        matrix = np.array([[1400.0, 0, 539.5], [0, 1400.0, 959.5], [0, 0, 1]])
        place = -3.0 * forward + [0, 0, 1.0]
        cameras.append(Camera(phone, 1080, 1920, matrix, np.zeros(4), rotation, -rotation @ place))
    return Rig(tuple(cameras))


def made_take() -> Take:
    videos = tuple(Video(phone, f"{phone}.mp4", "0" * 64, 1080, 1920, 60.0, 100, 100 / 60) for phone in "ab")
    return Take("two", "spring", videos, Sync(), 0.0, 99 / 60)


def _capture(context: Context) -> Result:
    layout = context.project.layout
    places = {layout.rig_toml("spring"): made_rig(), layout.take_toml("spring/two"): made_take()}
    summary = {"takes": 1, "phones": 2, "width": 1080, "height": 1920, "fps": 60.0, "frames": 100}
    return Result(places=places, summary={**summary, "notes": ["Phone a: 8 px cropped"]})


def _keypoints(context: Context) -> Result:
    return Result(summary={"model": "rtmpose", "frames": 100, "phones": 2, "seen_percent": 97.5})


def _space(context: Context) -> Result:
    return Result(
        findings=FINDINGS,
        summary={
            "frames": 100,
            "fps": 60.0,
            "residual_px": 3.1,
            "measured_percent": 95.0,
            "swaps": 12,
            "sync": "declared",
        },
    )


def _skeleton(context: Context) -> Result:
    return Result(summary={"frames": 100, "residual_mm": 11.2, "rejected_percent": 2.0, "stature": 1.71})


def _retarget(context: Context) -> Result:
    body = load_body("fighter")
    joints, qpos = raised_leg()
    contacts = np.ones((FRAMES, len(SOLES)), bool)
    moved = Retarget(body.name, body_hash(body), FPS, 0.0, joints, SOLES, 1.2, qpos, qpos, contacts)
    summary = {"frames": FRAMES, "root_scale": 1.2, "findings": 1, "slide_mm": 0.0}
    return Result(arrays={"": moved, "reference": moved}, pages={"body": body}, findings=FINDINGS[1:], summary=summary)


def _variants(context: Context) -> Result:
    summary = {"entries": ENTRIES, "frames": FRAMES, "hit_error_mm": 4.0, "findings": 0}
    return Result(arrays={"": made_table()}, pages={"body": load_body("fighter")}, summary=summary)


def _teacher(context: Context) -> Result:
    folder = context.project.layout.teacher(context.subject, f"r{context.number}")
    files = write_run(folder)
    return Result(files=files, summary={"iterations": 60, "snapshots": 2, "clips": 3, "status": "done"})


def _gate(context: Context) -> Result:
    table = made_gate()
    judged = [row for row in table.rows if row.judged]
    summary = {"passed": table.passed, "rows_judged": len(judged), "rows_passed": sum(row.passed for row in judged)}
    return Result(pages={"table.json": table}, summary=summary)


RUNS = {1: _capture, 2: _keypoints, 3: _space, 4: _skeleton, 5: _retarget, 6: _variants, 7: _teacher, 8: _gate}


def write_run(folder: Path) -> tuple[Path, ...]:
    """The mirror of a run of 60 iterations with three clips and two snapshots; its files in order."""
    files, events = [], [{"type": "state", "phase": "train"}]
    for iteration in (0, 30, 60):
        sha = f"{iteration:064x}"
        atomic.write_arrays(folder / "clips" / f"{sha}.npz", pack(made_clip(iteration)))
        files.append(folder / "clips" / f"{sha}.npz")
        events.append({"type": "clip", "sha": sha, "size": 1, "name": "c.npz", "iter": iteration})
        values = {"eval_reward_sum": 10.0 + iteration, "eval_tracking_error_m": 0.2, "reward": 0.5}
        events.append({"type": "metric", "iter": iteration, "values": values})
        if iteration:
            sha = f"{iteration + 1:064x}"
            atomic.write_bytes(folder / "snapshots" / f"{sha}.onnx", b"onnx %d" % iteration)
            files.append(folder / "snapshots" / f"{sha}.onnx")
            events.append({"type": "ckpt", "sha": sha, "size": 1, "name": "s.onnx", "iter": iteration})
    progress = {"iter": 60, "iters": 60, "steps": 368640, "fps": 7700.0, "eta_s": 0.0}
    events += [{"type": "progress", **progress}, {"type": "final", "status": "done"}]
    lines = [json.dumps({"seq": k, "att": 1, **event}) for k, event in enumerate(events, 1)]
    atomic.write_bytes(folder / "events.jsonl", ("\n".join(lines) + "\n").encode())
    return (*files, folder / "events.jsonl")
