"""A machine's way in for a training that can wait: a machine that does not let us in ends nothing."""

from __future__ import annotations

from studio.remote.channel import Channel, Exec
from studio.schema.errors import StudioError, UnfinishedError


class WaitingChannel:
    """Another channel whose refusals say that the work waits: the training on the machine goes on without us."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    @property
    def name(self) -> str:
        return self._channel.name

    def open(self, verb: str, nonce: str) -> Exec:
        """Raises LineLostError, and ``UnfinishedError`` in the words of the channel behind it."""
        try:
            return self._channel.open(verb, nonce)
        except StudioError as problem:
            raise UnfinishedError(problem.what, problem.why, problem.next_step) from problem

    def close(self) -> None:
        self._channel.close()
