#!/usr/bin/env python3
"""Runs one scene under every contact method and puts the runs side by side, as [MS] Fig. 3 to 5 do.

    build/venv/bin/python tools/compare_contacts.py SCENE.json [-o DIR] [--resolution R] [--stiffness 0.1,1,10]
                                                    [--set path.to.key=VALUE]... [--merganser PATH] [--reuse]

Writes DIR/<method>/ (one run each), comparison.csv, comparison.md and comparison.png. Penalty and SPH forces run once per
stiffness; each is a factor of the scene's coupling.stiffness, or with a unit (20kPa, 2e5Pa) the stiffness itself. All runs take the steps that
the scene asks for: no method gets a smaller one.

A run that diverges (exit code 4) or fails a check of the scene (6) is a row like any other, as far as it came. Runs that ended are taken as they are with --reuse,
if scene and step are the same; otherwise DIR must not hold runs. A run stopped on a signal stops the tool.

Columns: crossings, by the counter of the scene's noCrossing or reportCrossings check (empty without one); deepest overlap of
a pair, as a share of the sum of its radii; largest energy rise in a step as a share of the kinetic energy, measured as the check energyRise
measures it; largest speed; bonds broken before a pair first overlapped by more than a quarter (half a radius of equal particles);
median time a step; how the run ended and when.
"""
import argparse
import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from plot_curves import MOST_POINTS
from run_files import NoRows, read_json, read_statistics, run_tool

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ["method", "stiffness_Pa", "crossings", "deepest_overlap", "largest_energy_rise", "largest_speed",
           "bonds_broken_before_half_radius", "ms_per_step", "exit_reason", "end_time"]
STATISTICS = ["kinetic_energy", "potential_energy", "elastic_energy", "crossings", "deepest_overlap", "max_speed", "broken_bonds"]
DIVERGED, CHECK_FAILED, STOPPED = 4, 6, 75
HALF_A_RADIUS = 0.25  # of the sum of two equal radii


class CompareError(Exception):
    pass


def stiffnesses(text, scene_stiffness):
    """[(label, Pa)]; three factors are called weak, medium, strong."""
    words = text.split(",")
    names = ["weak", "medium", "strong"] if len(words) == 3 else words
    values = []
    for word in words:
        found = re.fullmatch(r"([0-9.eE+-]+)(Pa|kPa|MPa)?", word.strip())
        try:
            number = float(found.group(1))
            assert number > 0
        except (AttributeError, ValueError, AssertionError):
            raise CompareError(f"--stiffness {text}: '{word}' is not allowed; give positive factors such as 0.1,1,10 or pressures "
                               "such as 20kPa,200kPa,2MPa") from None
        unit = found.group(2)
        values.append(number * ({"Pa": 1, "kPa": 1e3, "MPa": 1e6}[unit] if unit else scene_stiffness))
    return list(zip((name.strip() for name in names), values))


def baselines(text, scene_stiffness):
    """[(name, coupling.method, stiffness or None)] of all runs but mergingAndSplitting's."""
    forces = [(f"{method}_{label}", method, value) for method in ("penalty", "sphForce")
              for label, value in stiffnesses(text, scene_stiffness)]
    return [*forces, ("impulses", "impulses", None), ("none", "none", None)]


