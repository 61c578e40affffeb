"""Does the teacher land the knee, and is it the balance pass that lets him? A table: the same motion with and without.

    python tests/bench/knee.py                                       the performed knee, as the sample's coach gives it
    python tests/bench/knee.py --project DIR --technique right-knee  the one of a project, after its stage 5

Trains twice with one order (preset "full": 2.4 million steps, the seed written down in presets.toml) on two tables: of
the motion with its balance planned, and of the same motion with its feet locked and nothing else. The snapshots are
judged by the gate, in the air and on the bag, on its six fixed seeds; the verdict is that of the last iteration, those
on the way show how soon he could do it. Five to six minutes each on two quiet cores. What is finished is kept in
``--keep`` and used again while table, order and rewards are the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "bench")]

from quick_teacher import train  # noqa: E402
from report import Row, add_options, finish  # noqa: E402

from studio.domain.gates.table import gate_json, run_gate, table_sha256  # noqa: E402
from studio.domain.variants.resolve import resolve_table  # noqa: E402
from studio.schema.body import Body  # noqa: E402
from studio.schema.codec import read_document  # noqa: E402
from studio.schema.motion import Retarget, SkeletonFit  # noqa: E402
from studio.schema.resources import resource, sample  # noqa: E402
from studio.schema.technique import Technique  # noqa: E402
from studio.schema.training import GateTable  # noqa: E402
from studio.schema.variants import Table  # noqa: E402
from studio.store import reading  # noqa: E402
from studio.store.catalog import gate_seeds  # noqa: E402

VARIANTS = {"balanced": True, "plain": False}
LEAST_IMPULSE = 15.0
"""N s of the knee on the bag, at every seed; the gate's own limit."""


@dataclass(frozen=True)
class Outcome:
    """A finished run: the training's report and what the gate says of its snapshots, by iteration."""

    report: dict
    gates: dict[int, GateTable]

    @property
    def gate(self) -> GateTable:
        """Of the last iteration."""
        return self.gates[max(self.gates)]

    def values(self, row: str, condition: str) -> np.ndarray:
        """(seeds,) of one row of the last gate."""
        return values_of(self.gate, row, condition)

    def standing(self, condition: str) -> int:
        return int((self.values("fall", condition) == 0).sum())


def values_of(gate: GateTable, row: str, condition: str) -> np.ndarray:
    """(seeds,) of one row of a gate."""
    return np.array(next(r for r in gate.rows if r.name == row).values[condition])


def landed(gate: GateTable) -> int:
    """Seeds on which the bag gets its impulse and he does not fall."""
    good = (values_of(gate, "hit", "bag") >= LEAST_IMPULSE) & (values_of(gate, "fall", "bag") == 0)
    return int(good.sum())


def performed(technique: Technique) -> tuple[Technique, Retarget, Body]:
    """The coach's true motion at the phones' rate, moved onto the fighter as stage 5 does it."""
    from studio.domain.body.load import load_body
    from studio.domain.retarget.retarget import retarget
    from studio.domain.synthetic.perform import FPS, perform
    from studio.domain.synthetic.right_knee import COACH, knee

    motion = perform(COACH, knee())
    qpos, nothing = motion.qpos[::2], np.zeros((len(motion.qpos[::2]), 0))
    fit = SkeletonFit(
        motion.body, motion.body_hash, FPS / 2, motion.start_s, motion.joints, (), qpos, nothing, nothing.astype(bool),
        np.zeros((0, 3)),
    )  # fmt: skip
    fighter = load_body("fighter")
    return technique, retarget(fit, COACH, fighter)[0], fighter


def the_motion(options: argparse.Namespace) -> tuple[Technique, Retarget, Body]:
    if options.project is None:
        path = sample("right-knee", "techniques", "right-knee", "technique.toml")
        return performed(reading.read_toml(Technique, path))
    from studio.store.project import Project

    project, name = Project.open(options.project), options.technique
    return project.technique(name), project.load(5, name, Retarget), project.load(5, name, Body, "body")


def make_table(motion: tuple[Technique, Retarget, Body], balanced: bool) -> Table:
    """As stage 6 does it; without the balance pass from the copy, which stage 5 has not balanced either."""
    technique, source, body = motion
    start = source if balanced else replace(source, qpos=source.copied)
    return resolve_table(technique, start, body, balanced=balanced)[0]


