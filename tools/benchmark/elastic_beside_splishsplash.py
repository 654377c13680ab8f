#!/usr/bin/env python3
"""Runs the same soft bars and cubes by SPlisHSPlasH and by Merganser, one after the other on the same cores, and tabulates both.

    build/venv/bin/python tools/benchmark/elastic_beside_splishsplash.py --python ENV/bin/python [-o DIR] [--cases beam_10,cube_21,...]
        [--theirs kugelstadt,peer,kee] [--ours preconditioned,auto,...] [--young 1e6] [--steps 100] [--repeat 1] [--merganser PATH]

ENV: as for beside_splishsplash.py. A case SHAPE_W is 0.5 m thick, W - 1 particles across, held at the first two layers, with
gravity switched on at rest: beam (4 W - 1 long), cube, rod (30 W - 1 long), shell (10 W - 1 wide and long, W - 1 thick). Writes
DIR/elastic.json and DIR/elastic.md: milliseconds a step of the elastic part and of the whole step, iterations, set-up, peak
memory, how far the lowest particle has come, and what was equal and what was not. Nothing else should run meanwhile. A time
counts only where tips agree.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from beside_splishsplash import text_of  # noqa: E402
from run_files import RunError, read_json, read_statistics, run_tool  # noqa: E402
from run_folder import RunFolder  # noqa: E402

STEP, POISSON, THICKNESS = 0.002, 0.33, 0.5  # [s], 1, [m]
COLUMNS = ["case", "particles", "program", "solve", "elastic_ms", "step_ms", "iterations", "setup_s", "memory_MB", "tip_m"]
EQUAL = "Equal: particles and their places, material, held layers, gravity, step, tolerance 1e-4 (relative residual), cores, simulated time."
UNEQUAL = ("Not equal: theirs searches neighbors and sums densities in every step, which its whole step holds and ours needs not; its "
           "pressure solve is off. Its volumes are by summation, ours are by --volumes. The elastic part of ours is the stages that find "
           "rotations and forces and solve (prepare, integrate_1, integrate_2). Set-up: theirs initSystem, ours "
           "the clock of a run of one step, with its files, less that step. Iterations: theirs the mean, ours of the last step. Memory: greatest resident set of the process, less that of a case of 135 particles.")


def counts_of(case):
    match = re.fullmatch(r"(beam|cube|rod|shell)_(\d+)", case)
    if not match or int(match[2]) < 3:
        raise RunError(f"'{case}' is no case; write beam_W, cube_W, rod_W or shell_W with W of 3 or more")
    shape, w = match[1], int(match[2])
    return {"beam": (4 * w - 1, w - 1, w - 1), "cube": (w - 1,) * 3, "rod": (30 * w - 1, w - 1, w - 1),
            "shell": (10 * w - 1, w - 1, 10 * w - 1)}[shape], THICKNESS / w


def call(command, folder):
    """stdout, seconds and greatest resident set [MB]."""
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    with open(folder / "stdout.txt", "w") as out, open(folder / "stderr.txt", "w") as err:
        process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=err, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RunError(f"'{' '.join(str(part) for part in command[:3])} ...' ended with {process.returncode}: "
                       f"{(folder / 'stderr.txt').read_text()[-400:]}")
    return (folder / "stdout.txt").read_text(), time.perf_counter() - begin, usage.ru_maxrss / 1024


def theirs(options, method, counts, spacing, folder):
    script = Path(__file__).with_name("splishsplash_elastic.py")
    out, _, memory = call([options.python, script, method, ",".join(map(str, counts)), spacing, options.young, POISSON, STEP,
                           options.steps * STEP], folder)
    result = json.loads([line for line in out.splitlines() if line.startswith("{")][-1])
    if abs(result["held"]) > 1e-4 * THICKNESS:
        raise RunError(f"the held layers of {folder} moved by {result['held']} m: its keys were not taken")
    averages = {name.strip(): float(value) for name, value in re.findall(r"Average time: (.*?): ([\d.e+-]+) ms", out)}
    numbers = {name.strip(): float(value) for name, value in re.findall(r"Average number: (.*?): ([\d.e+-]+)", out)}
    return {"particles": result["particles"], "elastic_ms": averages["Elasticity"], "step_ms": averages["SimStep"],
            "iterations": numbers.get("Elasticity - CG iterations", float("nan")), "setup_s": 1e-3 * averages.get("initSystem", float("nan")),
            "memory_MB": memory, "tip_m": result["tip"]}


def scene_of(options, solve, counts, spacing, steps):
    lengths = [n * spacing for n in counts]  # y of theirs is up: z of ours
    size = [lengths[0], lengths[2], lengths[1]]
    system = {"name": "solid", "type": "elasticSph", "selfContact": False, "solve": solve, "volumes": options.volumes, "bodies": [
        {"name": "bar", "shape": "box", "start": [0, 0, 0], "end": size, "density0": 1000, "youngsModulus": options.young,
         "poissonRatio": POISSON, "alpha": options.alpha, "pinned": [{"box": [[0, 0, 0], [2 * spacing, size[1], size[2]]]}]}]}
    if options.material == "neoHookean":
        system["material"] = "neoHookean"
    return {"title": "A soft bar", "simulation": {"particleRadius": spacing / 2, "gravitation": [0, 0, -9.81], "timeStepSize": STEP,
                                                  "endTime": steps * STEP, "frameRate": 1 / (steps * STEP), "statisticsInterval": 1000000},
            "coupling": {"method": "none"}, "systems": [system]}


def ours(options, solve, counts, spacing, folder):
    folder.mkdir(parents=True, exist_ok=True)
    spans = []
    for steps, name in ((options.steps, "run"), (1, "one")):
        (folder / f"{name}.json").write_text(json.dumps(scene_of(options, solve, counts, spacing, steps), indent=1))
        spans.append(call([options.merganser, "run", folder / f"{name}.json", "-o", folder / name, "--device", options.device, "--overwrite",
                           "--quiet", "--checkpoint-every", 1e9], folder))
    summary, run = read_json(folder / "run/summary.json"), RunFolder(folder / "run")
    first, last = run.read(run.numbers[0]), run.read(run.numbers[-1])
    stages = summary["ms_per_step_stages"]
    elastic = sum(stages[name] for name in ("prepare", "integrate_1", "integrate_2"))
    iterations = read_statistics(folder / "run/statistics.csv", ["iterations_1"])["iterations_1"]
    one = read_json(folder / "one/summary.json")
    return {"particles": len(first.points), "elastic_ms": elastic, "step_ms": summary["ms_per_step"], "iterations": float(iterations[-1]),
            "setup_s": one["wall_time"] - 1e-3 * one["ms_per_step"], "memory_MB": spans[0][2],
            "tip_m": float(last.points[:, 2].min() - first.points[:, 2].min())}


def table_of(rows, about):
    lines = ["# Soft bodies beside SPlisHSPlasH", "", f"{about['machine']}, {about['cores']} cores; E = {about['young']:g} Pa, {about['steps']} "
             f"steps of {1e3 * STEP:g} ms, nu = {POISSON}; ours: volumes {about['volumes']}, alpha {about['alpha']:g}, {about['material']}.", "",
             "| " + " | ".join(COLUMNS) + " |", "| --- " * len(COLUMNS) + "|"]
    lines += ["| " + " | ".join(text_of(r[c]) for c in COLUMNS) + " |" for r in rows]
    return "\n".join(lines + ["", EQUAL, "", UNEQUAL, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="Python that has the wheel pysplishsplash")
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/elastic_beside_splishsplash"))
    parser.add_argument("--cases", default="beam_10,cube_21,beam_16,cube_33,beam_26")
    parser.add_argument("--theirs", default="kugelstadt", help="peer, kugelstadt, kee, with commas; or none")
    parser.add_argument("--ours", default="auto,preconditioned,conjugateGradient", help="values of solve, with commas")
    parser.add_argument("--young", type=float, default=1e6, help="[Pa]")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--volumes", default="summation", help="of Merganser: summation, as theirs, or mass")
    parser.add_argument("--alpha", type=float, default=1, help="zero-energy control of Merganser; theirs is 1")
    parser.add_argument("--material", default="corotated", help="of Merganser: corotated or neoHookean")
    parser.add_argument("--repeat", type=int, default=1, help="times each, in turn")
    parser.add_argument("--device", default="cpu", help="of Merganser")
    parser.add_argument("--merganser", type=Path, default=ROOT / "build/cpu/bin/merganser")
    options = parser.parse_args()
    options.python = Path(options.python).absolute()  # not resolved: a link into an environment names the environment
    options.merganser, options.output = options.merganser.absolute(), options.output.absolute()
    for program, name in ((options.python, "python"), (options.merganser, "merganser")):
        if not program.exists():
            raise RunError(f"there is no '{program}'; name it by --{name}")
    cases = [(case, *counts_of(case)) for case in options.cases.split(",")] * options.repeat
    programs = [("SPlisHSPlasH", m, theirs) for m in options.theirs.split(",") if m != "none"]
    programs += [("Merganser", s, ours) for s in options.ours.split(",")]
    small = {(program, solve): run(options, solve, (15, 3, 3), 0.1, options.output / "small" / program / solve)["memory_MB"]
             for program, solve, run in programs}
    rows = []
    for case, counts, spacing in cases:
        for program, solve, run in programs:
            row = run(options, solve, counts, spacing, options.output / case / program / solve)
            row["memory_MB"] -= small[(program, solve)]
            rows.append({"case": case, "program": program, "solve": solve, **row})
            print(" ".join(text_of(rows[-1][column]) for column in COLUMNS), file=sys.stderr)
    about = {"machine": platform.processor() or platform.machine(), "cores": os.cpu_count(), "young": options.young, "steps": options.steps,
             "volumes": options.volumes, "alpha": options.alpha, "material": options.material}
    text = table_of(rows, about)
    (options.output / "elastic.json").write_text(json.dumps({"about": about, "rows": rows, "equal": EQUAL, "not_equal": UNEQUAL}, indent=1))
    (options.output / "elastic.md").write_text(text)
    print(text)


if __name__ == "__main__":
    run_tool("elastic_beside_splishsplash.py", main)
