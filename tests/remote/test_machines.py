"""The person's list of machines, and what a check makes of a machine's answer."""

from __future__ import annotations

import re
import stat
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from remote_agent.agent import preflight
from remote_agent.agent.errors import RefusedError
from studio.remote import machines
from studio.remote.check import Check, check, keep_check, read_checks, satisfies
from studio.remote.machine import Machine
from studio.remote.ssh.pins import HostKeyUnknown, Pins
from studio.schema.errors import StudioError, UnfinishedError
from studio.schema.machine import THIS_COMPUTER, MachineSpec
from studio.schema.resources import resource
from studio.schema.user_folder import user_folder

ROOT = Path(__file__).resolve().parents[2]
GPU = MachineSpec("gpu", host="gpu.example.org", user="coach", port=2222)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "user"


def test_the_list_is_kept_in_order_and_for_the_person_alone(folder):
    assert machines.machines(folder) == ()
    machines.add(folder, GPU)
    machines.add(folder, MachineSpec("cluster", alias="login"))
    assert [spec.name for spec in machines.machines(folder)] == ["gpu", "cluster"]
    assert machines.find(folder, "gpu") == GPU
    assert stat.S_IMODE((folder / machines.FILE).stat().st_mode) == 0o600
    with pytest.raises(StudioError, match="gpu already"):
        machines.add(folder, GPU)
    machines.remove(folder, "gpu")
    assert [spec.name for spec in machines.machines(folder)] == ["cluster"]
    with pytest.raises(StudioError, match="this computer, cluster"):
        machines.find(folder, "gpu")


def test_a_damaged_list_is_refused_and_left_alone(folder):
    folder.mkdir()
    for text in (
        "not toml [",
        'schema_version = 1\n[[machines]]\nname = "../x"\nhost = "h"\n',
        "schema_version = 99\n",
    ):
        (folder / machines.FILE).write_text(text)
        with pytest.raises(StudioError):
            machines.machines(folder)
        assert (folder / machines.FILE).read_text() == text


