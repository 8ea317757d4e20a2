"""What is said on standard error: notes and, on a terminal, how far a download is.

Standard output is left to the line of each matrix, so that a program may read it."""
import sys
import time


def note(text):
    print(f"fetch: {text}", file=sys.stderr, flush=True)


def megabytes(count):
    return f"{count / 1e6:.1f} MB"


class Meter:
    """Percent, megabytes and time left on one line of a terminal; nothing elsewhere."""
    EVERY_S = 0.2

    def __init__(self, label, total, done):
        self.label, self.total, self.first, self.done = label, total, done, done
        self.shown, self.begin = 0.0, time.monotonic()
        self.terminal = sys.stderr.isatty()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.terminal and self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def add(self, count):
        self.done += count
        now = time.monotonic()
        if self.terminal and now - self.shown >= self.EVERY_S:
            self.shown = now
            print(f"\r{self.text(now)}\033[K", end="", file=sys.stderr, flush=True)

    def text(self, now):
        if not self.total:
            return f"{self.label}  {megabytes(self.done)}"
        rate = (self.done - self.first) / max(now - self.begin, 1e-3)
        left = (self.total - self.done) / max(rate, 1.0)
        return (f"{self.label}  {100 * self.done // self.total} %  {self.done / 1e6:.1f} of {megabytes(self.total)}  "
                f"{int(left) // 60}:{int(left) % 60:02d} left")
