"""Uploads: framed, resumed, checked by hash, and placed by name."""

from __future__ import annotations

import hashlib
import io
import json
import os
from pathlib import Path

import pytest

from remote_agent.agent.errors import RefusedError
from remote_agent.agent.inputs import missing_blobs, part_size, place_inputs, take_pack, take_rest
from remote_agent.agent.places import ROOT_VARIABLE, agent_root, blob_folder, run_folder


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(ROOT_VARIABLE, str(tmp_path / "root"))
    return agent_root()


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def frame(data: bytes, named: str | None = None, size: int | None = None) -> bytes:
    header = {"sha": named or sha(data), "size": len(data) if size is None else size}
    return json.dumps(header).encode() + b"\n" + data


END = b'{"end":true}\n'


def test_a_pack_is_stored_blob_by_blob():
    blobs = [b"", b"one", os.urandom(300000)]
    assert take_pack(io.BytesIO(b"".join(map(frame, blobs)) + END)) == 3
    assert missing_blobs([sha(blob) for blob in blobs] + ["no sha", "0" * 64]) == ["no sha", "0" * 64]
    assert all((blob_folder() / sha(blob)).read_bytes() == blob for blob in blobs)


@pytest.mark.parametrize(
    ("stream", "code"),
    [
        (frame(b"right") + frame(b"cut here")[:-3], "short"),
        (frame(b"right"), "short"),
        (frame(b"right") + frame(b"wrong", named=sha(b"other")) + END, "bad_sha"),
        (frame(b"right") + frame(b"x", named="../../x") + END, "bad_header"),
        (frame(b"right") + frame(b"x", size=-1) + END, "bad_header"),
        (frame(b"right") + b"no json\n", "bad_header"),
        (frame(b"right") + b"x" * 5000, "short"),
        (frame(b"right") + frame(b"x", size=1 << 33) + END, "disk_full"),
    ],
)
def test_a_broken_pack_keeps_only_what_was_whole(stream, code, monkeypatch):
    monkeypatch.setattr("remote_agent.agent.inputs.free_bytes", lambda folder: 1 << 30)
    with pytest.raises(RefusedError) as refusal:
        take_pack(io.BytesIO(stream))
    assert refusal.value.code == code
    assert missing_blobs([sha(b"right")]) == []
    assert all(sha(path.read_bytes()) == path.name for path in blob_folder().iterdir()), "no name without its bytes"


def test_a_large_blob_goes_on_where_it_was_cut():
    data = os.urandom(500000)
    with pytest.raises(RefusedError, match="short"):
        take_rest(io.BytesIO(data[:200001]), sha(data), len(data), 0)
    assert part_size(sha(data)) == (False, 200001)
    with pytest.raises(RefusedError) as refusal:
        take_rest(io.BytesIO(data), sha(data), len(data), 0)
    assert refusal.value.answer()["part"] == 200001
    take_rest(io.BytesIO(data[200001:]), sha(data), len(data), 200001)
    assert part_size(sha(data)) == (True, 0)
    assert (blob_folder() / sha(data)).read_bytes() == data


def test_a_large_blob_with_wrong_bytes_is_dropped():
    with pytest.raises(RefusedError, match="bad_sha"):
        take_rest(io.BytesIO(b"12345"), sha(b"54321"), 5, 0)
    assert part_size(sha(b"54321")) == (False, 0) and not list(blob_folder().iterdir())


def test_a_damaged_blob_is_not_placed(tmp_path):
    take_pack(io.BytesIO(frame(b"table") + END))
    place_inputs(tmp_path, {"table.npz": sha(b"table")})
    assert (tmp_path / "table.npz").read_bytes() == b"table"
    (blob_folder() / sha(b"table")).write_bytes(b"tablf")
    with pytest.raises(RefusedError, match="bad_blob"):
        place_inputs(tmp_path, {"again.npz": sha(b"table")})
    assert missing_blobs([sha(b"table")]) == [sha(b"table")], "so that the next start uploads it again"


@pytest.mark.parametrize("name", ["../x", "X", "a.b", "", None, 3, "a" * 65, "-a", "a\n"])
def test_a_run_has_a_plain_name(name):
    with pytest.raises(RefusedError, match="bad_run_id"):
        run_folder(name)
