"""Small private files: whole or as before, for the person alone, and nothing left beside them."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from studio.remote.private import read_private, write_private
from studio.schema.errors import StudioError


def test_it_is_replaced_whole_and_for_the_person_alone(tmp_path):
    path = tmp_path / "user" / "machines.toml"
    assert read_private(path) is None
    for data in (b"one", b"another"):
        write_private(path, data)
        assert read_private(path) == data
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "host_keys"
    write_private(path, b"old")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StudioError, match="no space left"):
        write_private(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
