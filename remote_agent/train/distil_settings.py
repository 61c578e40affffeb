"""The numbers of a distillation: a preset from resources/training/student.toml, with the spec's overrides."""

from __future__ import annotations

from dataclasses import dataclass, fields

from remote_agent.host.host import HostSettings
from remote_agent.train.settings import read_toml
from studio.schema.codec import from_plain
from studio.schema.errors import StudioError
from studio.schema.resources import resource
from studio.schema.training import StudentSpec


@dataclass(frozen=True)
class DistilSettings:
    """Everything that shapes a distillation besides its files and the seed.

    Per iteration and technique ``envs`` fighters play ``steps`` control steps; then ``updates`` batches of ``batch``
    moments are learned from the last ``memory`` of each technique. The learning rate falls geometrically. Teachers lead
    a share of the fighters that falls from all to none at ``led_until`` (share of the run). ``wander``: random part of
    every action, in the teacher's own spread. Evaluated, and filmed, every so many iterations. Host values as in
    :class:`remote_agent.host.host.HostSettings`.
    """

    iterations: int
    envs: int
    steps: int
    threads: int
    updates: int
    batch: int
    learning_rate: float
    final_learning_rate: float
    memory: int
    led_until: float
    wander: float
    bag_share: float
    rsi_share: float
    noise: float
    error_limit: float
    hold_s: float
    evaluate_every: int
    clip_every: int
    evaluation_seeds: tuple[int, ...] = ()

    def rate(self, iteration: int) -> float:
        """The learning rate of an iteration, counted from 0."""
        return self.learning_rate * (self.final_learning_rate / self.learning_rate) ** self._share(iteration)

    def led(self, iteration: int) -> float:
        """The share of fighters that a teacher leads in an iteration, counted from 0: beta of DAgger."""
        return max(0.0, 1.0 - iteration / max(self.led_until * self.iterations, 1.0))

    def _share(self, iteration: int) -> float:
        return min(iteration / max(self.iterations - 1, 1), 1.0)

    def host(self, envs: int) -> HostSettings:
        """The host's part."""
        return HostSettings(
            envs, self.threads, self.bag_share, self.rsi_share, self.noise, self.error_limit, self.hold_s
        )


def make_distil_settings(spec: StudentSpec) -> DistilSettings:
    """Preset and overrides. Raises :class:`StudioError` for an unknown preset, name or impossible value."""
    presets = read_toml(resource("training", "student.toml"))
    presets.pop("seeds")
    if spec.preset not in presets:
        raise _refuse(f"there is no preset {spec.preset}", f"Choose one of {', '.join(sorted(presets))}")
    unknown = set(spec.settings) - {f.name for f in fields(DistilSettings)}
    if unknown:
        raise _refuse(f"there is no setting {', '.join(sorted(unknown))}", "Correct the student's settings")
    seeds = read_toml(resource("training", "presets.toml"))["seeds"]["evaluation"]
    plain = {"evaluation_seeds": seeds, **presets[spec.preset], **spec.settings}
    return _checked(from_plain(DistilSettings, plain, f"The preset {spec.preset}"))


def _checked(s: DistilSettings) -> DistilSettings:
    whole = {"iterations": (1, 100_000), "envs": (2, 65_536), "steps": (2, 1024), "threads": (0, 256),
             "updates": (1, 10_000), "batch": (8, 1_000_000), "memory": (64, 10_000_000),
             "evaluate_every": (1, 100_000), "clip_every": (1, 100_000)}  # fmt: skip
    real = {"learning_rate": (1e-9, 0.1), "final_learning_rate": (1e-9, 0.1), "led_until": (0.0, 1.0),
            "wander": (0.0, 5.0), "bag_share": (0.0, 1.0), "rsi_share": (0.0, 1.0), "noise": (0.0, 10.0),
            "error_limit": (0.05, 10.0), "hold_s": (0.0, 1.0)}  # fmt: skip
    for name, (low, high) in {**whole, **real}.items():
        if not low <= getattr(s, name) <= high:
            raise _refuse(f"the setting {name} is {getattr(s, name)}", f"Choose a value between {low} and {high}")
    if s.memory < s.envs * s.steps or not s.evaluation_seeds:
        raise _refuse("memory or evaluation are too small", "Correct the student's settings")
    return s


def _refuse(why: str, next_step: str) -> StudioError:
    return StudioError("The distillation cannot start", why, next_step)
