#!/usr/bin/env python3
"""Runs the same dam break by SPlisHSPlasH and by Merganser, one after the other on the same cores, and tabulates both.

    build/venv/bin/python tools/benchmark/beside_splishsplash.py --python ENV/bin/python [-o DIR] [--spacing 0.01] [--end 0.3]
        [--methods dfsph,sph] [--theirs dfsph] [--tolerance 0.01] [--viscosity 0.01] [--repeat 1] [--merganser PATH] [--set systems.0.key=VALUE]...

ENV is a Python environment with the wheel `pysplishsplash` (2.19.0; where its bundled GL library does not start, link it to the
system's). Column 0.5 m long, 0.4 m high, 0.5 m wide (less the layers that their block leaves out) in a tank of 1.5 x 1 x 0.5 m. Writes DIR/beside.json and DIR/beside.md: particles,
steps, milliseconds a step, iterations a step, particle-steps a second, seconds a simulated second, front (largest x), height at the wall of 99 % of the particles there, mean compression at the
end, and what was equal and what was not. Nothing else should run meanwhile. A time counts only where front and height agree.
"""
import argparse
import numpy as np

from splishsplash import call_ours, call_theirs, machine, options_of, parser_of, write_results  # first: it finds what follows
from run_files import read_json, read_statistics, run_tool
from run_folder import RunFolder
from splishsplash_dam_break import height_at_wall

COLUMN, TANK = (0.5, 0.4, 0.5), (1.5, 1.0, 0.5)  # [m] length, height, width
COLUMNS = ["program", "method", "particles", "steps", "ms_per_step", "iterations", "particle_steps_per_second", "seconds_per_second",
           "front", "height", "mean_compression_percent"]
EQUAL = ("Equal: particles and their places, tank, gravity, rest density, walls by volume maps that slip, tolerance of the mean compression "
         "(DFSPH), its viscosity, cores.")
UNEQUAL = ("Not equal: theirs stores neighbor lists in single precision with a cubic spline of support 4 radii, limits steps by "
           "0.5 diameters (0.4 for WCSPH); ours has the kernel and step limit of the scene in the folder, and our WCSPH its artificial "
           "viscosity. Both columns start a layer off the walls: without viscosity water shoots up the corners as that gap closes (0.45 m "
           "in theirs, 0.43 in ours, spacing 0.02). Writing frames is in neither time but for ours at the start and end.")


def theirs(options, method, folder):
    sizes = ",".join(str(x) for x in COLUMN + TANK)
    result, _, _, _ = call_theirs(options, "splishsplash_dam_break.py",
                                  [method, options.end, options.spacing, sizes, options.tolerance, options.viscosity], folder)
    return row("SPlisHSPlasH", method, result["particles"], result["steps"], result["wall_seconds"], result["iterations"],
               result["time"], result["front"], result["height"], result["mean_density_error_percent"])


def column_corners(spacing):
    """Corners [m] of a box (z up) that is sampled to the very particles of their block: a layer off the walls."""
    counts = [round(size / spacing) - missing for size, missing in zip(COLUMN, (1, 1, 2))]
    length, height, width = [spacing * (1 + count) for count in counts]
    return [spacing] * 3, [length, width, height]


def ours(options, method, folder):
    start, end = column_corners(options.spacing)
    scene = {
        "title": f"Dam break, {method}",
        "simulation": {"particleRadius": options.spacing / 2, "gravitation": [0, 0, -9.81], "endTime": options.end, "maxTimeStepSize": 0.005,
                       "frameRate": 1 / options.end},
        "systems": [{"name": "water", "type": method, "density0": 1000,
                     "bodies": [{"name": "column", "shape": "box", "start": start, "end": end}]}],
        "walls": [{"shape": "box", "low": [0, 0, 0], "high": [TANK[0], TANK[2], TANK[1]], "inside": True}],
        "checks": [{"type": "finite"}]}
    if method == "dfsph":
        scene["systems"][0].update({"maxDensityError": options.tolerance / 100, "viscosity": options.viscosity,
                                    "wallPressure": "mirrored"})  # walls by volume maps, as theirs
    call_ours(options, scene, folder, more=[part for value in options.set for part in ("--set", value)])
    run, summary = RunFolder(folder / "run"), read_json(folder / "run/summary.json")
    table = read_statistics(folder / "run/statistics.csv", ["iterations_1", "iterations_2"])
    frame = run.read(run.numbers[-1])
    x = frame.points[:, 0]
    compression = np.maximum(0, frame.require("density") / 1000 - 1)
    steps = len(table["time"])
    return row("Merganser", method, len(x), steps, 1e-3 * summary["ms_per_step"] * steps, float(np.mean(table["iterations_1"])), frame.time,
               float(x.max()), height_at_wall(frame.points[:, [0, 2]], options.spacing), 100 * float(compression.mean()))


def row(program, method, particles, steps, seconds, iterations, time, front, height, compression):
    return {"program": program, "method": method, "particles": particles, "steps": steps, "ms_per_step": 1e3 * seconds / steps,
            "iterations": iterations, "particle_steps_per_second": particles * steps / seconds, "seconds_per_second": seconds / time,
            "front": front, "height": height, "mean_compression_percent": compression, "time": time, "wall_seconds": seconds}


def main():
    parser = parser_of(__doc__, "beside_splishsplash")
    parser.add_argument("--spacing", type=float, default=0.01, help="[m]")
    parser.add_argument("--end", type=float, default=0.3, help="[s]")
    parser.add_argument("--methods", default="dfsph,sph", help="of Merganser")
    parser.add_argument("--theirs", default="dfsph", help="dfsph, wcsph or both, with a comma; or none")
    parser.add_argument("--tolerance", type=float, default=0.01, help="[%%] of the mean compression")
    parser.add_argument("--viscosity", type=float, default=0.01, help="[m^2/s] of theirs and of our DFSPH")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="change of Merganser's scene")
    options = options_of(parser)
    rows = []
    for _ in range(options.repeat):
        rows += [theirs(options, method, options.output / "splishsplash" / method) for method in options.theirs.split(",") if method != "none"]
        rows += [ours(options, method, options.output / "merganser" / method) for method in options.methods.split(",")]
    about = {**machine(), "spacing": options.spacing, "end": options.end, "tolerance": options.tolerance}
    write_results(options, "beside", "Dam break beside SPlisHSPlasH", about,
                  f"spacing {options.spacing} m, {options.end} s, tolerance {options.tolerance} %", COLUMNS, rows, EQUAL, UNEQUAL)


if __name__ == "__main__":
    run_tool("beside_splishsplash.py", main)