def outcome(table: Table, body: Body, keep: Path, name: str, preset: str) -> Outcome:
    """Train and judge, or read what an earlier call has finished."""
    recipe = [resource("rewards", "strike.toml"), resource("training", "presets.toml")]
    digest = hashlib.sha256("".join([table_sha256(table), preset, *[p.read_text() for p in recipe]]).encode())
    folder = keep / f"{name}-{digest.hexdigest()[:12]}"
    if not (folder / "out" / "report.json").exists():
        print(f"Training on the {name} table in {folder}", file=sys.stderr)
        retired(folder)
        load = os.getloadavg()[0]
        train(table, body, folder, preset)
        (folder / "load.json").write_text(json.dumps([load, os.getloadavg()[0]]))
    gates = {}
    for snapshot in sorted((folder / "out" / "snapshots").glob("iter-*.onnx")):
        judged = folder / f"{snapshot.stem}.gate.json"
        if not judged.exists():
            judged.write_bytes(gate_json(run_gate(snapshot, table, body, gate_seeds())))
        gates[int(snapshot.stem[5:])] = read_document(GateTable, json.loads(judged.read_text()), judged.name)
    report = json.loads((folder / "out" / "report.json").read_text())
    report["load"] = max(json.loads((folder / "load.json").read_text()))
    return Outcome(report, gates)


def retired(folder: Path) -> None:
    """Put a run that never ended aside."""
    if folder.exists():
        folder.rename(folder.with_name(f"{folder.name}.unfinished-{time.time_ns()}"))


def rows_of(name: str, found: Outcome, *, judged: bool) -> list[Row]:
    """What one run came to; only the balanced one is judged."""
    seeds, first, last = len(found.gate.seeds), found.report["evaluations"][0], found.report["evaluations"][-1]
    impulse = found.values("hit", "bag")
    sense = "above" if judged else "shown"
    rows = [
        Row(f"{name}: lands the knee on the bag, seeds", landed(found.gate), "", seeds, sense),
        Row(f"{name}: stands in the air, seeds", found.standing("air"), "", seeds, sense),
        Row(f"{name}: stands at the bag, seeds", found.standing("bag"), "", seeds, sense),
        Row(f"{name}: impulse, least", impulse.min(), "N s", LEAST_IMPULSE, sense),
        Row(f"{name}: impulse, median", float(np.median(impulse)), "N s", None, "shown"),
    ]
    for condition in ("air", "bag"):
        near = found.values("reach", condition)
        rows.append(Row(f"{name}: nearest in {condition}, median", float(np.median(near)), "cm", None, "shown"))
        rows.append(Row(f"{name}: nearest in {condition}, farthest", near.max(), "cm", None, "shown"))
    per_iteration = found.report["steps"] / found.report["iterations"] / 1e6
    for iteration in sorted(found.gates)[:-1]:
        what = f"{name}: the same after {iteration * per_iteration:.2f} million steps"
        rows.append(Row(what, landed(found.gates[iteration]), "", seeds, "shown"))
    failed = [r.name for r in found.gate.rows if not r.passed]
    passed = sum(gate.passed for gate in found.gates.values())
    return [
        *rows,
        Row(f"{name}: rows of the gate not passed", len(failed), ", ".join(failed), None, "shown"),
        Row(f"{name}: snapshots that pass the whole gate", passed, "", len(found.gates), "shown"),
        Row(f"{name}: return before", first["reward_sum"], "", None, "shown"),
        Row(f"{name}: return after", last["reward_sum"], "", None, "shown"),
        Row(f"{name}: survives all over the grid before", first["survival"], "", None, "shown"),
        Row(f"{name}: survives all over the grid after", last["survival"], "", None, "shown"),
        Row(f"{name}: env-steps", found.report["steps"] / 1e6, "million", None, "shown"),
        Row(f"{name}: env-steps a second", found.report["steps"] / found.report["seconds"], "1/s", None, "shown"),
        Row(f"{name}: load beside it", found.report["load"], "", None, "shown"),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--project", type=Path)
    parser.add_argument("--technique", default="right-knee")
    parser.add_argument("--preset", default="full")
    parser.add_argument("--only", choices=sorted(VARIANTS), help="one of the two")
    parser.add_argument("--keep", type=Path, default=ROOT / "out" / "bench" / "knee")
    add_options(parser)
    options = parser.parse_args()
    motion, rows = the_motion(options), []
    options.keep.mkdir(parents=True, exist_ok=True)
    for name, balanced in VARIANTS.items():
        if options.only in (None, name):
            found = outcome(make_table(motion, balanced), motion[2], options.keep, name, options.preset)
            rows += rows_of(name, found, judged=balanced)
    return finish(f"Teacher of {motion[0].name}, preset {options.preset}", rows, options)


if __name__ == "__main__":
    sys.exit(main())
