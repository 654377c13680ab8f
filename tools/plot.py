#!/usr/bin/env python3
"""Plots a run's statistics.csv: energy ledger, momentum, contacts and groups, step size, wall time by stage.

    build/venv/bin/python tools/plot.py DIR [-o FOLDER]

The PNG files go to DIR/pictures/. Works while the run goes on.
"""
import argparse
import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

MOST_POINTS = 4000  # longer runs are thinned for the plot


def read_statistics(path):
    """{column: values}; a row that is still being written is left out."""
    try:
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
    except FileNotFoundError:
        sys.exit(f"plot: no {path}; give the folder that `merganser run -o DIR` wrote")
    header = rows[0] if rows else []
    table = []
    for row in rows[1:]:
        try:
            table.append([float({"true": 1, "false": 0}.get(v.lower(), v)) for v in row])
        except ValueError:
            continue
        if len(row) != len(header):
            table.pop()
    if not table:
        sys.exit(f"plot: {path} holds no finished step yet")
    if "time" not in header:
        sys.exit(f"plot: {path} has no column 'time'; its columns are {', '.join(header)}")
    values = np.array(table)
    return {name: values[:, i] for i, name in enumerate(header)}


def curves(axes, table, names, labels=None, **style):
    """Draws the columns that are there; says how many."""
    step = max(len(table["time"]) // MOST_POINTS, 1)
    drawn = 0
    for name, label in zip(names, labels or names):
        if name in table:
            axes.plot(table["time"][::step], table[name][::step], label=label, linewidth=1.4, **style)
            drawn += 1
    return drawn


def energy(axes, table):
    parts = [f"{kind}_energy" for kind in ("kinetic", "potential", "elastic", "dissipated")]
    drawn = curves(axes, table, parts, [p.split("_")[0] for p in parts])
    there = [p for p in parts if p in table]
    if there:
        total = dict(table, total=sum(table[p] for p in there))
        curves(axes, total, ["total"], color="black", linestyle="--")
    axes.set_ylabel("energy [J]")
    return drawn


def momentum(axes, table):
    drawn = curves(axes, table, [f"momentum_{a}" for a in "xyz"], list("xyz"))
    axes.set_ylabel("momentum [kg m/s]")
    return drawn


def angular_momentum(axes, table):
    drawn = curves(axes, table, [f"angular_momentum_{a}" for a in "xyz"], list("xyz"))
    axes.set_ylabel("angular momentum [kg m²/s]")
    return drawn


def contacts(axes, table):
    names = ["contacts", "groups", "largest_group", "ignored_contacts", "penetrations", "broken_bonds"]
    drawn = curves(axes, table, names, [n.replace("_", " ") for n in names])
    axes.set_yscale("symlog")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("count")
    return drawn


def step_size(axes, table):
    drawn = curves(axes, table, ["dt"], ["step size"])
    axes.set_ylabel("step size [s]")
    if (table.get("dt", np.zeros(1)) > 0).all():
        axes.set_yscale("log")
    return drawn


def stages(axes, table):
    """Stacked wall time a step, averaged over short spans."""
    names = [n for n in table if n.startswith("ms_") or n.endswith("_ms")]
    if not names:
        return 0
    bins = np.array_split(np.arange(len(table["time"])), min(len(table["time"]), 200))
    time = [table["time"][b].mean() for b in bins]
    heights = [[table[n][b].mean() for b in bins] for n in names]
    axes.stackplot(time, heights, labels=[n.removeprefix("ms_").removesuffix("_ms").replace("_", " ") for n in names],
                   colors=plt.get_cmap("tab20").colors)
    axes.set_ylabel("wall time [ms/step]")
    return len(names)


PLOTS = {"energy": energy, "momentum": momentum, "angular_momentum": angular_momentum, "contacts": contacts,
         "step_size": step_size, "stages": stages}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=Path)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    table = read_statistics(arguments.folder / "statistics.csv")
    output = arguments.output or arguments.folder / "pictures"
    output.mkdir(parents=True, exist_ok=True)
    for name, draw in PLOTS.items():
        figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
        if draw(axes, table):
            axes.set_xlabel("time [s]")
            axes.grid(alpha=0.25)
            axes.spines[["top", "right"]].set_visible(False)
            axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
            path = output / f"plot_{name}.png"
            figure.savefig(path, dpi=120)
            print(path)
        plt.close(figure)


if __name__ == "__main__":
    main()
