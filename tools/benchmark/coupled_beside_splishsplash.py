#!/usr/bin/env python3
"""Runs a soft cube that falls into water by SPlisHSPlasH and by Merganser, one after the other on the same cores, and tabulates both.

    build/venv/bin/python tools/benchmark/coupled_beside_splishsplash.py --python ENV/bin/python [-o DIR] [--spacing 0.02] [--end 0.3]
        [--young 5e4] [--density 500] [--tolerance 0.01] [--viscosity 0.01] [--repeat 1] [--merganser PATH] [--set systems.water.KEY=VALUE]...

ENV: as for beside_splishsplash.py. A tank of 1.2 x 0.8 x 1.2 m, water 0.5 m deep, a cube of 0.3 m that starts at rest just above it; DFSPH over both,
elasticity as a force between its solves ([ES] algorithm 1). (One cube: with two, in one system or in two, the wheel of 2.19.0 crashes in its
first step.) Writes DIR/coupled.json and DIR/coupled.md: milliseconds a step, iterations, seconds a simulated second, and the mean heights of
cube and water at the end. Nothing else should run meanwhile. A time counts only where the cube's height above the water's agrees.
"""
import json

import numpy as np

from splishsplash import call_ours, call_theirs, machine, options_of, parser_of, write_results  # first: it finds what follows
from run_files import read_json, read_statistics, run_tool
from run_folder import RunFolder

TANK, DEPTH, SIDE = (1.2, 0.8, 1.2), 0.5, 0.3  # [m], z up
LONGEST_STEP = 0.002  # [s]
COLUMNS = ["program", "particles", "steps", "ms_per_step", "iterations", "seconds_per_second", "particle_steps_per_second", "cube_m",
           "water_m", "cube_above_water_m"]
EQUAL = ("Equal: particles and their places, densities, Young's modulus, Poisson's ratio, zero-energy control 1, volumes by summation, tank by "
         "volume maps that slip, gravity, tolerance of the mean compression, viscosity of the water, longest step, cores.")
UNEQUAL = ("Not equal: theirs limits steps by 0.5 diameters over the speed, ours by 0.4; their elastic step is split with one factor of the "
           "stretching part, ours is solved as one (`solve: auto`, tolerance 1e-4). Their particles keep a spacing off the faces of the volume map, so "
           "our tank is a spacing narrower on every side: water is at rest from the start in both.")


def case_of(options):
    """spacing, tank; water and cube: place of the first particle and particles along x, y, z."""
    d = options.spacing
    along = [round(x / d) - 2 for x in TANK[:2]] + [round(DEPTH / d) - 1]  # a layer off the walls, as their blocks have it
    side = round(SIDE / d)
    first = [(round(0.5 * (n - side)) + 1.5) * d for n in along[:2]] + [(along[2] + 2) * d]
    return {"spacing": d, "tank": TANK, "end": options.end, "tolerance": options.tolerance, "viscosity": options.viscosity,
            "longest_step": LONGEST_STEP, "youngsModulus": options.young, "poissonRatio": 0.35,
            "water": {"first": [1.5 * d] * 3, "counts": along},
            "cube": {"density0": options.density, "first": first, "counts": [side] * 3}}


def theirs(options, case):
    folder = options.output / "splishsplash"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.json").write_text(json.dumps(case))
    result, _, _, _ = call_theirs(options, "splishsplash_coupled.py", [folder / "case.json"], folder)
    return row("SPlisHSPlasH", result, result["wall_seconds"])


def box(part, spacing):
    """The box whose lattice these particles are."""
    start = [x - spacing / 2 for x in part["first"]]
    return {"shape": "box", "start": start, "end": [x + n * spacing for x, n in zip(start, part["counts"])]}


def ours(options, case):
    d = case["spacing"]
    cube = {"name": "cube", **box(case["cube"], d), "density0": case["cube"]["density0"], "youngsModulus": case["youngsModulus"],
            "poissonRatio": case["poissonRatio"], "alpha": 1}
    scene = {
        "title": "A soft cube in water",
        "simulation": {"particleRadius": d / 2, "gravitation": [0, 0, -9.81], "endTime": case["end"], "frameRate": 1 / case["end"],
                       "maxTimeStepSize": case["longest_step"]},
        "coupling": {"method": "none"},
        "systems": [{"name": "soft", "type": "elasticSph", "volumes": "summation", "bodies": [cube]},
                    {"name": "water", "type": "dfsph", "density0": 1000, "viscosity": case["viscosity"], "coupledTo": ["soft"], "wallPressure": "mirrored",
                     "smoothingLengthFactor": 1, "kernel": "cubicSpline",  # theirs
                     "maxDensityError": case["tolerance"] / 100, "bodies": [{"name": "pool", **box(case["water"], d)}]}],
        "walls": [{"shape": "box", "low": [d] * 3, "high": [x - d for x in TANK], "inside": True}],
        "checks": [{"type": "finite"}]}
    folder = options.output / "merganser"
    call_ours(options, scene, folder, more=[part for value in options.set for part in ("--set", value)])
    run, summary = RunFolder(folder / "run"), read_json(folder / "run/summary.json")
    table = read_statistics(folder / "run/statistics.csv", ["iterations_1"])
    frame = run.read(run.numbers[-1])
    z, soft = frame.points[:, 2], frame.require("id") < int(np.prod(case["cube"]["counts"]))  # the soft system comes first
    steps = len(table["time"])
    result = {"particles": len(frame.points), "steps": steps, "iterations": float(np.mean(table["iterations_1"])), "time": frame.time,
              "mean": float(z[soft].mean()), "water": float(z[~soft].mean())}
    return row("Merganser", result, 1e-3 * summary["ms_per_step"] * steps)


def row(program, result, seconds):
    return {"program": program, "particles": result["particles"], "steps": result["steps"], "ms_per_step": 1e3 * seconds / result["steps"],
            "iterations": result["iterations"], "seconds_per_second": seconds / result["time"],
            "particle_steps_per_second": result["particles"] * result["steps"] / seconds, "cube_m": result["mean"],
            "water_m": result["water"], "cube_above_water_m": result["mean"] - result["water"]}


def main():
    parser = parser_of(__doc__, "coupled_beside_splishsplash")
    parser.add_argument("--spacing", type=float, default=0.02, help="[m]")
    parser.add_argument("--end", type=float, default=0.3, help="[s]")
    parser.add_argument("--young", type=float, default=5e4, help="[Pa]")
    parser.add_argument("--density", type=float, default=500, help="[kg/m^3] of the cube")
    parser.add_argument("--tolerance", type=float, default=0.01, help="[%%] of the mean compression")
    parser.add_argument("--viscosity", type=float, default=0.01, help="[m^2/s] of the water")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="change of Merganser's scene")
    options = options_of(parser)
    case = case_of(options)
    rows = [run(options, case) for _ in range(options.repeat) for run in (theirs, ours)]
    write_results(options, "coupled", "A soft cube in water beside SPlisHSPlasH", {**machine(), **case},
                  f"spacing {options.spacing} m, {options.end} s, tolerance {options.tolerance} %, E = {options.young:g} Pa", COLUMNS, rows,
                  EQUAL, UNEQUAL)


if __name__ == "__main__":
    run_tool("coupled_beside_splishsplash.py", main)
