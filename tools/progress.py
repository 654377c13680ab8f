"""A line on the terminal that says how far the work is and how long it still takes."""
import sys
import time


class Progress:
    """Silent where standard error is no terminal."""

    def __init__(self, what, count):
        self.what, self.count, self.start = what, count, time.monotonic()
        self.shown = sys.stderr.isatty() and count > 1
        self._show(0)

    def step(self, done):
        self._show(done)
        if self.shown and done == self.count:
            print(file=sys.stderr)

    def _show(self, done):
        if self.shown:
            print(f"\r{self.line(done, time.monotonic() - self.start)}\033[K", end="", file=sys.stderr, flush=True)

    def line(self, done, seconds):
        filled = 30 * done // self.count
        left = round(seconds / done * (self.count - done)) if done else None
        clock = "" if left is None else f"  {left // 60}:{left % 60:02d} left"
        return f"{self.what} [{'#' * filled}{'.' * (30 - filled)}] {done} of {self.count} frames{clock}"
