"""Who the machine is: asked once, pinned, and refused when it is another."""

from __future__ import annotations

import base64
import hashlib
import hmac
import subprocess
from pathlib import Path

import pytest
from remote.sshd import Sshd, make_key

from studio.remote.machine import Machine
from studio.remote.ssh.channel import SshChannel
from studio.remote.ssh.pins import HostKey, HostKeyChanged, HostKeyUnknown, Pins
from studio.schema.errors import StudioError

PLACE = "box:2222"


def ssh_fingerprint(path: Path) -> str:
    told = subprocess.run(["ssh-keygen", "-lf", str(path)], capture_output=True, text=True, check=True)
    return told.stdout.split()[1]


def machine(sshd: Sshd, pins: Pins, **fields) -> Machine:
    return Machine(SshChannel(sshd.spec(**fields), pins))


def key(letter: str = "a", kind: str = "ssh-ed25519", place: str = PLACE) -> HostKey:
    return HostKey(place, kind, base64.b64encode(letter.encode() * 40).decode())


def known(path: Path, *lines: str) -> Pins:
    hosts = path / "known_hosts"
    hosts.write_text("\n".join(lines) + "\n")
    return Pins(path / "pins", (hosts,))


def hashed(name: str) -> str:
    salt = b"0123456789abcdefghij"
    digest = hmac.digest(salt, name.encode(), hashlib.sha1)
    return f"|1|{base64.b64encode(salt).decode()}|{base64.b64encode(digest).decode()}"


def test_an_unknown_machine_is_asked_about_and_then_pinned(sshd, pins, tmp_path):
    with pytest.raises(HostKeyUnknown) as asked:
        machine(sshd, pins).hello()
    assert asked.value.fingerprint == ssh_fingerprint(sshd.host_keys["ed25519"])
    assert asked.value.fingerprint in str(asked.value) and asked.value.key.place == f"127.0.0.1:{sshd.port}"
    assert not (sshd.home / ".padwork").exists(), "nothing is sent to a machine that nobody has accepted"
    assert "Accepted" not in sshd.log.read_text(), "nor does anybody log in there"
    pins.accept(asked.value)
    opened = machine(sshd, Pins(tmp_path / "studio" / "host_keys", ()))
    assert opened.hello()["system"] == "Linux"
    opened.close()
    assert (tmp_path / "studio" / "host_keys").stat().st_mode & 0o777 == 0o600


def test_a_changed_key_is_refused_with_both_fingerprints(sshd, pins, tmp_path):
    with pytest.raises(HostKeyUnknown) as asked:
        machine(sshd, pins).hello()
    pins.accept(asked.value)
    sshd.stop()
    was = ssh_fingerprint(sshd.host_keys["ed25519"])
    for path in tmp_path.glob("sshd/host_ed25519*"):
        path.unlink()
    make_key(sshd.host_keys["ed25519"])
    sshd.start()
    with pytest.raises(HostKeyChanged) as refused:
        machine(sshd, pins).hello()
    now = ssh_fingerprint(sshd.host_keys["ed25519"])
    assert was != now and was in str(refused.value) and now in str(refused.value)
    assert refused.value.fingerprint == now and not isinstance(refused.value, HostKeyUnknown)
    assert (sshd.log.read_text()).count("Accepted") == 0
    pins.forget(refused.value.key.place)
    with pytest.raises(HostKeyUnknown):
        machine(sshd, pins).hello()


def test_the_kind_that_is_pinned_is_the_one_asked_for(tmp_path, pins):
    server = Sshd(tmp_path / "both", ("ed25519", "rsa", "ecdsa"))
    try:
        for kind in ("rsa", "ecdsa"):
            fields = server.host_keys[kind].with_name(f"host_{kind}.pub").read_text().split()
            place = f"127.0.0.1:{server.port}"
            pins.forget(place)
            pins.accept(HostKey(place, fields[0], fields[1]))
            opened = machine(server, pins)
            assert opened.hello()["ok"]
            opened.close()
    finally:
        server.stop()


