#!/usr/bin/env python3
"""Compiles the C++ files that changed each by itself, as the preset `separate` does: no file leans on another one of its batch.

usage: compile_alone.py [--commits N] [--limit N] [FILE...]

  --commits N  what the last N commits of this branch changed (default 1), and changes that are not committed
  --limit N    files to compile at most, the latest changes first (default 40); the number left out is printed
  FILE...      these files instead of those that changed

A header is compiled through a source file that includes it. Only the syntax is checked. Exit code 1 with the compiler's messages.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from tidy import ROOT, Fault, changed_files, choose, compiled_files, parser_of

BUILD = ROOT / "build" / "separate"


def configure():
    """Configures the build and makes the header with the commit, the only file that a build writes."""
    for step in (["cmake", "--preset", "separate"], ["cmake", "--build", "--preset", "separate", "--target", "merganser_commit"]):
        done = subprocess.run(step, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise Fault(f"{' '.join(step)}: {done.stderr.strip() or done.stdout.strip()}")


def syntax_only(command):
    """The command of the database without a compiler cache and without an object."""
    words = shlex.split(command)
    words = words[next(k for k, word in enumerate(words) if word.endswith("++")):]
    at = words.index("-o")
    return words[:at] + words[at + 2:] + ["-Werror", "-fsyntax-only"]


def compile_alone(entry):
    done = subprocess.run(syntax_only(entry["command"]), cwd=entry["directory"], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main():
    options = parser_of(__doc__, 1).parse_args()
    if options.help:
        print(__doc__.strip())
        return 0
    try:
        configure()
        names = [os.path.relpath(Path(file).resolve(), ROOT) for file in options.files]
        chosen, _ = choose(names or changed_files(None, options.commits), compiled_files(BUILD))
    except Fault as fault:
        print(f"compile_alone: {fault}", file=sys.stderr)
        return 2
    if not options.files and len(chosen) > options.limit:
        print(f"compile_alone: {len(chosen) - options.limit} files left out, for more than {options.limit} changed")
        chosen = chosen[:options.limit]
    database = json.loads((BUILD / "compile_commands.json").read_text())
    entries = {os.path.relpath(Path(entry["directory"]) / entry["file"], ROOT): entry for entry in database}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        messages = list(filter(None, pool.map(compile_alone, [entries[name] for name in chosen])))
    print("".join(messages), end="")
    print(f"compile_alone: {len(chosen)} files, errors in {len(messages)}")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
