"""A worker whose stage does what a test asks for: PADWORK_TEST_STAGE is one word of ``ODD``."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np

from studio.jobs import worker
from studio.schema.errors import StudioError
from studio.schema.keypoints import Keypoints
from studio.stages import execute
from studio.stages.stage import Context, Result, Stage
from studio.store.catalog import declaration


def good(context: Context) -> Result:
    print("a library talks on standard output")
    for step in range(5):
        context.progress((step + 1) / 5, f"step {step + 1}")
        time.sleep(0.12)
    return Result(
        arrays={"": Keypoints("a", os.environ["OPENBLAS_NUM_THREADS"], np.zeros(1), np.zeros(1), np.zeros(1))}
    )


def until_told(context: Context) -> Result:
    context.progress(0.1, "waiting")
    while not (context.project.layout.scratch / "go").exists():
        time.sleep(0.02)
    return good(context)


def slow(context: Context) -> Result:
    context.progress(0.1, "slow")
    time.sleep(60)
    return Result()


def deaf(context: Context) -> Result:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    return slow(context)


def crash(context: Context) -> Result:
    os.kill(os.getpid(), signal.SIGSEGV)
    return Result()


def leave(context: Context) -> Result:
    os._exit(7)


def refuse(context: Context) -> Result:
    raise StudioError("No body found", "nobody is in the picture", "Film again")


ODD = {
    "good": good,
    "until_told": until_told,
    "slow": slow,
    "deaf": deaf,
    "crash": crash,
    "leave": leave,
    "refuse": refuse,
}

if __name__ == "__main__":
    execute.find_stage = lambda number: Stage(declaration(number), ODD[os.environ["PADWORK_TEST_STAGE"]])
    sys.exit(worker.main(sys.argv[1:]))