def test_another_kind_than_the_pinned_one_is_no_way_around(sshd, pins):
    pins.accept(key(kind="ssh-rsa", place=f"127.0.0.1:{sshd.port}"))
    with pytest.raises(HostKeyChanged, match="it was ssh-rsa"):
        machine(sshd, pins).hello()


@pytest.mark.parametrize(
    "names",
    ["[box]:2222", "[BOX]:2222", hashed("[box]:2222"), "other,[box]:2222", "[b*]:2222", "[bo?]:2222", "*,!nobody"],
)
def test_what_ssh_knows_is_believed_and_pinned(tmp_path, names):
    pins = known(tmp_path, "# mine", "", "@strange x y z", "torn", f"{names} ssh-ed25519 {key().data} comment")
    pins.check(key())
    (tmp_path / "known_hosts").unlink()
    pins.check(key())
    with pytest.raises(HostKeyChanged):
        pins.check(key("b"))


@pytest.mark.parametrize(
    "line",
    [
        f"box ssh-ed25519 {key().data}",
        f"[box]:22 ssh-ed25519 {key().data}",
        f"[box]:2222,![box]:2222 ssh-ed25519 {key().data}",
        f"@cert-authority [box]:2222 ssh-ed25519 {key().data}",
        f"{hashed('box')} ssh-ed25519 {key().data}",
        "[box]:2222 ssh-ed25519 not-base64!",
        "|1|broken ssh-ed25519 " + key().data,
        "[box]:2222 ssh-ed25519",
    ],
)
def test_what_is_said_of_others_is_not_believed(tmp_path, line):
    with pytest.raises(HostKeyUnknown):
        known(tmp_path, line).check(key())


def test_the_usual_port_needs_no_brackets(tmp_path):
    known(tmp_path, f"box ssh-ed25519 {key().data}").check(key(place="box:22"))


def test_what_ssh_knows_otherwise_is_refused(tmp_path):
    with pytest.raises(HostKeyChanged, match="ssh-keygen -R"):
        known(tmp_path, f"[box]:2222 ssh-ed25519 {key('b').data}").check(key())
    with pytest.raises(HostKeyChanged, match="it was ssh-rsa"):
        known(tmp_path, f"[box]:2222 ssh-rsa {key('b').data}").check(key())


def test_a_revoked_key_is_refused_even_when_pinned(tmp_path):
    pins = known(tmp_path, f"@revoked * ssh-ed25519 {key().data}")
    pins.accept(key())
    with pytest.raises(StudioError, match="revoked"):
        pins.check(key())
    with pytest.raises(HostKeyUnknown):
        pins.check(key("b", place="other:22"))


def test_the_users_own_file_is_never_written(tmp_path):
    pins = known(tmp_path, "@cert-authority * ssh-rsa AAAA", f"[box]:2222 ssh-ed25519 {key().data}")
    before = (tmp_path / "known_hosts").read_bytes()
    pins.check(key())
    pins.accept(key("b", place="new:22"))
    assert (tmp_path / "known_hosts").read_bytes() == before


@pytest.mark.parametrize("damage", [b"{}\n", b"junk\n", b"[" * 60000 + b"\n", b'{"place":"a","kind":"b","data":"!"}\n'])
def test_a_damaged_pin_file_lets_nobody_in(tmp_path, damage):
    pins = Pins(tmp_path / "pins", ())
    pins.accept(key())
    with (tmp_path / "pins").open("ab") as stream:
        stream.write(damage)
    with pytest.raises(StudioError, match="is damaged"):
        pins.check(key("b", place="other:22"))


def test_a_pin_that_was_tampered_with_is_noticed(tmp_path):
    pins = Pins(tmp_path / "pins", ())
    pins.accept(key())
    path = tmp_path / "pins"
    path.write_text(path.read_text().replace(key().data, key("b").data))
    with pytest.raises(StudioError, match="is damaged"):
        pins.check(key("b"))
