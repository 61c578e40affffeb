"""A sample whose files are made: the same every time, said to be made, and nothing left where it fails."""

from __future__ import annotations

import errno
import tomllib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from studio.cli.commands import run_command
from studio.domain.synthetic import generate
from studio.domain.video.audio import Sound
from studio.schema.errors import StudioError
from studio.schema.keypoints import Keypoints
from studio.schema.motion import Motion
from studio.store import reading, samples
from studio.store.project import Project

TAKES = ("gym/right-knee", "gym/stance")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Films of sound alone; the pictures are what takes the time. The films that were written."""
    written: list[Path] = []

    def write(path: Path, frames: Iterable[np.ndarray], fps: float, sound: Sound) -> int:
        assert fps == 60.0 and iter(frames)
        written.append(path)
        path.write_bytes(sound.samples.tobytes())
        return 1

    monkeypatch.setattr(generate, "write_mp4", write)
    return written


def files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_two_runs_give_the_same_bytes_and_say_that_nobody_was_filmed(
    tmp_path: Path, quick: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[tuple[float, str]] = []
    first = samples.copy_sample("right-knee", tmp_path / "one" / "gym", lambda *told: heard.append(told))
    assert run_command(["new", str(tmp_path / "two" / "gym"), "--sample", "right-knee"]) == 0
    told = capsys.readouterr().out
    assert "nobody was filmed" in told and "Performing right-knee" in told
    assert files(first.layout.root) == files(tmp_path / "two" / "gym")
    assert len(quick) == 8
    fractions = [fraction for fraction, _ in heard]
    assert fractions == sorted(fractions) and fractions[0] >= 0 and fractions[-1] <= 1
    _is_whole(first)


def _is_whole(project: Project) -> None:
    """Everything that a run needs is there, and says what it is."""
    assert project.info.synthetic and project.info.slots == {"right-knee": 1, "stance": 2}
    assert project.takes() == TAKES and project.techniques() == ("right-knee", "stance")
    assert project.technique("stance").striker == "" and project.technique("stance").grid.counts == (1, 1)
    assert not (project.layout.root / "sample.toml").exists()
    for take in TAKES:
        declared, folder = project.declared_take(take), project.layout.take(take)
        assert declared.sync.method == "sound" and declared.sync.offset_s is None
        for phone in "ab":
            keypoints = reading.read_arrays(Keypoints, folder / declared.keypoints[phone])
            assert keypoints.phone == phone and keypoints.xy.shape == (len(keypoints.times), 26, 2)
        motion = reading.read_arrays(Motion, folder / "truth.npz")
        assert motion.start_s == 0.0 and motion.fps == 60.0
        truth = tomllib.loads((folder / "truth.toml").read_text())
        assert truth["sync"]["offset_s"] == {"b": 0.037} and "Nobody was filmed" in truth["words"]
    assert project.state(1, "gym").state == "ready"


@pytest.mark.parametrize("there", [False, True])
def test_a_disk_that_is_full_in_mid_film_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    def full(path: Path, *_: object) -> int:
        path.with_suffix(".part").write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(generate, "write_mp4", full)
    if there:
        (tmp_path / "mine").mkdir()
    with pytest.raises(StudioError, match=r"a\.mp4 was not written: no space left"):
        samples.copy_sample("right-knee", tmp_path / "mine")
    assert [path.name for path in tmp_path.rglob("*")] == (["mine"] if there else [])


def test_a_generator_that_this_version_does_not_have_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = tmp_path / "projects" / "odd"
    template.mkdir(parents=True)
    for name, text in (("sample.toml", 'title = "x"\ngenerator = "hook"\n'), ("project.toml", 'name = "x"\n')):
        extra = 'coach = "c"\n' if name == "project.toml" else ""
        (template / name).write_text("schema_version = 1\n" + text + extra)
    monkeypatch.setattr(samples, "sample_path", lambda *parts: tmp_path.joinpath("projects", *parts))
    with pytest.raises(StudioError, match="nothing makes 'hook'"):
        samples.copy_sample("odd", tmp_path / "mine")
    assert not (tmp_path / "mine").exists()
