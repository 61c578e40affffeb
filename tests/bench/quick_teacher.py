"""Does the quick teacher learn? A table: deterministic return and error before and after, and a twin that cannot learn.

    python tests/bench/quick_teacher.py                      the authored leg raise (left, its weight shifted)
    python tests/bench/quick_teacher.py --clip raise-r-copy  another authored clip
    python tests/bench/quick_teacher.py --project DIR --technique leg-raise

Runs the real program twice with the preset's seed: as it is, and with learning rate 0 (only the observation's
normaliser moves: the noise floor). Two and a half minutes and
a bit over half of that on two quiet cores.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "bench")]

from factories import make_table  # noqa: E402
from report import Row, add_options, finish  # noqa: E402

from studio.schema.body import Body  # noqa: E402
from studio.schema.codec import pack, to_plain  # noqa: E402
from studio.schema.resources import resource  # noqa: E402
from studio.schema.training import TeacherSpec  # noqa: E402
from studio.schema.variants import Table  # noqa: E402

CLIPS = {f"{what}-{side}{suffix}": (side, what, balance)
         for what in ("raise", "knee") for side in "lr"
         for suffix, balance in (("", "shifted"), ("-copy", "copied"), ("-planned", "planned"))}  # fmt: skip
LEAST_RISE, MOST_ERROR, LEAST_GAP = 10.0, 10.0, 5.0
"""Percent: the return must rise, the error may grow, the twin must stay below by so many points."""


def the_table(options: argparse.Namespace) -> tuple[Table, Body]:
    if options.project is None:
        side, what, balance = CLIPS[options.clip]
        return make_table(side, what, balance, 9)
    from studio.store.project import Project

    project = Project.open(options.project)
    return project.load(6, options.technique, Table), project.load(6, options.technique, Body, "body")


def train(table: Table, body: Body, folder: Path, preset: str = "quick", **settings: object) -> dict:
    """One run of the program; its report."""
    import tomllib

    seed = tomllib.loads(resource("training", "presets.toml").read_text())["seeds"]["teacher"]
    folder.mkdir()
    np.savez(folder / "table.npz", **pack(table))  # type: ignore[arg-type]
    sha = hashlib.sha256((folder / "table.npz").read_bytes()).hexdigest()
    spec = TeacherSpec(table.technique, preset, seed, sha, dict(settings))
    (folder / "spec.json").write_text(json.dumps(to_plain(spec)))
    (folder / "body.json").write_text(json.dumps(to_plain(body)))
    command = [sys.executable, "-m", "remote_agent.train.teacher", str(folder)]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return json.loads((folder / "out" / "report.json").read_text())


def change(report: dict, name: str) -> float:
    """Percent from the first evaluation to the last."""
    first, last = (report["evaluations"][k][name] for k in (0, -1))
    return 100 * (last / first - 1)


def rows_of(learned: dict, twin: dict) -> list[Row]:
    first, last = learned["evaluations"][0], learned["evaluations"][-1]
    rise, floor = change(learned, "reward_sum"), change(twin, "reward_sum")
    return [
        Row("return before", first["reward_sum"], "", None, "shown"),
        Row("return after", last["reward_sum"], "", None, "shown"),
        Row("rise of the return", rise, "%", LEAST_RISE, "above"),
        Row("rise over the twin's", rise - floor, "points", LEAST_GAP, "above"),
        Row("rise of the twin that cannot learn", floor, "%", None, "shown"),
        Row("growth of the tracking error", change(learned, "tracking_error_m"), "%", MOST_ERROR, "below"),
        Row("tracking error after", 100 * last["tracking_error_m"], "cm", 100 * first["tracking_error_m"], "shown"),
        Row("survival after", last["survival"], "", first["survival"], "shown"),
        Row("nearest to the target after", last["nearest_cm"], "cm", first["nearest_cm"], "shown"),
        Row("time of the training", learned["seconds"], "s", 150.0, "below"),
        Row("env-steps a second", learned["steps"] / learned["seconds"], "1/s", None, "shown"),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clip", choices=sorted(CLIPS), default="raise-l")
    parser.add_argument("--project", type=Path)
    parser.add_argument("--technique", default="leg-raise")
    add_options(parser)
    options = parser.parse_args()
    table, body = the_table(options)
    with tempfile.TemporaryDirectory() as place:
        learned = train(table, body, Path(place) / "learns")
        twin = train(table, body, Path(place) / "twin", learning_rate=0.0)
    load = " ".join(f"{x:.1f}" for x in os.getloadavg())
    title = (
        f"Quick teacher of {table.technique}, {learned['iterations']} iterations, seed {learned['seed']}, load {load}"
    )
    return finish(title, rows_of(learned, twin), options)


if __name__ == "__main__":
    sys.exit(main())
