"""Being let in: keys with and without a passphrase, the ssh-agent, and every way of being refused."""

from __future__ import annotations

import errno
import os
import re
import socket
import subprocess
import tempfile
import threading
from contextlib import closing

import pytest
from paramiko import PKey
from remote.sshd import Sshd, make_key

from studio.remote.channel import LineLostError
from studio.remote.ssh import connect as connecting
from studio.remote.ssh.connect import connect
from studio.remote.ssh.keys import KeyRing, PassphraseNeeded, public_blob
from studio.remote.ssh.options import SshOptions, place_of
from studio.schema.errors import StudioError

SECRET = "pass phrase"


def options(sshd: Sshd, *keys, **fields) -> SshOptions:
    given = {"only_keys": True, "agent": "none", **fields}
    return SshOptions("127.0.0.1", sshd.port, sshd.user, place_of("127.0.0.1", sshd.port), tuple(keys), **given)


@pytest.fixture
def known(sshd, pins):
    sshd.accept_into(pins)
    return pins


@pytest.fixture
def agent():
    """An ssh-agent of our own: the function that gives it a key, and its socket."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/agent"
        with subprocess.Popen(["ssh-agent", "-D", "-a", path], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()

            def hold(key) -> None:
                subprocess.run(["ssh-add", "-q", str(key)], env={**os.environ, "SSH_AUTH_SOCK": path}, check=True)

            yield hold, path
            process.terminate()


@pytest.mark.parametrize(
    ("kind", "more"),
    [("ed25519", ()), ("ecdsa", ()), ("rsa", ("-b", "2048")), ("rsa", ("-b", "2048", "-m", "PEM"))],
)
def test_every_usual_kind_of_key_with_a_passphrase(sshd, known, tmp_path, kind, more):
    key = make_key(tmp_path / "id_locked", kind, SECRET, *more)
    sshd.let_in(key)
    asked = []
    ring = KeyRing(lambda path: asked.append(path) or SECRET.encode())
    for _ in range(2):
        with closing(connect(options(sshd, key), known, ring=ring)) as line:
            assert line.is_authenticated()
    assert asked == [key], "asked once, then remembered"


def test_a_locked_key_without_its_passphrase(sshd, known, tmp_path):
    key = make_key(tmp_path / "id_locked", secret=SECRET)
    for ask in (None, lambda path: None):
        with pytest.raises(PassphraseNeeded, match="ssh-add") as needed:
            connect(options(sshd, key), known, ask)
        assert needed.value.path == key
    with pytest.raises(StudioError, match="the passphrase is wrong"):
        connect(options(sshd, key), known, lambda path: b"guess")


def test_a_key_that_the_machine_does_not_know(sshd, known, tmp_path):
    stranger = make_key(tmp_path / "id_stranger")
    with pytest.raises(StudioError, match=f"does not let {sshd.user} in: it does not accept the key"):
        connect(options(sshd, stranger), known)
    with pytest.raises(StudioError, match="there is no key"):
        connect(options(sshd), known)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"no key at all", "it is no private key"),
        (b"-----BEGIN DSA PRIVATE KEY-----\nMIIB\n-----END DSA PRIVATE KEY-----\n", "DSA key"),
        (b"", "it is no private key"),
    ],
)
def test_what_is_no_usable_key(sshd, known, tmp_path, content, why):
    key = tmp_path / "id_odd"
    key.write_bytes(content)
    key.chmod(0o600)
    with pytest.raises(StudioError, match=why):
        connect(options(sshd, key), known)


def test_a_key_that_others_can_read_and_one_that_is_not_there(sshd, known, tmp_path):
    sshd.key.chmod(0o644)
    with pytest.raises(StudioError, match="chmod 600"):
        connect(options(sshd, sshd.key), known)
    with pytest.raises(StudioError, match="no such file"):
        connect(options(sshd, tmp_path / "none"), known)
    with pytest.raises(StudioError, match="it is no key file"):
        connect(options(sshd, tmp_path), known)


def test_the_agent_holds_seven_keys_and_the_named_one_is_used(sshd, known, tmp_path, agent):
    hold, path = agent
    for number in range(6):
        hold(make_key(tmp_path / f"id_{number}"))
    hold(sshd.key)
    locked = make_key(tmp_path / "id_locked", secret=SECRET)
    locked.write_bytes(sshd.key.read_bytes())
    sshd.key.with_name("id_in.pub").rename(tmp_path / "id_locked.pub")
    locked.write_bytes(b"the file itself is never opened")
    with closing(connect(options(sshd, locked, agent=path), known)) as line:
        assert line.is_authenticated()
    assert sshd.log.read_text().count("Failed publickey") == 0
    with pytest.raises(StudioError, match="it accepts none of 5 keys"):
        connect(options(sshd, agent=path, only_keys=False), known)


def test_the_agents_keys_are_tried_before_a_person_is_asked(sshd, known, tmp_path, agent):
    hold, path = agent
    hold(sshd.key)
    locked = make_key(tmp_path / "id_locked", secret=SECRET)
    given = options(sshd, locked, agent=path, only_keys=False)
    with closing(connect(given, known, lambda path: pytest.fail("asked"))) as line:
        assert line.is_authenticated()
    with closing(connect(options(sshd, sshd.key, agent="/nowhere/agent"), known)) as line:
        assert line.is_authenticated(), "an agent that is not there is no obstacle"


def test_the_public_part_is_found_in_the_file_itself(tmp_path):
    key = make_key(tmp_path / "id", secret=SECRET)
    blob = public_blob(key)
    (tmp_path / "id.pub").unlink()
    assert blob is not None and public_blob(key) == blob
    (tmp_path / "junk").write_bytes(b"-----BEGIN-----b3BlbnNzaC1rZXktdjEA-----")
    assert public_blob(tmp_path / "junk") is None


def test_a_server_that_wants_a_password(pins, tmp_path):
    server = Sshd(tmp_path / "asks", extra="PasswordAuthentication yes\nPubkeyAuthentication no")
    server.accept_into(pins)
    try:
        with pytest.raises(StudioError, match="it wants a password, which Padwork never sends"):
            connect(options(server, server.key), pins)
    finally:
        server.stop()


def test_a_server_that_wants_a_second_step(pins, tmp_path):
    extra = "PasswordAuthentication yes\nAuthenticationMethods publickey,password"
    server = Sshd(tmp_path / "asks", extra=extra)
    server.accept_into(pins)
    try:
        with pytest.raises(StudioError, match="a second step after the key"):
            connect(options(server, server.key), pins)
    finally:
        server.stop()


def test_a_server_that_hangs_up_at_the_first_wrong_key(pins, tmp_path):
    server = Sshd(tmp_path / "short", extra="MaxAuthTries 1")
    server.accept_into(pins)
    try:
        with pytest.raises(StudioError, match="does not let"):
            connect(options(server, make_key(tmp_path / "id_stranger")), pins)
    finally:
        server.stop()


def test_only_modern_kinds_of_encryption(sshd, known, pins, tmp_path):
    with closing(connect(options(sshd, sshd.key), known)) as line:
        assert line.remote_cipher == "aes128-gcm@openssh.com"
    old = Sshd(tmp_path / "old", extra="Ciphers aes128-cbc,3des-cbc\nMACs hmac-sha1,hmac-md5")
    try:
        with pytest.raises(StudioError, match="only outdated kinds of encryption"):
            connect(options(old, old.key), pins)
    finally:
        old.stop()


def test_a_line_cut_at_any_byte_of_the_way_in_is_worth_another_try(sshd, known, proxy):
    sent = measure(sshd, known, proxy)
    given = SshOptions(
        "127.0.0.1", proxy.port, sshd.user, place_of("127.0.0.1", sshd.port), (sshd.key,), True, agent="none"
    )
    for share in range(1, 12):
        proxy.after(sent * share // 12, proxy.reset if share % 2 else proxy.finish)
        with pytest.raises(LineLostError):
            connect(given, known)
    assert not [thread for thread in threading.enumerate() if thread.is_alive() and "Transport" in repr(thread)]


def measure(sshd, known, proxy) -> int:
    """Bytes of a whole way in."""
    given = SshOptions("127.0.0.1", proxy.port, sshd.user, place_of("127.0.0.1", sshd.port), (sshd.key,), True)
    connect(given, known).close()
    return proxy.passed


@pytest.mark.parametrize(
    ("says", "why"), [(b"", "did not answer|no SSH server"), (b"HTTP/1.1 400\r\n\r\n", "no SSH server")]
)
def test_what_is_no_ssh_server(pins, monkeypatch, says, why):
    monkeypatch.setattr(connecting, "STEP_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            line, _ = listener.accept()
            with line:
                line.sendall(says)
                while line.recv(100) and not says:
                    pass

        threading.Thread(target=answer, daemon=True).start()
        port = listener.getsockname()[1]
        with pytest.raises(LineLostError) as lost:
            connect(SshOptions("127.0.0.1", port, "u", f"127.0.0.1:{port}"), pins)
    assert lost.value.sentence is not None and re.search(why, lost.value.sentence.why)


def test_nobody_at_home_and_no_such_computer(pins):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    for host, why in (("127.0.0.1", "no SSH server answers at this port"), ("no-such.invalid", "no computer is known")):
        with pytest.raises(LineLostError, match=why) as lost:
            connect(SshOptions(host, port, "u", f"{host}:{port}"), pins)
        assert lost.value.sentence is not None and lost.value.sentence.what == f"{host}:{port} cannot be reached"


def test_a_key_that_cannot_be_read_is_said(tmp_path, monkeypatch):
    path = tmp_path / "id"
    path.touch(mode=0o600)

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(PKey, "from_path", denied)
    with pytest.raises(StudioError, match="permission denied"):
        KeyRing().load(path)
