from __future__ import annotations

import errno
import io
import os
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from studio.schema.errors import StudioError
from studio.schema.keypoints import Keypoints
from studio.schema.project import Coach
from studio.stages import execute
from studio.store import atomic, reading
from tests.house import TAKE, make_project, run_through, use_tiny_stages


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 256 KiB; a plain folder with a lying fsync where mounting is not allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "padwork-test", str(place)], capture_output=True, check=False
    )
    if mounted.returncode == 0:
        yield place
        subprocess.run(["umount", str(place)], check=True)
        return
    with pytest.MonkeyPatch.context() as patch:
        real = os.fsync

        def fsync(handle: int) -> None:
            if os.fstat(handle).st_size > 128 << 10:
                full()
            real(handle)

        patch.setattr(atomic.os, "fsync", fsync)
        yield place


def test_a_full_disk_is_told_and_leaves_the_old_file(small_disk: Path) -> None:
    path = small_disk / "data.bin"
    atomic.write_bytes(path, b"old")
    with pytest.raises(StudioError, match="the disk is full"):
        atomic.write_bytes(path, bytes(1 << 20))
    assert path.read_bytes() == b"old"
    assert [p.name for p in small_disk.iterdir()] == ["data.bin"]


def test_a_full_disk_during_a_stage_leaves_the_last_revision(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_tiny_stages(monkeypatch)
    project = make_project(small_disk / "gym")
    run_through(project, 2)
    before = project.load(2, TAKE, Keypoints).xy
    from studio.stages.stage import Result, Stage
    from studio.store.catalog import declaration

    huge = Keypoints("a", "tiny", np.arange(2.0), np.zeros((1 << 17, 2)), np.ones(2))
    monkeypatch.setattr(execute, "find_stage", lambda n: Stage(declaration(n), lambda _: Result(arrays={"": huge})))
    with pytest.raises(StudioError, match="the disk is full"):
        execute.run_stage(project, 2, TAKE, lambda fraction, text: None)
    revision = project.revision(2, TAKE)
    assert revision is not None and revision.number == 1
    assert np.array_equal(project.load(2, TAKE, Keypoints).xy, before)


def test_a_verdict_that_does_not_fit_is_taken_back_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "approvals.jsonl"
    atomic.append_line(path, {"n": 1})
    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(StudioError, match="the disk is full"):
        atomic.append_line(path, {"n": 2})
    assert path.read_text() == '{"n": 1}\n'


def test_a_new_file_never_replaces_another(tmp_path: Path) -> None:
    atomic.write_bytes(tmp_path / "r1.json", b"first", new=True)
    with pytest.raises(StudioError, match="never replaced"):
        atomic.write_bytes(tmp_path / "r1.json", b"second", new=True)
    assert (tmp_path / "r1.json").read_bytes() == b"first"


def test_a_new_file_works_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(atomic.os, "link", no_links)
    atomic.write_bytes(tmp_path / "r1.json", b"first", new=True)
    with pytest.raises(StudioError, match="never replaced"):
        atomic.write_bytes(tmp_path / "r1.json", b"second", new=True)
    assert (tmp_path / "r1.json").read_bytes() == b"first"


def test_a_write_that_breaks_leaves_no_rest(tmp_path: Path) -> None:
    def broken(file: object) -> None:
        raise RuntimeError("crash")

    with pytest.raises(RuntimeError):
        atomic.write_file(tmp_path / "x", broken)
    assert list(tmp_path.iterdir()) == []


def test_equal_arrays_give_equal_bytes_without_compression(tmp_path: Path) -> None:
    arrays = {"b": np.arange(6.0), "a": np.ones((2, 3))}
    for name in ("1.npz", "2.npz"):
        atomic.write_arrays(tmp_path / name, arrays)
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()


def test_objects_are_never_pickled(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="objects"):
        atomic.write_arrays(tmp_path / "x.npz", {"x": np.array([{}])})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "write", "why"),
    [
        ("pickled", lambda p: np.savez(p, header=np.array([{"a": 1}])), "damaged"),
        ("compressed", lambda p: np.savez_compressed(p, header=np.zeros(1 << 16)), "compressed"),
        ("noise", lambda p: p.write_bytes(b"PK\x03\x04 not really"), "damaged"),
        ("other", lambda p: np.savez(p, x=np.zeros(3)), "no header"),
    ],
)
def test_foreign_arrays_are_refused(tmp_path: Path, name: str, write, why: str) -> None:
    path = tmp_path / f"{name}.npz"
    write(path)
    with pytest.raises(StudioError, match=why):
        reading.read_arrays(Keypoints, path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match=r"r1\.npz is missing"):
        reading.read_arrays(Keypoints, tmp_path / "r1.npz")


def test_a_place_below_a_file_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(StudioError, match="cannot be a folder"):
        atomic.write_bytes(tmp_path / "file" / "deeper" / "r1.json", b"x")


def test_an_array_larger_than_memory_is_refused(tmp_path: Path) -> None:
    head = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (1 << 42,)}
    np.lib.format.write_array_header_1_0(head, shape)
    with zipfile.ZipFile(tmp_path / "r1.npz", "w") as archive:
        archive.writestr("xy.npy", head.getvalue())
    with pytest.raises(StudioError, match=r"r1\.npz cannot be read"):
        reading.read_arrays(Keypoints, tmp_path / "r1.npz")


@pytest.mark.parametrize("value", ["nan", "-inf", "[1.0, inf]"])
def test_a_figure_that_is_no_number_is_refused_by_its_place(tmp_path: Path, value: str) -> None:
    path = tmp_path / "coach.toml"
    path.write_text(f'schema_version = 1\nname = "coach"\nstature = 1.7\nmass = 70.0\n[measures]\nthigh = {value}\n')
    with pytest.raises(StudioError, match=r"coach\.toml\.measures\.thigh.* is no number"):
        reading.read_toml(Coach, path)


def test_json_knows_no_nan(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="is not JSON"):
        reading.plain_json('{"limit": NaN}', "gate.json")
