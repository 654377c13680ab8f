#!/usr/bin/env python3
"""Runs the tests of one binary side by side; a test that dies or hangs costs itself alone, for the rest goes on in a new process.

usage: gpu_round_tests.py BINARY --logs PREFIX [--filter PATTERN] [--only FILE] [--jobs N] [--seconds S] [--silence S] [--first N]

  --logs PREFIX     output of process k goes to PREFIX_k.log
  --filter PATTERN  GoogleTest's filter (default: all)
  --only FILE       a name of a test in each line: these alone
  --jobs N          processes at a time (default 1)
  --seconds S       time for all of it (default 600); what is left then is counted
  --silence S       a process that prints nothing for so long hangs (default 60)
  --first N         so many tests alone, spread over the list (for rehearsals)

Prints a line as soon as a test fails: "FAILED: TEST", "DIED in: TEST" (or the device did) or "OUT OF TIME in: TEST".
Exit code 0 if all passed, 1 if not, 124 if the time was too short. Needs Python's standard library alone.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

EVENT = re.compile(rb"^\[( RUN      |       OK |  FAILED  |  SKIPPED )\] ([^ ,\n]+\.[^ ,\n]+)", re.MULTILINE)
DEVICE_LOST = 86  # exit code of a test binary whose CUDA context is broken (tests/support/main.cpp)
lock = threading.Lock()


def say(text):
    with lock:
        print(text, flush=True)


def names_of(binary, pattern):
    listed = subprocess.run([binary, "--gtest_list_tests", f"--gtest_filter={pattern}"], capture_output=True, text=True, timeout=60)
    names, suite = [], None
    for line in listed.stdout.splitlines():
        name = line.split("#")[0].strip()
        if line.startswith("  ") and suite:
            names.append(suite + name)
        elif re.fullmatch(r"[\w/]+\.", name):
            suite = name
    return names


class Shard(threading.Thread):
    """One process after another, until each of `tests` has had its turn or the time is over."""

    def __init__(self, options, number, tests, until):
        super().__init__(daemon=True)  # a process that cannot be killed holds up nobody
        self.options, self.tests, self.until = options, tests, until
        self.prefix = f"{options.logs}_{number}"
        self.passed, self.failed, self.left = 0, 0, list(tests)

    def run(self):
        Path(self.prefix + ".log").write_bytes(b"")
        while self.left and time.monotonic() < self.until:
            if not self.process():
                break

    def process(self):
        """Whether it makes sense to start another one."""
        tests = Path(self.prefix + ".tests")
        tests.write_text("--gtest_filter=" + ":".join(self.left) + "\n")
        started = len(self.text())
        with open(self.prefix + ".log", "ab") as log:
            child = subprocess.Popen([self.options.binary, f"--gtest_flagfile={tests}"], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                     start_new_session=True)
        hangs = self.watch(child)
        tests.unlink()
        ended, running = set(), None
        for what, name in EVENT.findall(self.text()[started:]):
            name = name.decode()
            if what == b" RUN      ":
                running = name
            elif name not in ended:
                ended.add(name)
                self.passed += what == b"       OK "
                running = None if name == running else running
        code = child.returncode
        if running:
            self.fault("OUT OF TIME in" if hangs else "DIED in", running)
            ended.add(running)
        elif code not in (0, 1, 77, DEVICE_LOST):
            self.fault("DIED in", f"the {'end' if ended else 'start'} of {self.prefix.rsplit('/', 1)[-1]}, exit code {code}")
        self.left = [name for name in self.left if name not in ended] if code not in (0, 1, 77) else []
        return bool(ended)

    def watch(self, child):
        """Until it ends: says what fails, and kills what hangs. Whether it did."""
        at, seen, said = 0, time.monotonic(), 0
        while True:
            ended = child.poll() is not None
            text = self.text()
            if len(text) != at:
                at, seen = len(text), time.monotonic()
            whole = text[:text.rfind(b"\n") + 1]
            for found in EVENT.finditer(whole, said):
                if found[1] == b"  FAILED  " and found[2].decode() in self.left:
                    self.fault("FAILED", found[2].decode())
            said = max(said, len(whole))
            if ended:
                return False
            if time.monotonic() > min(self.until, seen + self.options.silence):
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait(3)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    pass  # it sits in the driver: the others go on
                return True
            time.sleep(0.05)

    named = set()

    def fault(self, what, name):
        if name in self.named:  # GoogleTest names them again at the end
            return
        self.named.add(name)
        self.failed += 1
        say(f"{what}: {name}")

    def text(self):
        return Path(self.prefix + ".log").read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--logs", required=True)
    parser.add_argument("--filter", default="*")
    parser.add_argument("--only", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--silence", type=float, default=60)
    parser.add_argument("--first", type=int)
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    tests = names_of(options.binary, options.filter)
    if options.only:
        wanted = set(options.only.read_text().split())
        tests = [name for name in tests if name in wanted]
    if options.first:
        tests = tests[::max(1, len(tests) // options.first)][:options.first]
    shards = [Shard(options, k, tests[k::options.jobs], until) for k in range(min(options.jobs, len(tests)))]
    for shard in shards:
        shard.start()
    for shard in shards:
        shard.join(max(0.1, until + 5 - time.monotonic()))
    passed, failed, left = (sum(values) for values in zip(*((s.passed, s.failed, len(s.left)) for s in shards))) if shards else (0, 0, 0)
    say(f"{len(tests)} tests: {passed} passed, {failed} failed, {left} not run for want of time")
    sys.stdout.flush()
    os._exit(124 if left else 1 if failed or not passed else 0)  # without waiting for a process that cannot be killed


if __name__ == "__main__":
    main()
