#!/usr/bin/env python3
"""Runs clang-tidy 14 with the checks of .clang-tidy on the C++ files that changed.

usage: tidy.py [--base REV | --commits N] [--limit N] [--seconds N] [--build DIR] [--list] [FILE...]

  --base REV   what changed since this commit (default: where the branch left origin/main; on main itself, its commit before)
  --commits N  what the last N commits of this branch changed (a merge counts as one commit)
  --limit N    files to check at most, the latest changes first (default 40); those left out are named
  --seconds N  time for a file (default 120); a file that takes longer is named and left out
  --build DIR  a configured build with compile_commands.json (default build/separate; configured where it is missing)
  --list       print the files, check nothing
  FILE...      these files instead of those that changed

Changes that are not committed yet come first. A header is checked through a source file that includes it. Files that the build
does not compile (the CUDA half's own) and files that clang cannot compile (functions of GCC alone) are listed and left out. Exit code 1 with the findings, 2 if clang-tidy 14 is missing.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SOURCES, HEADERS = {".cpp"}, {".h"}
NAMED = 20  # files left out that are named


class Fault(Exception):
    pass


def git(*arguments, allow_failure=False):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0 and not allow_failure:
        raise Fault(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip() if done.returncode == 0 else ""


def default_base():
    """The commit where this branch left origin/main, else the first parent of HEAD; "" for a history of one commit."""
    common = git("merge-base", "HEAD", "origin/main", allow_failure=True)
    if common and common != git("rev-parse", "HEAD"):
        return common
    return git("rev-parse", "--verify", "--quiet", "HEAD^1", allow_failure=True)


def changed_files(base, commits):
    """Files that exist, the latest change first: the working tree, then commit by commit along first parents."""
    if commits:
        log = ["-n", str(commits)]
    else:
        base = base or default_base()
        log = [f"{base}..HEAD"] if base else []
    names = git("diff", "--name-only", "HEAD").splitlines()
    names += git("ls-files", "--others", "--exclude-standard").splitlines()
    names += git("log", "--first-parent", "-m", "--format=", "--name-only", *log).splitlines()
    return [name for name in dict.fromkeys(names) if name and (ROOT / name).is_file()]


def compiled_files(build):
    """Paths relative to the root of what the build compiles."""
    database = build / "compile_commands.json"
    if not database.is_file():
        if build != ROOT / "build" / "separate":
            raise Fault(f"'{database}' is missing; configure the build first")
        if subprocess.run(["cmake", "--preset", "separate"], cwd=ROOT, stdout=subprocess.DEVNULL).returncode != 0:
            raise Fault("cmake --preset separate failed; tools/setup.sh installs what it needs")
    entries = [Path(entry["directory"]) / entry["file"] for entry in json.loads(database.read_text())]
    return sorted({os.path.relpath(path, ROOT) for path in entries if path.is_relative_to(ROOT) and path.is_file()})


@functools.cache
def includes(name):
    return set(INCLUDE.findall((ROOT / name).read_text(errors="replace")))


def source_of_header(header, compiled, chosen):
    """A source file that includes the header, through other headers if need be: one that is chosen already, else one of its name."""
    headers, wanted, seen = git("ls-files", "*.h").splitlines(), {header}, set()
    while wanted:
        users = [name for name in compiled if wanted & includes(name)]
        if users:
            return min(users, key=lambda name: (name not in chosen, Path(name).stem != Path(header).stem))
        seen |= wanted
        wanted = {name for name in headers if (ROOT / name).is_file() and wanted & includes(name)} - seen
    return None


def choose(names, compiled):
    """Source files to check, in the order of `names`, and what cannot be checked, each with the reason."""
    known, chosen, unreachable = set(compiled), {}, []
    for name in names:
        suffix = Path(name).suffix
        if suffix in HEADERS:
            source = source_of_header(name, compiled, chosen)
            if source:
                chosen.setdefault(source, name)
            else:
                unreachable.append(f"{name} (no source file of this build includes it)")
        elif name in known:
            chosen.setdefault(name, name)
        elif suffix in SOURCES | {".cu"}:
            unreachable.append(f"{name} (not compiled by this build)")
    return list(chosen), unreachable


def clang_tidy():
    program = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if not program:
        raise Fault("no clang-tidy; tools/setup.sh installs it")
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    if not re.search(r"version 14\.", version):
        raise Fault(f"need clang-tidy 14, found: {' '.join(version.split())}")
    return program


def check(program, build, name, seconds):
    """What clang-tidy says of the file, "" if it finds nothing; and why it could not be checked, else ""."""
    try:
        done = subprocess.run([program, "-p", str(build), "--quiet", "--extra-arg=-Wno-error", "--warnings-as-errors=*", str(ROOT / name)],
                              cwd=ROOT, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "", f"more than {seconds} s"
    if "[clang-diagnostic-error" in done.stdout:
        return "", "clang cannot compile it"
    if done.returncode == 0:
        return "", ""
    return done.stdout.strip() or done.stderr.strip() or f"{name}: clang-tidy ended with code {done.returncode}", ""


def parser_of(documentation, commits):
    """The options that tools for changed files share; `commits` is the default of --commits."""
    parser = argparse.ArgumentParser(usage=documentation.split("\n\n", 1)[1], add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--commits", type=int, default=commits)
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("files", nargs="*")
    return parser


def main():
    parser = parser_of(__doc__, 0)
    parser.add_argument("--base")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "separate")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.help:
        print(__doc__.strip())
        return 0
    try:
        names = [os.path.relpath(Path(file).resolve(), ROOT) for file in options.files]
        names = names or changed_files(options.base, options.commits)
        chosen, unreachable = choose(names, compiled_files(options.build.resolve()))
        left_out = chosen[options.limit:] if not options.files else []
        chosen = [name for name in chosen if name not in left_out]
        for name in unreachable:
            print(f"tidy: left out: {name}")
        if left_out:
            more = f" and {len(left_out) - NAMED} more" if len(left_out) > NAMED else ""
            print(f"tidy: left out, for more than {options.limit} files changed: {', '.join(left_out[:NAMED])}{more}")
        if options.list:
            print("\n".join(chosen))
            return 0
        program = clang_tidy() if chosen else None
        checked, findings = 0, 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda name: check(program, options.build.resolve(), name, options.seconds), chosen)
            for name, (said, obstacle) in zip(chosen, results):
                checked += not obstacle
                findings += bool(said)
                if obstacle:
                    print(f"tidy: left out: {name} ({obstacle})", flush=True)
                if said:
                    print(said, flush=True)
    except Fault as fault:
        print(f"tidy: {fault}", file=sys.stderr)
        return 2
    print(f"tidy: {checked} files, findings in {findings}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
