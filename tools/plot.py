#!/usr/bin/env python3
"""Plots the statistics.csv of runs: energies, energy and momentum ledger, contacts and groups, broken bonds where there are any, step
size, wall time by stage; and their probes.csv where they have one: a plot for each quantity. Several runs are drawn over each other: colours
tell the columns, lines the runs.

    build/venv/bin/python tools/plot.py DIR... [-o FOLDER]

The PNG files go to DIR/pictures/ of the first run. Works while a run goes on.
"""
import argparse
import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from plot_curves import PLOTS, Curves
from plot_probes import probe_plots
from run_files import RunError, read_probes, read_statistics, run_tool


def names_of(folders):
    """A short name of each run: what tells its path from the others'."""
    paths = [Path(os.path.abspath(folder)) for folder in folders]
    common = Path(os.path.commonpath(paths)) if len(paths) > 1 else paths[0].parent
    return [str(path.relative_to(common)) for path in paths]


def draw(plot, runs, path):
    """Writes the figure of a plot where any of the runs has its columns; says whether."""
    figure, axes = plt.subplots(figsize=(9, 4.8), layout="constrained")
    curves = Curves(axes, [name for name, _ in runs])
    drawn = sum(plot.draw(curves.of_run(number), table) for number, (_, table) in enumerate(runs))
    if drawn:
        axes.set_title(plot.title, fontsize=10, loc="left", wrap=True)
        axes.set_xlabel("time [s]")
        axes.set_ylabel(plot.axis)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        curves.add_legends(figure)
        figure.savefig(path, dpi=120)
        print(path)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path, help="folders that `merganser run -o DIR` wrote or is writing")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="where the plots go (default: DIR/pictures of the first run)")
    arguments = parser.parse_args()
    if len({os.path.realpath(folder) for folder in arguments.folders}) < len(arguments.folders):
        raise RunError("a run is named twice; name each run once")
    names = names_of(arguments.folders)
    statistics = [(name, read_statistics(folder / "statistics.csv")) for name, folder in zip(names, arguments.folders)]
    probes = [(name, read_probes(folder / "probes.csv")) for name, folder in zip(names, arguments.folders)]
    output = arguments.output or arguments.folders[0] / "pictures"
    output.mkdir(parents=True, exist_ok=True)
    for plots, runs in ((PLOTS, statistics), (probe_plots([table for _, table in probes]), probes)):
        for name, plot in plots.items():
            draw(plot, runs, output / f"plot_{name}.png")


if __name__ == "__main__":
    run_tool("plot", main)