def start(command):
    """Runs a command; its standard error is shown where it fails for another reason than the physics."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, DIVERGED, CHECK_FAILED):
        why = "was stopped" if done.returncode == STOPPED or done.returncode < 0 else f"ended with exit code {done.returncode}"
        raise CompareError(f"a run {why}: {' '.join(command)}\n{done.stderr.strip()}")
    return done


def run_case(arguments, common, folder, method, stiffness):
    change = [f"coupling.method={method}"] + (["coupling.reportOverlap=true"] if method == "none" else []) + ([f"coupling.stiffness={stiffness!r}"] if stiffness is not None else [])
    command = [str(arguments.merganser), "run", str(arguments.scene), "-o", str(folder), "--quiet", *common]
    command += [part for entry in change for part in ("--set", entry)]
    note = folder.with_name(folder.name + ".json")  # written by this tool alone: what it began here, and whether that ended
    begun = read_json(note, "remove it and the run beside it") if note.exists() else {}
    if begun and arguments.reuse and begun.get("command") != command:
        raise CompareError(f"{folder} holds a run of another command; give another -o, or remove it")
    if begun.get("ended") and arguments.reuse and folder.exists():
        return
    if folder.exists():
        if not (begun and arguments.reuse):
            raise CompareError(f"{folder} exists; give another -o, or --reuse to take runs that ended and repeat the others")
        shutil.rmtree(folder)
    note.write_text(json.dumps({"command": command, "ended": False}))
    start(command)
    note.write_text(json.dumps({"command": command, "ended": True}))


def energy_rise(table):
    """The largest rise of the total energy in a step over the larger kinetic energy of its two ends."""
    total = table["kinetic_energy"] + table["potential_energy"] + table["elastic_energy"]
    rise, kinetic = np.diff(total), np.maximum(table["kinetic_energy"][1:], table["kinetic_energy"][:-1])
    shares = np.divide(rise, kinetic, out=np.full_like(rise, np.inf), where=kinetic > 0)
    return float(max(np.where(rise > 0, shares, 0), default=0))


def broken_before_overlap(table):
    deep = np.flatnonzero(table["deepest_overlap"] > HALF_A_RADIUS)
    return int(table["broken_bonds"][deep[0] if len(deep) else -1])


def read_run_scene(folder):
    path = folder / "scene.json"
    scene = read_json(path)
    coupling, checks = scene.get("coupling"), scene.get("checks", [])
    if (not isinstance(coupling, dict) or not isinstance(coupling.get("stiffness"), (int, float)) or "method" not in coupling
            or not isinstance(checks, list)):
        raise CompareError(f"{path} has no coupling with method and stiffness, or no list of checks; run the scene again")
    return scene


def measure(name, folder):
    """(row of the comparison, statistics or None where the first step diverged)"""
    summary = read_json(folder / "summary.json")
    scene = read_run_scene(folder)
    coupling = scene["coupling"]
    row = dict.fromkeys(COLUMNS, "") | {
        "method": name, "exit_reason": summary.get("exit_reason", "unknown"),
        "stiffness_Pa": coupling["stiffness"] if coupling["method"] in ("penalty", "sphForce") else ""}
    counted = any("sheet" in check for check in scene.get("checks", []))
    try:
        table = read_statistics(folder / "statistics.csv", STATISTICS)
    except NoRows:
        return row, None
    stages = sum(values for column, values in table.items() if column.startswith("ms_"))
    row |= {
        "crossings": int(table["crossings"].max()) if counted else "",
        "deepest_overlap": float(table["deepest_overlap"].max()),
        "largest_energy_rise": energy_rise(table),
        "largest_speed": float(table["max_speed"].max()),
        "bonds_broken_before_half_radius": broken_before_overlap(table),
        "ms_per_step": float(np.median(stages)),
        "end_time": float(table["time"][-1]),
    }
    return row, table


def text_of(value):
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def write_tables(rows, folder, title):
    with open(folder / "comparison.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    lines = [f"# Contact methods: {title}", "", "| " + " | ".join(c.replace("_", " ") for c in COLUMNS) + " |",
             "|" + " --- |" * len(COLUMNS)]
    lines += ["| " + " | ".join(text_of(row[c]) for c in COLUMNS) + " |" for row in rows]
    lines += ["", "Deepest overlap: share of the sum of two radii. Energy rise: the largest in a step, share of the kinetic energy. Speed: m/s. "
              "Time: s of simulation.", "", "![comparison](comparison.png)", ""]
    (folder / "comparison.md").write_text("\n".join(lines))


def draw(runs, folder, title):
    panels = [("crossings", "crossings", "symlog"), ("deepest_overlap", "deepest overlap", "linear"),
              ("kinetic_energy", "kinetic energy [J]", "log")]
    figure, axes = plt.subplots(3, 1, figsize=(9, 10), sharex=True, layout="constrained")
    colors = {"mergingAndSplitting": "black", "impulses": "tab:green", "none": "tab:gray"}
    for name, table in runs:
        method, _, label = name.partition("_")
        labels = [n.partition("_")[2] for n, _ in runs if n.startswith(method + "_")]
        shade = 0.4 + 0.5 * labels.index(label) / max(len(labels) - 1, 1) if label else 0
        color = colors.get(method) or plt.get_cmap("Oranges" if method == "penalty" else "Blues")(shade)
        thin = max(len(table["time"]) // MOST_POINTS, 1)
        for axis, (column, _, _) in zip(axes, panels):
            axis.plot(table["time"][::thin], table[column][::thin], color=color, label=name.replace("_", ", "),
                      linewidth=2 if method == "mergingAndSplitting" else 1.2)
    for axis, (_, label, scale) in zip(axes, panels):
        axis.set_ylabel(label)
        axis.set_yscale(scale)
        axis.grid(alpha=0.25)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylim(bottom=0)
    axes[0].set_title(title)
    axes[-1].set_xlabel("time [s]")
    axes[1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(folder / "comparison.png", dpi=120)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", type=Path, metavar="SCENE.json")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", default=Path("runs/compare_contacts"))
    parser.add_argument("--resolution", help="as of `merganser run`")
    parser.add_argument("--end-time", help="as of `merganser run`")
    parser.add_argument("--device", help="as of `merganser run`")
    parser.add_argument("--stiffness", default="0.1,1,10", help="factors of the scene's, or pressures (default: %(default)s)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as of `merganser run`")
    parser.add_argument("--merganser", type=Path, metavar="PATH", help="the executable (default: the build's)")
    parser.add_argument("--reuse", action="store_true", help="take runs in DIR that ended; run the others")
    arguments = parser.parse_args()
    if not arguments.merganser:
        builds = [ROOT / "build" / preset / "bin" / "merganser" for preset in ("cuda", "cpu")]
        arguments.merganser = next((path for path in builds if path.exists()), None)
        if not arguments.merganser:
            raise CompareError("no executable under build/; build it (README.md) or name it with --merganser")
    common = [part for option, value in (("--resolution", arguments.resolution), ("--end-time", arguments.end_time),
                                         ("--device", arguments.device)) if value for part in (option, value)]
    common += [part for change in arguments.set for part in ("--set", change)]
    arguments.output.mkdir(parents=True, exist_ok=True)
    stiffnesses(arguments.stiffness, 1)  # wrong words end the tool before the first run
    rows, runs = [], []

    def add(name, method, stiffness=None):
        print(f"{name} ...", file=sys.stderr, flush=True)
        folder = arguments.output / name
        run_case(arguments, common, folder, method, stiffness)
        row, table = measure(name, folder)
        rows.append(row)
        if table:
            runs.append((name, table))
        return read_run_scene(folder)

    scene = add("mergingAndSplitting", "mergingAndSplitting")
    title = scene.get("title") or arguments.scene.stem
    for case in baselines(arguments.stiffness, scene["coupling"]["stiffness"]):
        add(*case)
    write_tables(rows, arguments.output, title)
    draw(runs, arguments.output, title)
    print((arguments.output / "comparison.md").read_text())


if __name__ == "__main__":
    try:
        run_tool("compare_contacts", main)
    except CompareError as error:
        sys.exit(f"compare_contacts: {error}")
    except KeyboardInterrupt:
        sys.exit("compare_contacts: stopped; --reuse takes the runs that ended")
