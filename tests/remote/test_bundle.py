"""What a machine gets to train with is complete, the same every time, and unpacks itself safely."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

from remote_agent import launch
from studio.remote import bundle, pack
from studio.schema.errors import StudioError
from tests.factories import write_order

ROOT = Path(__file__).resolve().parents[2]
BLOCKED = ("cv2", "av", "PySide6", "shiboken6", "paramiko", "openvino", "rtmlib")

BARE = """
import sys
from importlib.machinery import PathFinder

sys.path[:] = [entry for entry in sys.path if entry != {root!r}]

class Bare:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ImportError("blocked: " + name)
        if name in ("studio", "remote_agent"):
            found = PathFinder.find_spec(name, sys.path)
            if found is None or "code-" not in str(found.origin):
                raise ImportError("not from the bundle: " + name)
            return found

sys.meta_path.insert(0, Bare())
"""


def names() -> list[str]:
    return zipfile.ZipFile(io.BytesIO(bundle.bundle())).namelist()


def test_the_same_sources_make_the_same_bytes():
    code = "from studio.remote.bundle import bundle_sha; print(bundle_sha())"
    seeds = [{"PYTHONHASHSEED": seed, "PATH": ""} for seed in ("1", "2")]
    told = [
        subprocess.run([sys.executable, "-c", code], env=seed, cwd=ROOT, capture_output=True, text=True, check=True)
        for seed in seeds
    ]
    assert {done.stdout.strip() for done in told} == {bundle.bundle_sha()}


def test_what_training_needs_travels_and_nothing_of_the_desktop():
    inside = names()
    assert {"__main__.py", "remote_agent/train/teacher.py", "studio/schema/codec.py"} <= set(inside)
    assert {"studio/domain/gates/rollout.py", "studio/domain/gates/__init__.py"} <= set(inside)
    assert {"resources/training/presets.toml", "resources/rewards/strike.toml"} <= set(inside)
    far = ("studio/ui", "studio/app", "studio/store", "studio/remote", "studio/domain/video", "remote_agent/agent")
    assert not [name for name in inside if name.startswith(far)]
    assert inside == sorted(inside) and len(bundle.bundle()) < 2 << 20


def test_the_bundled_trainer_trains_without_the_installed_padwork(tmp_path):
    """A fresh process that sees no Qt, no OpenCV, no paramiko and no Padwork but the one in the bundle."""
    run = write_order(
        tmp_path / "work", iterations=1, envs=2, steps=2, minibatches=1, hidden=[8], clip_every=1, snapshot_every=1
    )
    (run / bundle.NAME).write_bytes(bundle.bundle())
    (tmp_path / "site").mkdir()
    bare = BARE.format(root=str(ROOT), blocked=BLOCKED)
    (tmp_path / "site" / "sitecustomize.py").write_text(bare)
    done = subprocess.run(
        [sys.executable, bundle.NAME, "teacher", "."], cwd=run, capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path / "site"), "PYTHONSAFEPATH": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert said[-1] == {"type": "state", "phase": "done"}
    assert [event["iter"] for event in said if event["type"] == "clip"] == [0, 1]
    assert [path.name for path in run.glob("code-*")] == [f"code-{bundle.bundle_sha()[:16]}"]


def test_it_unpacks_once_and_whole(tmp_path):
    archive = tmp_path / bundle.NAME
    archive.write_bytes(bundle.bundle())
    code = launch.unpack(archive)
    assert sorted(p.relative_to(code).as_posix() for p in code.rglob("*") if p.is_file()) == names()
    when = code.stat().st_mtime_ns
    assert launch.unpack(archive) == code and code.stat().st_mtime_ns == when
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([bundle.NAME, code.name]), "nothing else is left"


@pytest.mark.parametrize("name", ["../outside.py", "/tmp/outside.py", "a/../../outside.py"])
def test_an_archive_that_leads_elsewhere_is_refused(tmp_path, name):
    archive = tmp_path / "work" / "evil.zip"
    archive.parent.mkdir()
    archive.write_bytes(pack.zipped({name: b"bad"}))
    with pytest.raises(ValueError, match="outside"):
        launch.unpack(archive)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["evil.zip"]


def test_an_archive_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(launch, "MAX_BYTES", 10)
    archive = tmp_path / "big.zip"
    archive.write_bytes(pack.zipped({"a.py": b"x" * 11}))
    with pytest.raises(ValueError, match="too large"):
        launch.unpack(archive)


def test_an_old_python_is_told_what_is_wanted(monkeypatch, capsys):
    monkeypatch.setattr(launch, "OLDEST", (99, 0))
    assert launch.main(["padwork.zip", "teacher", "."]) == launch.FAILED
    assert "Padwork trains with 99.0" in capsys.readouterr().err


def test_another_program_is_not_run(capsys):
    assert launch.main(["padwork.zip", "studio.app.session", "."]) == launch.USAGE
    assert "usage" in capsys.readouterr().err


def test_a_module_that_hides_its_resource_stops_the_packing(tmp_path):
    source = tmp_path / "odd.py"
    source.write_text(textwrap.dedent("def read(*parts):\n    return resource(*parts)\n"))
    with pytest.raises(StudioError, match=r"odd\.py"):
        list(bundle._resource_calls(source))


def test_relative_imports_and_imported_modules_are_followed(tmp_path):
    source = tmp_path / "inner.py"
    source.write_text("from . import sibling\nfrom ..other import thing\nimport numpy, studio.schema.body\n")
    found = set(bundle._imports("remote_agent.train.inner", source))
    assert {"remote_agent.train.sibling", "remote_agent.other.thing", "studio.schema.body"} <= found
    assert "numpy" not in found


def test_the_hash_is_of_the_bytes():
    assert bundle.bundle_sha() == hashlib.sha256(bundle.bundle()).hexdigest()