def test_this_computer_needs_no_entry(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("PADWORK_AGENT_ROOT", str(tmp_path / "agent"))
    for name in ("", THIS_COMPUTER):
        machine = machines.open_machine(name, folder)
        assert machine.name == THIS_COMPUTER and machine.hello()["cpus"] >= 1


def test_a_machine_that_is_gone_lets_a_training_wait(folder):
    with pytest.raises(UnfinishedError, match="There is no machine"):
        machines.open_for_training("gone", folder)
    machines.add(folder, MachineSpec("off", host="127.0.0.1", port=1))
    machine = machines.open_for_training("off", folder)
    with pytest.raises(UnfinishedError, match="cannot be reached"):
        machine.status("r")


def test_removing_a_machine_forgets_its_key_unless_another_is_reached_there(folder, sshd):
    for name in ("one", "two"):
        machines.add(folder, sshd.spec(name))
    with pytest.raises(HostKeyUnknown) as asked:
        machines.open_machine("one", folder).hello()
    assert machines.fingerprint_asked(asked.value) == asked.value.fingerprint
    machines.accept(folder, asked.value)
    assert machines.open_machine("two", folder).hello()["python"]
    pins, place = Pins(folder / machines.PINS, ()), f"127.0.0.1:{sshd.port}"
    machines.remove(folder, "one")
    assert pins.kinds(place)
    machines.remove(folder, "two")
    assert not pins.kinds(place)
    assert machines.fingerprint_asked(StudioError("a", "b", "c")) == ""


@pytest.mark.parametrize(
    ("version", "rule", "good"),
    [
        ("3.11.0", "~=3.11.0", True), ("3.11.7", "~=3.11.0", True), ("3.12.0", "~=3.11.0", False),
        ("2.13.0+cpu", ">=2.10", True), ("2.9.1", ">=2.10", False), ("2.10", ">=2.10.0", True),
        ("5.4.2", "==5.4.2", True), ("5.4.2.post1", "==5.4.2", True), ("5.4.3", "==5.4.2", False),
        ("", ">=2", False), ("unknown", ">=2", False), ("3.10.2", ">=3.11", False), ("3.9", "~=3.11.0", False),
    ],
)  # fmt: skip
def test_versions_are_held_to_their_rule(version, rule, good):
    assert satisfies(version, rule) is good


def test_what_a_machine_needs_agrees_with_what_padwork_itself_needs():
    needs = tomllib.loads(resource("training", "packages.toml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["train"]]
    rules = dict(re.match(r"([\w-]+)(.*)", entry).groups() for entry in wanted)  # type: ignore[union-attr]
    lines = (ROOT / "packaging" / "constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    for name, rule in needs["packages"].items():
        assert rule["needs"] == rules[name], name
        assert rule["install"] == (f"=={pins[name]}" if name in pins else rules[name]), name
    assert project["requires-python"].startswith(needs["python"])


def test_a_check_of_this_computer_is_kept_until_it_is_forgotten(bench, folder):
    found = check(bench.machine)
    assert found.can_train and found.python_good and found.roomy and found.command == ()
    keep_check(folder, "gpu", found)
    keep_check(folder, THIS_COMPUTER, found)
    assert read_checks(folder) == {"gpu": found, THIS_COMPUTER: found}
    keep_check(folder, "gpu", None)
    assert set(read_checks(folder)) == {THIS_COMPUTER}
    (folder / "checks.json").write_text("[")
    assert read_checks(folder) == {}


def test_what_is_missing_is_named_with_the_command_that_installs_it(bench):
    found = check(bench.machine)
    packages = tuple(
        replace(package, version={"torch": "", "mujoco": "3.9.1"}.get(package.name, package.version))
        for package in found.packages
    )
    poor = replace(found, packages=packages)
    assert [package.name for package in poor.missing] == ["mujoco", "torch"] and not poor.can_train
    assert poor.command == (found.executable, "-m", "pip", "install", "mujoco==3.11.0", "torch==2.13.0")
    assert not replace(found, python="3.10.14").can_train
    assert not replace(found, free=1 << 20).can_train


class Talker(Machine):
    """A machine that answers what it is told to."""

    def __init__(self, answer: dict) -> None:
        self._answer_given = answer

    @property
    def name(self) -> str:
        return "odd"

    def preflight(self, packages, pings):
        return self._answer_given, 0.01, 0.0


def answer(**changes) -> dict:
    plain = {"system": "Linux", "host": "h", "python": "3.11.1", "executable": "/usr/bin/python3", "packages": {},
             "pip": True, "cores": 4.0, "memory": 8 << 30, "free": 9 << 30, "gpus": []}  # fmt: skip
    return {**plain, **changes}


def test_a_machines_words_cannot_steer_a_terminal_or_the_window():
    found = check(
        Talker(answer(host="\x1b]0;owned\x07box", system="a" * 9999, gpus=[{"name": "\x9b31mH200", "memory": 1}]))
    )
    assert isinstance(found, Check)
    assert found.host == "]0;ownedbox" and len(found.system) == 100 and found.gpus[0].name == "31mH200"


@pytest.mark.parametrize(
    "changes",
    [{"packages": []}, {"cores": "many"}, {"gpus": [1]}, {"memory": None}, {"python": 3}, {"memory": float("inf")}],
)
def test_nonsense_is_an_error_and_no_finding(changes):
    with pytest.raises(StudioError, match="makes no sense"):
        check(Talker(answer(**changes)))


@pytest.mark.parametrize("packages", [None, "torch", ["a b"], ["-rf"], ["x"] * 65, [1]])
def test_the_agent_looks_for_plain_package_names_only(packages):
    with pytest.raises(RefusedError):
        preflight.preflight(packages)


def test_the_persons_folder_is_the_one_that_qt_names(monkeypatch, tmp_path):
    from PySide6.QtCore import QStandardPaths

    monkeypatch.delenv("PADWORK_HOME", raising=False)
    for named in ("", str(tmp_path / "data"), "relative"):
        monkeypatch.setenv("XDG_DATA_HOME", named)
        where = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericDataLocation)
        assert user_folder() == Path(where) / "padwork"
    monkeypatch.setenv("PADWORK_HOME", str(tmp_path))
    assert user_folder() == tmp_path
