"""The numbers of a training run: a preset from resources/training, with the spec's overrides."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from remote_agent.host.host import HostSettings
from studio.schema.codec import from_plain
from studio.schema.errors import StudioError
from studio.schema.resources import resource
from studio.schema.training import TeacherSpec


@dataclass(frozen=True)
class Settings:
    """Everything that shapes a run besides table, body and seed.

    ``steps`` per fighter and iteration; the learning rate falls geometrically from ``learning_rate`` to
    ``final_learning_rate``, 0 keeps the network as it is; ``action_std`` of the exploration until ``calm_from`` (share
    of the run), then falling geometrically to ``final_action_std``; ``slot`` of the technique in the observation;
    ``evaluation_seeds`` for the deterministic evaluation; a clip and a snapshot every so many iterations. Host values
    as in :class:`remote_agent.host.host.HostSettings`.
    """

    iterations: int
    envs: int
    steps: int
    threads: int
    learning_rate: float
    final_learning_rate: float
    action_std: float
    final_action_std: float
    calm_from: float
    hidden: tuple[int, ...]
    epochs: int
    minibatches: int
    gamma: float
    lam: float
    clip: float
    bag_share: float
    rsi_share: float
    noise: float
    error_limit: float
    hold_s: float
    clip_every: int
    snapshot_every: int
    slot: int = 1
    evaluation_seeds: tuple[int, ...] = ()

    def rate(self, iteration: int) -> float:
        """The learning rate of an iteration, counted from 0."""
        if self.learning_rate <= 0:
            return 0.0
        return self.learning_rate * (self.final_learning_rate / self.learning_rate) ** self._share(iteration)

    def std(self, iteration: int) -> float:
        """The exploration's standard deviation in an iteration, counted from 0.

        It falls no faster than the rate: the same step of the mean is a larger change of a narrower policy.
        """
        calm = (self._share(iteration) - self.calm_from) / max(1.0 - self.calm_from, 1e-9)
        return self.action_std * (self.final_action_std / self.action_std) ** max(calm, 0.0)

    def _share(self, iteration: int) -> float:
        return min(iteration / max(self.iterations - 1, 1), 1.0)

    def host(self, envs: int) -> HostSettings:
        """The host's part."""
        return HostSettings(
            envs, self.threads, self.bag_share, self.rsi_share, self.noise, self.error_limit, self.hold_s
        )


def read_toml(path: Path) -> dict[str, Any]:
    """A parsed TOML file."""
    import tomllib

    return tomllib.loads(path.read_text(encoding="utf-8"))


def make_settings(spec: TeacherSpec) -> Settings:
    """Preset and overrides. Raises :class:`StudioError` for an unknown preset, name or impossible value."""
    presets = read_toml(resource("training", "presets.toml"))
    seeds = presets.pop("seeds")
    if spec.preset not in presets:
        raise _refuse(f"there is no preset {spec.preset}", f"Choose one of {', '.join(sorted(presets))}")
    unknown = set(spec.settings) - {f.name for f in fields(Settings)}
    if unknown:
        raise _refuse(f"there is no setting {', '.join(sorted(unknown))}", "Correct the training's settings")
    plain = {"evaluation_seeds": seeds["evaluation"], **presets[spec.preset], **spec.settings}
    settings = from_plain(Settings, plain, f"The preset {spec.preset}")
    return _checked(settings)


def gate_seeds() -> tuple[int, ...]:
    """The gate's seeds."""
    return tuple(read_toml(resource("training", "presets.toml"))["seeds"]["gate"])


def _checked(s: Settings) -> Settings:
    whole = {"iterations": (1, 100_000), "envs": (2, 65_536), "steps": (2, 1024), "threads": (0, 256),
             "epochs": (1, 64), "minibatches": (1, 256), "slot": (0, 31), "clip_every": (1, 100_000),
             "snapshot_every": (1, 100_000)}  # fmt: skip
    real = {"learning_rate": (0.0, 0.1), "final_learning_rate": (0.0, 0.1), "action_std": (1e-3, 2.0),
            "final_action_std": (1e-3, 2.0), "calm_from": (0.0, 1.0),
            "gamma": (0.0, 1.0), "lam": (0.0, 1.0), "clip": (0.01, 1.0), "bag_share": (0.0, 1.0),
            "rsi_share": (0.0, 1.0), "noise": (0.0, 10.0), "error_limit": (0.05, 10.0), "hold_s": (0.0, 1.0),
            }  # fmt: skip
    for name, (low, high) in {**whole, **real}.items():
        if not low <= getattr(s, name) <= high:
            raise _refuse(f"the setting {name} is {getattr(s, name)}", f"Choose a value between {low} and {high}")
    if s.minibatches > s.envs * s.steps or not s.hidden or not s.evaluation_seeds:
        raise _refuse("batches, network or evaluation are empty", "Correct the training's settings")
    return s


def _refuse(why: str, next_step: str) -> StudioError:
    return StudioError("The training cannot start", why, next_step)
