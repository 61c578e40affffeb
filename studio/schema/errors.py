"""The one error that is shown to a person."""


class StudioError(Exception):
    """Something went wrong that a person can act on: what happened, why, and what to do next.

    Each part is a clause without a final full stop; ``str()`` joins them into one line.
    """

    def __init__(self, what: str, why: str, next_step: str) -> None:
        super().__init__(what, why, next_step)
        self.what = what
        self.why = why
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.what}: {self.why}. {self.next_step}."


class UnfinishedError(StudioError):
    """The work waits where it is and nothing of it is lost: it is no failure, and the next run goes on with it."""
