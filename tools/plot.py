#!/usr/bin/env python3
"""Plots a run's statistics.csv: energies, energy and momentum ledger, contacts and groups, step size, wall time by stage;
and its probes.csv where it has one: a plot for each quantity.

    build/venv/bin/python tools/plot.py DIR [-o FOLDER]

The PNG files go to DIR/pictures/. Works while the run goes on.
"""
import argparse
import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from run_files import read_probes, read_statistics, run_tool

MOST_POINTS = 4000  # longer runs are thinned for the plot


def curves(axes, table, names, labels=None, **style):
    """Draws the columns that are there; says how many."""
    step = max(len(table["time"]) // MOST_POINTS, 1)
    drawn = 0
    for name, label in zip(names, labels or names):
        if name in table:
            axes.plot(table["time"][::step], table[name][::step], label=label, linewidth=1.4, **style)
            drawn += 1
    return drawn


SINKS = ["merging", "synchronization", "damping", "integration", "fracture", "walls"]
IMPULSES = {"wall_impulse": "--", "external_impulse": ":", "gravity_impulse": "-.", "momentum_residual": (0, (1, 4))}


def energy(axes, table):
    """The energies, their sum, and the sum with all that was dissipated and without the work put in."""
    parts = [p for p in ("kinetic_energy", "potential_energy", "elastic_energy") if p in table]
    drawn = curves(axes, table, [*parts, "virtual_bond_energy"], [*(p.split("_")[0] for p in parts), "virtual bonds"])
    if parts:
        total = sum(table[p] for p in parts)
        sinks = [f"dissipated_{s}" for s in SINKS if f"dissipated_{s}" in table] or [n for n in ["dissipated_energy"] if n in table]
        closed = total + sum(table[n] for n in sinks) - table.get("external_work", 0) - table.get("unobserved_energy", 0)
        curves(axes, dict(table, total=total), ["total"], color="black")
        curves(axes, dict(table, closed=closed), ["closed"], ["total + dissipated - work"], color="black", linestyle="--")
    axes.set_ylabel("energy [J]")
    return drawn


def energy_ledger(axes, table):
    """What was dissipated since the beginning, where, and what no entry accounts for."""
    drawn = curves(axes, table, [f"dissipated_{s}" for s in SINKS] + ["external_work"], SINKS + ["work put in"])
    if np.any(table.get("unobserved_energy", 0)):  # rows every few steps
        curves(axes, table, ["unobserved_energy"], ["steps without a row"], linestyle=":")
    curves(axes, table, ["energy_residual"], ["residual"], color="black", linestyle="--")
    axes.set_ylabel("dissipated since the beginning [J]")
    return drawn


def momentum(axes, table):
    drawn = curves(axes, table, [f"momentum_{a}" for a in "xyz"], list("xyz"))
    axes.set_ylabel("momentum [kg m/s]")
    return drawn


def momentum_ledger(axes, table):
    """Impulses since the first row; gravitation's is what the others leave. Axes on which little happens are left out."""
    changes = {}
    for axis in "xyz":
        change = {n: table[f"{n}_{axis}"] - table[f"{n}_{axis}"][0] for n in ("momentum", *IMPULSES) if f"{n}_{axis}" in table}
        if len(change) == len(IMPULSES):
            unobserved = table.get(f"unobserved_momentum_{axis}", np.zeros(1))
            change["gravity_impulse"] = (change["momentum"] - (unobserved - unobserved[0])
                                         - sum(v for n, v in change.items() if n != "momentum"))
            changes[axis] = change
    size = {axis: max(np.abs(v).max() for v in change.values()) for axis, change in changes.items()}
    drawn = 0
    for (axis, change), color in zip(changes.items(), plt.get_cmap("tab10").colors):
        if size[axis] < 0.01 * max(size.values()):
            continue
        for name, style in {"momentum": "-", **IMPULSES}.items():
            label = f"{name.replace('_', ' ')} {axis}"
            drawn += curves(axes, dict(table, **{label: change[name]}), [label], color=color, linestyle=style)
    axes.set_ylabel("change of momentum, impulses [N s]")
    return drawn


def angular_momentum(axes, table):
    drawn = curves(axes, table, [f"angular_momentum_{a}" for a in "xyz"], list("xyz"))
    axes.set_ylabel("angular momentum [kg m²/s]")
    return drawn


def contacts(axes, table):
    names = ["contacts", "groups", "largest_group", "ignored_contacts", "crossings", "broken_bonds"]
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


PLOTS = {"energy": energy, "energy_ledger": energy_ledger, "momentum": momentum, "momentum_ledger": momentum_ledger,
         "angular_momentum": angular_momentum, "contacts": contacts, "step_size": step_size, "stages": stages}


PROBED = {"pressure": "Pa", "density": "kg/m³", "velocity": "m/s", "level": "m", "flow": "m³/s", "position": "m", "force": "N",
          "torque": "N m"}


def probe_plots(probes):
    """{name of a plot: what draws it}, one for each quantity."""
    found = {}
    for column in probes:
        parts = re.fullmatch(rf"(.+)_({'|'.join(PROBED)})(_[xyz])?", column)
        if parts:
            found.setdefault(parts[2], []).append((column, parts[1] + (parts[3] or "").replace("_", " ")))

    def draw(quantity, axes):
        for column, label in found[quantity]:
            time, values = probes[column]
            curves(axes, {"time": time, column: values}, [column], [label])
        axes.set_ylabel(f"{quantity} [{PROBED[quantity]}]")
        return len(found[quantity])

    return {f"probes_{quantity}": lambda axes, _, quantity=quantity: draw(quantity, axes) for quantity in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=Path)
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    table = read_statistics(arguments.folder / "statistics.csv")
    output = arguments.output or arguments.folder / "pictures"
    output.mkdir(parents=True, exist_ok=True)
    for name, draw in {**PLOTS, **probe_plots(read_probes(arguments.folder / "probes.csv"))}.items():
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
    run_tool("plot", main)
