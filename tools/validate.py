#!/usr/bin/env python3
"""Runs the cases of validation and writes the page that compares them with laws and experiments.

    build/venv/bin/python tools/validate.py [--quick] [--update] [CASE...] [--device cpu] [-o RUNS]

    CASE      the cases to run (default: all; --list names them). Only a call without them writes the page
    --update  put the lines of the cases named into the page that there is
    --quick   the coarser resolutions only, about ten minutes on two cores

Each run takes one thread. Runs are kept where -o names a folder; finished ones there are read again. A case that fails is named in the
page and does not end the others. Exit code 1 where a case did not run to its end or more are outside their bands than --at-most says,
2 where nothing could be run.
"""
import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from run_files import RunError, run_tool
from validation_case import Run
from validation_cases import CASES
from validation_page import count_outside, draw, lines_of, page, row

ROOT = Path(__file__).resolve().parent.parent
SCENES = ROOT / "scenes"


def run_one(case, size, options, folder):
    """Runs a case at a size; returns (number, x, y) and the run."""
    place = folder / f"{case.name}_{size}"
    place.mkdir(parents=True, exist_ok=True)
    scene = case.scene(size)
    if "base" in scene:
        scene["base"] = str(SCENES / scene["base"])
    for name, text in scene.pop("files", {}).items():
        (place / name).write_text(text)
    text = json.dumps({"title": f"{case.name}, {size} {case.per}", **scene}, indent=1)
    file, results = place / "case.json", place / "run"
    if not (file.exists() and file.read_text() == text):
        shutil.rmtree(results, ignore_errors=True)
        file.write_text(text)
    command = [options.merganser, "run", file, "-o", results, "--resume", "--device", options.device, "--threads", "1", "--quiet"]
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=options.limit,
                              env={**os.environ, "OMP_NUM_THREADS": "1"})
    except subprocess.TimeoutExpired:
        raise RunError(f"no end within {options.limit} s") from None
    if done.returncode:
        raise RunError((done.stderr.strip().splitlines() or ["no message"])[-1] + f" (exit code {done.returncode})")
    run = Run(results, size)
    return tuple(case.measure(run)), run.summary


def run_all(cases, options, folder):
    """{case name: {size: (number, x, y)}}, {case name: error}, and {case name: summary of one of its runs}."""
    results, errors, summaries = {case.name: {} for case in cases}, {}, {}
    jobs = [(case, size) for case in cases for size in case.sizes + (() if options.quick else case.finer)]
    start = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(run_one, case, size, options, folder): (case, size) for case, size in jobs}
        for done, future in enumerate(as_completed(running), 1):
            case, size = running[future]
            try:
                results[case.name][size], summaries[case.name] = future.result()
                told = f"{results[case.name][size][0]:.5g} {case.unit}"
            except Exception as error:  # of a run, of its files, or of what measures them: the other cases go on
                errors[case.name] = f"{size}: {' '.join(str(error).split()) or type(error).__name__}"
                told = f"failed: {errors[case.name]}"
            left = round((time.monotonic() - start) / done * (len(jobs) - done))
            print(f"[{done} of {len(jobs)}, {left // 60}:{left % 60:02d} left] {case.name} {size}: {told}", file=sys.stderr, flush=True)
    return results, errors, summaries


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", metavar="CASE", nargs="*")
    parser.add_argument("--quick", action="store_true", help="the coarser resolutions only")
    parser.add_argument("--update", action="store_true", help="put the lines of the cases named into the page that there is")
    parser.add_argument("--list", action="store_true", help="name the cases and end")
    parser.add_argument("--device", default="cpu", help="cpu or auto (default: cpu)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (default: one a core)")
    parser.add_argument("--limit", type=float, default=1800, metavar="SECONDS", help="wall time of a run (default: 1800)")
    parser.add_argument("--merganser", type=Path, default=ROOT / "build/cpu/bin/merganser", help="the program")
    parser.add_argument("--at-most", type=int, metavar="N", help="exit code 1 where more than N cases are outside their bands")
    parser.add_argument("--page", type=Path, help="where the page goes (default: scenes/VALIDATION.md where no case is named)")
    parser.add_argument("-o", "--output", type=Path, metavar="RUNS", help="folder that keeps the runs")
    options = parser.parse_args()
    unknown = set(options.cases) - {case.name for case in CASES}
    if unknown:
        raise RunError(f"no case {', '.join(sorted(unknown))}; --list names them")
    cases = [case for case in CASES if not options.cases or case.name in options.cases]
    if options.list:
        print("\n".join(f"{case.name:18} {case.what}" for case in cases))
        return
    if not options.merganser.is_file():
        raise RunError(f"no program {options.merganser}; build it or name it with --merganser")
    with tempfile.TemporaryDirectory() as scratch:
        results, errors, summaries = run_all(cases, options, options.output or Path(scratch))
    rows = {case.name: row(case, results[case.name], errors.get(case.name), str(summaries.get(case.name, {}).get("commit", "?"))[:9])
            for case in cases}
    where = options.page or (SCENES / "VALIDATION.md" if options.update or not options.cases else None)
    if where:
        for case in cases:
            draw(case, results[case.name], where.parent / "pictures" / "validation" / f"{case.name}.svg")
        there = lines_of(where.read_text()) if options.update and where.is_file() else {}
        known = [case.name for case in CASES if case.name in rows or case.name in there]
        last = next(reversed(summaries.values()), {})
        where.write_text(page([rows.get(name) or there[name] for name in known], last, options.quick and not there))
        print(where)
    else:
        print("\n".join(rows.values()))
    out = count_outside(cases, results, errors)
    if options.at_most is not None and out > options.at_most:
        print(f"validate: {out} cases are outside their bands, more than {options.at_most}", file=sys.stderr)
        sys.exit(1)
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    run_tool("validate", main)
