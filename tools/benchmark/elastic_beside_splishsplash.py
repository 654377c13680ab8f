#!/usr/bin/env python3
"""Runs the same soft bars and cubes by SPlisHSPlasH and by Merganser, one after the other on the same cores, and tabulates both.

    build/venv/bin/python tools/benchmark/elastic_beside_splishsplash.py --python ENV/bin/python [-o DIR] [--cases beam_10,cube_21,...]
        [--theirs kugelstadt,peer,keeNewton,keeNewton:1e-6,...] [--ours preconditioned,auto,...] [--young 1e6] [--steps 100] [--repeat 1] [--merganser PATH]

ENV: as for beside_splishsplash.py. A case SHAPE_W is 0.5 m thick, W - 1 particles across, held at the first two layers, with
gravity switched on at rest: beam (4 W - 1 long), cube, rod (30 W - 1 long), shell (10 W - 1 wide and long, W - 1 thick). Writes
DIR/elastic.json and DIR/elastic.md: milliseconds a step of the elastic part and of the whole step, iterations, set-up, peak
memory, how far the lowest particle has come, and what was equal and what was not. Nothing else should run meanwhile. A time
counts only where tips agree.
"""
import re
import sys

from splishsplash import call_ours, call_theirs, machine, options_of, parser_of, text_of, write_results  # first: it finds what follows
from run_files import RunError, read_json, read_statistics, run_tool
from run_folder import RunFolder

STEP, POISSON, THICKNESS = 0.002, 0.33, 0.5  # [s], 1, [m]
COLUMNS = ["case", "particles", "program", "solve", "elastic_ms", "step_ms", "iterations", "setup_s", "memory_MB", "tip_m"]
EQUAL = ("Equal: particles and their places, material (of Kee's corotated and Neo-Hookean methods where ours is the same), held layers, gravity, "
         "step, tolerance 1e-4 (relative residual; Kee's methods stop by the greatest change of a place instead, 1e-4 m or what stands behind the colon), "
         "cores, simulated time.")
UNEQUAL = ("Not equal: theirs searches neighbors and sums densities in every step, which its whole step holds and ours needs not; its "
           "pressure solve is off. Its volumes are by summation, ours are by --volumes. The elastic part of ours is the stages that find "
           "rotations and forces and solve (prepare, integrate_1, integrate_2). Elastic part and iterations are means over all steps on both "
           "sides; ours are of a second run of the same steps, in which each has a row of statistics, so that rows are in no whole step. "
           "Set-up: theirs initSystem, ours the clock of a run of one step, with its files, less that step. Memory: greatest resident set of "
           "the process, less that of a case of 135 particles.")


def counts_of(case):
    match = re.fullmatch(r"(beam|cube|rod|shell)_(\d+)", case)
    if not match or int(match[2]) < 3:
        raise RunError(f"'{case}' is no case; write beam_W, cube_W, rod_W or shell_W with W of 3 or more")
    shape, w = match[1], int(match[2])
    return {"beam": (4 * w - 1, w - 1, w - 1), "cube": (w - 1,) * 3, "rod": (30 * w - 1, w - 1, w - 1),
            "shell": (10 * w - 1, w - 1, 10 * w - 1)}[shape], THICKNESS / w


def theirs(options, method, counts, spacing, folder):
    result, averages, numbers, memory = call_theirs(
        options, "splishsplash_elastic.py",
        [method, ",".join(map(str, counts)), spacing, options.young, POISSON, STEP, options.steps * STEP], folder)
    if abs(result["held"]) > 1e-4 * THICKNESS:
        raise RunError(f"the held layers of {folder} moved by {result['held']} m: its keys were not taken")
    timers = [name for name in averages if re.fullmatch(r"Elasticity(_Peer2018)?", name)]  # each method has its own
    if len(timers) != 1:
        raise RunError(f"{folder}/stdout.txt has no one time of the elastic part but {timers}: of {', '.join(averages)}")
    return {"particles": result["particles"], "elastic_ms": averages[timers[0]], "step_ms": averages["SimStep"],
            "iterations": numbers.get("Elasticity - CG iterations", float("nan")), "setup_s": 1e-3 * averages.get("initSystem", float("nan")),
            "memory_MB": memory, "tip_m": result["tip"]}


