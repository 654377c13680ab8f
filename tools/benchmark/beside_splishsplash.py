#!/usr/bin/env python3
"""Runs the same dam break by SPlisHSPlasH and by Merganser, one after the other on the same cores, and tabulates both.

    build/venv/bin/python tools/benchmark/beside_splishsplash.py --python ENV/bin/python [-o DIR] [--spacing 0.01] [--end 0.3]
        [--methods dfsph,sph] [--theirs dfsph] [--tolerance 0.01] [--viscosity 0.01] [--repeat 1] [--merganser PATH] [--set systems.0.key=VALUE]...

ENV is a Python environment with the wheel `pysplishsplash` (2.19.0; where its bundled GL library does not start, link it to the
system's). Column 0.5 m long, 0.4 m high, 0.5 m wide (less the layers that their block leaves out) in a tank of 1.5 x 1 x 0.5 m. Writes DIR/beside.json and DIR/beside.md: particles,
steps, milliseconds a step, iterations a step, seconds a simulated second, front (largest x), height at the wall, mean compression at the
end, and what was equal and what was not. Nothing else should run meanwhile. A time counts only where front and height agree.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from run_files import RunError, read_json, read_statistics, run_tool  # noqa: E402
from run_folder import RunFolder  # noqa: E402

COLUMN, TANK = (0.5, 0.4, 0.5), (1.5, 1.0, 0.5)  # [m] length, height, width
COLUMNS = ["program", "method", "particles", "steps", "ms_per_step", "iterations", "seconds_per_second", "front", "height",
           "mean_compression_percent"]
EQUAL = ("Equal: particles and their places, tank, gravity, rest density, walls by volume maps that slip, tolerance of the mean compression "
         "(DFSPH), its viscosity, cores.")
UNEQUAL = ("Not equal: theirs stores neighbor lists in single precision with a cubic spline of support 4 radii, limits steps by "
           "0.5 diameters (0.4 for WCSPH); ours has the kernel and step limit of the scene in the folder, and our WCSPH its artificial "
           "viscosity. Both columns start a layer off the walls: without viscosity water shoots up the corners as that gap closes (0.45 m "
           "in theirs, 0.43 in ours, spacing 0.02). Writing frames is in neither time but for ours at the start and end.")


def call(command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RunError(f"'{' '.join(str(part) for part in command[:3])} ...' ended with {done.returncode}: {done.stderr[-400:]}")
    return done.stdout


def theirs(options, method, folder):
    folder.mkdir(parents=True, exist_ok=True)
    sizes = ",".join(str(x) for x in COLUMN + TANK)
    script = Path(__file__).with_name("splishsplash_dam_break.py")
    out = call([options.python, script, method, options.end, options.spacing, sizes, options.tolerance, options.viscosity], cwd=folder)
    result = json.loads([line for line in out.splitlines() if line.startswith("{")][-1])
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
        "simulation": {"particleRadius": options.spacing / 2, "gravitation": [0, 0, -9.81], "endTime": options.end,
                       "frameRate": 1 / options.end},
        "systems": [{"name": "water", "type": method, "density0": 1000,
                     "bodies": [{"name": "column", "shape": "box", "start": start, "end": end}]}],
        "walls": [{"shape": "box", "low": [0, 0, 0], "high": [TANK[0], TANK[2], TANK[1]], "inside": True}],
        "checks": [{"type": "finite"}]}
    if method == "dfsph":
        scene["systems"][0].update({"maxDensityError": options.tolerance / 100, "viscosity": options.viscosity})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dam_break.json").write_text(json.dumps(scene, indent=1))
    sets = [part for value in options.set for part in ("--set", value)]
    call([options.merganser, "run", folder / "dam_break.json", "-o", folder / "run", "--device", options.device, "--overwrite", "--quiet", *sets])
    run, summary = RunFolder(folder / "run"), read_json(folder / "run/summary.json")
    table = read_statistics(folder / "run/statistics.csv", ["iterations_1", "iterations_2"])
    frame = run.read(run.numbers[-1])
    x, z = frame.points[:, 0], frame.points[:, 2]
    compression = np.maximum(0, frame.require("density") / 1000 - 1)
    steps = len(table["time"])
    return row("Merganser", method, len(x), steps, 1e-3 * summary["ms_per_step"] * steps, float(np.mean(table["iterations_1"])), frame.time,
               float(x.max()), float(z[x < 2 * options.spacing].max()), 100 * float(compression.mean()))


def row(program, method, particles, steps, seconds, iterations, time, front, height, compression):
    return {"program": program, "method": method, "particles": particles, "steps": steps, "ms_per_step": 1e3 * seconds / steps,
            "iterations": iterations, "seconds_per_second": seconds / time, "front": front, "height": height,
            "mean_compression_percent": compression, "time": time, "wall_seconds": seconds}


def text_of(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table_of(rows, about):
    lines = ["# Dam break beside SPlisHSPlasH", "", f"{about['machine']}, {about['cores']} cores; spacing {about['spacing']} m, "
             f"{about['end']} s, tolerance {about['tolerance']} %.", "", "| " + " | ".join(COLUMNS) + " |", "| --- " * len(COLUMNS) + "|"]
    lines += ["| " + " | ".join(text_of(r[c]) for c in COLUMNS) + " |" for r in rows]
    return "\n".join(lines + ["", EQUAL, "", UNEQUAL, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="Python that has the wheel pysplishsplash")
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/beside_splishsplash"))
    parser.add_argument("--spacing", type=float, default=0.01, help="[m]")
    parser.add_argument("--end", type=float, default=0.3, help="[s]")
    parser.add_argument("--methods", default="dfsph,sph", help="of Merganser")
    parser.add_argument("--theirs", default="dfsph", help="dfsph, wcsph or both, with a comma")
    parser.add_argument("--tolerance", type=float, default=0.01, help="[%%] of the mean compression")
    parser.add_argument("--viscosity", type=float, default=0.01, help="[m^2/s] of theirs and of our DFSPH")
    parser.add_argument("--repeat", type=int, default=1, help="times each, in turn")
    parser.add_argument("--device", default="cpu", help="of Merganser")
    parser.add_argument("--merganser", type=Path, default=ROOT / "build/cpu/bin/merganser")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="change of Merganser's scene")
    options = parser.parse_args()
    options.python = Path(options.python).absolute()  # not resolved: a link into an environment names the environment
    for program in (options.python, options.merganser):
        if not program.exists():
            raise RunError(f"there is no '{program}'; name it by --{'merganser' if program == options.merganser else 'python'}")
    rows = []
    for _ in range(options.repeat):
        rows += [theirs(options, method, options.output / "splishsplash" / method) for method in options.theirs.split(",")]
        rows += [ours(options, method, options.output / "merganser" / method) for method in options.methods.split(",")]
    about = {"machine": platform.processor() or platform.machine(), "cores": os.cpu_count(), "spacing": options.spacing,
             "end": options.end, "tolerance": options.tolerance}
    text = table_of(rows, about)
    (options.output / "beside.json").write_text(json.dumps({"about": about, "rows": rows, "equal": EQUAL, "not_equal": UNEQUAL}, indent=1))
    (options.output / "beside.md").write_text(text)
    print(text)


if __name__ == "__main__":
    run_tool("beside_splishsplash.py", main)
