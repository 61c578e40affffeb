"""A line that can be cut: a TCP proxy on loopback that resets, ends, swallows or refuses what goes through it."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress

CHUNK = 1 << 16
POLL_S = 0.02


class Proxy:
    """Passes ``port`` on to ``target`` until told otherwise. ``passed``: bytes so far, both ways together."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.passed = 0
        self.accepted = 0
        self._swallow = threading.Event()
        self._refuse = threading.Event()
        self._cut_at: tuple[int, Callable[[], None]] | None = None
        self._lines: list[socket.socket] = []
        self._lock = threading.Lock()
        self._over = False
        threading.Thread(target=self._accept, daemon=True).start()

    def reset(self) -> None:
        """Every open line ends with RST."""
        self._end(lambda line: line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)))

    def finish(self) -> None:
        """Every open line ends with FIN."""
        self._end(lambda line: line.shutdown(socket.SHUT_RDWR))

    def after(self, count: int, fault: Callable[[], None]) -> None:
        """``fault`` happens once so many more bytes have passed: in the middle of whatever is sent then."""
        self._cut_at = (self.passed + count, fault)

    def swallow(self, on: bool = True) -> None:
        """Lines stay open and nothing goes through: what a pulled cable looks like from here."""
        (self._swallow.set if on else self._swallow.clear)()

    def refuse(self, on: bool = True) -> None:
        """New lines are reset at once."""
        (self._refuse.set if on else self._refuse.clear)()

    def close(self) -> None:
        self._over = True
        self._listener.close()
        self.reset()

    def _end(self, how: Callable[[socket.socket], None]) -> None:
        with self._lock:
            lines, self._lines = self._lines, []
        for line in lines:
            with suppress(OSError):
                how(line)
            with suppress(OSError):
                # A close alone would wait for the thread that reads.
                line.shutdown(socket.SHUT_RDWR) if line.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER) == 0 else None
            line.close()

    def _accept(self) -> None:
        while not self._over:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            if self._refuse.is_set():
                near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._target), 5)
            except OSError:
                near.close()
                continue
            for line in (near, far):
                line.settimeout(POLL_S)
            with self._lock:
                self._lines += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(source, sink), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        while not self._over:
            if self._swallow.is_set():
                time.sleep(POLL_S)
                continue
            try:
                data = source.recv(CHUNK)
            except TimeoutError:
                continue
            except OSError:
                break
            if not data or not self._forward(data, sink):
                break
        for line in (source, sink):
            line.close()

    def _forward(self, data: bytes, sink: socket.socket) -> bool:
        cut = self._cut_at
        if cut is not None and self.passed + len(data) >= cut[0]:
            self._cut_at = None
            kept = data[: cut[0] - self.passed]
            with suppress(OSError):
                sink.sendall(kept)
            self.passed += len(kept)
            cut[1]()
            return self._swallow.is_set()
        view = memoryview(data)
        while view:
            try:
                view = view[sink.send(view) :]
            except TimeoutError:
                if self._over:
                    return False
            except OSError:
                return False
        self.passed += len(data)
        return True