def scene_of(options, solve, counts, spacing, steps, interval):
    """`interval`: steps from one row of statistics to the next."""
    lengths = [n * spacing for n in counts]  # y of theirs is up: z of ours
    size = [lengths[0], lengths[2], lengths[1]]
    system = {"name": "solid", "type": "elasticSph", "selfContact": False, "solve": solve, "volumes": options.volumes, "bodies": [
        {"name": "bar", "shape": "box", "start": [0, 0, 0], "end": size, "density0": 1000, "youngsModulus": options.young,
         "poissonRatio": POISSON, "alpha": options.alpha, "pinned": [{"box": [[0, 0, 0], [2 * spacing, size[1], size[2]]]}]}]}
    if options.material == "neoHookean":
        system["material"] = "neoHookean"
    return {"title": "A soft bar", "simulation": {"particleRadius": spacing / 2, "gravitation": [0, 0, -9.81], "timeStepSize": STEP,
                                                  "endTime": steps * STEP, "frameRate": 1 / (steps * STEP), "statisticsInterval": interval},
            "coupling": {"method": "none"}, "systems": [system]}


def ours(options, solve, counts, spacing, folder):
    """Three runs: one without rows for the time of a whole step, one with a row for each of the same steps, one of a single step."""
    no_rows = 1000000
    memory = {}
    for name, steps, interval in (("run", options.steps, no_rows), ("rows", options.steps, 1), ("one", 1, no_rows)):
        scene = scene_of(options, solve, counts, spacing, steps, interval)
        _, memory[name] = call_ours(options, scene, folder, name, ["--checkpoint-every", 1e9])
    summary, rows, one = [read_json(folder / name / "summary.json") for name in ("run", "rows", "one")]
    table = read_statistics(folder / "rows/statistics.csv", ["iterations_1"])
    if len(table["iterations_1"]) != options.steps:
        raise RunError(f"{folder}/rows/statistics.csv has {len(table['iterations_1'])} rows for {options.steps} steps: the scene's step was not kept")
    run = RunFolder(folder / "run")
    first, last = run.read(run.numbers[0]), run.read(run.numbers[-1])
    elastic = sum(rows["ms_per_step_stages"][name] for name in ("prepare", "integrate_1", "integrate_2"))
    return {"particles": len(first.points), "elastic_ms": elastic, "step_ms": summary["ms_per_step"],
            "iterations": float(table["iterations_1"].mean()), "setup_s": one["wall_time"] - 1e-3 * one["ms_per_step"],
            "memory_MB": memory["run"], "tip_m": float(last.points[:, 2].min() - first.points[:, 2].min())}


def main():
    parser = parser_of(__doc__, "elastic_beside_splishsplash")
    parser.add_argument("--cases", default="beam_10,cube_21,beam_16,cube_33,beam_26")
    parser.add_argument("--theirs", default="kugelstadt", help="methods of splishsplash_elastic.py, with commas; or none")
    parser.add_argument("--ours", default="auto,preconditioned,conjugateGradient", help="values of solve, with commas")
    parser.add_argument("--young", type=float, default=1e6, help="[Pa]")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--volumes", default="summation", help="of Merganser: summation, as theirs, or mass")
    parser.add_argument("--alpha", type=float, default=1, help="zero-energy control of Merganser; theirs is 1")
    parser.add_argument("--material", default="corotated", help="of Merganser: corotated or neoHookean")
    options = options_of(parser)
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
    about = {**machine(), "young": options.young, "steps": options.steps, "volumes": options.volumes, "alpha": options.alpha,
             "material": options.material}
    settings = (f"E = {options.young:g} Pa, {options.steps} steps of {1e3 * STEP:g} ms, nu = {POISSON}; ours: volumes {options.volumes}, "
                f"alpha {options.alpha:g}, {options.material}")
    write_results(options, "elastic", "Soft bodies beside SPlisHSPlasH", about, settings, COLUMNS, rows, EQUAL, UNEQUAL)


if __name__ == "__main__":
    run_tool("elastic_beside_splishsplash.py", main)
