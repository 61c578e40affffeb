"""A solver that reads a wish and dies of it."""

import os
import sys

sys.stdin.buffer.readline()
print("on purpose", file=sys.stderr, flush=True)
os._exit(7)
