"""The gate as a whole: rules, verdicts, equal bytes from two processes."""

import itertools
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from factories import make_table, raise_scene, write_order

from studio.domain.gates.rules import read_rules
from studio.domain.gates.table import film_cell, gate_json, run_gate, table_sha256
from studio.domain.policy.network import Weights, build_onnx
from studio.domain.policy.observation import PolicyCard, Skill
from studio.schema.codec import read_document
from studio.schema.errors import StudioError
from studio.schema.resources import resource
from studio.schema.training import GateTable

SEEDS = (100, 101)
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy that does next to nothing."""
    layout = raise_scene().layout
    chance = np.random.default_rng(0)
    sizes = (layout.size, *layout.hidden, len(layout.joints))
    layers = tuple(
        (0.01 * chance.normal(size=(b, a)).astype(np.float32), np.zeros(b, np.float32))
        for a, b in itertools.pairwise(sizes)
    )
    weights = Weights(np.zeros(layout.size, np.float32), np.ones(layout.size, np.float32), layers)
    path = tmp_path_factory.mktemp("snapshot") / "s.onnx"
    path.write_bytes(build_onnx(weights, PolicyCard((Skill("raise-l", 1, "foot_l"),), 5, layout)))
    return path


@pytest.fixture(scope="module")
def judged(snapshot: Path) -> GateTable:
    table, body = make_table()
    return run_gate(snapshot, table, body, SEEDS)


def test_every_row_has_every_seed_and_the_untrained_fails(judged: GateTable) -> None:
    rows = {row.name: row for row in judged.rows}
    assert set(rows["fall"].values) == {"air", "bag"} and set(rows["hit"].values) == {"bag"}
    assert all(len(v) == len(SEEDS) for row in judged.rows for v in row.values.values())
    assert not judged.passed and not rows["hit"].passed
    assert not rows["reach"].judged
    assert judged.snapshot == "iter-000005"


def test_every_seed_makes_another_episode(judged: GateTable) -> None:
    assert set(judged.trajectory_sha256) == {"air", "bag"}
    assert all(len(set(hashes)) == len(SEEDS) for hashes in judged.trajectory_sha256.values())


def test_it_reads_back(judged: GateTable) -> None:
    import json

    assert read_document(GateTable, json.loads(gate_json(judged)), "gate") == judged


PROGRAM = """
import sys
from pathlib import Path
from remote_agent.train.run import read_run
from studio.domain.gates.table import gate_json, run_gate
run = read_run(Path(sys.argv[1]))
sys.stdout.buffer.write(gate_json(run_gate(Path(sys.argv[2]), run.table, run.body, (100, 101))))
"""


def test_two_processes_write_the_same_bytes(snapshot: Path, tmp_path: Path, judged: GateTable) -> None:
    folder = write_order(tmp_path / "run")
    outputs = []
    for threads in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(folder), str(snapshot)],
            capture_output=True,
            check=False,
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": threads},
        )
        assert done.returncode == 0, done.stderr.decode()[-800:]
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1] == gate_json(judged)


def test_a_film_shows_the_judged_episode(snapshot: Path, judged: GateTable) -> None:
    table, body = make_table()
    film = film_cell(snapshot, table, body, "bag", SEEDS[1])
    assert film.sha256 == judged.trajectory_sha256["bag"][1]
    assert film.qpos.shape == (raise_scene().reference.steps + 1, 41)


def test_a_snapshot_of_something_else_is_refused(snapshot: Path) -> None:
    table, body = make_table()
    with pytest.raises(StudioError, match="it learned raise-l"):
        run_gate(snapshot, replace(table, technique="other"), body, SEEDS)


def test_the_tables_identity_is_its_content() -> None:
    table, _ = make_table()
    assert table_sha256(table) == table_sha256(replace(table, qpos=table.qpos.copy()))
    changed = table.qpos.copy()
    changed[0, 0, 0] += 1e-12
    assert table_sha256(table) != table_sha256(replace(table, qpos=changed))


def test_the_default_rules_know_every_striker() -> None:
    for striker in ("knee_r", "shin_l", "foot_l", "fist_r", "elbow_l"):
        rules = {rule.name: rule for rule in read_rules(resource("gates", "strike.toml"), striker)}
        assert rules["hit"].conditions == ("bag",) and rules["hit"].limit >= 5
        limits = {name: rules[name].limit for name in ("stance", "heading", "lean", "lifted_again", "flight")}
        assert limits == {"stance": 8.0, "heading": 15.0, "lean": 3.0, "lifted_again": 6.0, "flight": 0.1}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[a", "cannot be used"),
        ("", "judges nothing"),
        ("[a]\nfigure='x'", "no known figure"),
        ("[a]\nfigure='fallen'\nsense='up'\njudged=true", "sense"),
        ("[a]\nfigure='fallen'\nsense='below'\njudged=true\nlimit={fist=1}\nconditions=['air']", "no limit for knee_r"),
        ("[a]\nfigure='fallen'\nsense='below'\njudged=true\nlimit=nan\nconditions=['air']", "no limit"),
        ("[a]\nfigure='fallen'\nsense='below'\njudged=true\nlimit=0\nconditions=['water']", "conditions"),
    ],
)
def test_a_wrong_gate_file_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(text)
    with pytest.raises(StudioError, match=why):
        read_rules(path, "knee_r")
