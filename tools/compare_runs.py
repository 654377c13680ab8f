#!/usr/bin/env python3
"""Puts finished runs side by side: crossings, sag of the sheet, rebound of the fluid, energy, time a step.

usage: compare_runs.py RUN_DIR [RUN_DIR ...] [--csv FILE]

For [MS] Fig. 10 (rebound) and Fig. 11 (leaks and sag). Sag is the depth of the lowest sheet particle under the highest, at its
greatest over all frames, as a share of the sheet's width, and at the end. Rigidity is one minus the ratio of the final sag to the
greatest of all runs. Rebound is how far the fluid's centre of mass rises after its lowest point.
"""
import argparse
import csv
from pathlib import Path

import numpy as np

from run_files import read_statistics, run_tool
from run_folder import FLUID_TYPES, RunFolder

COLUMNS = ["run", "crossings", "largest_group", "ignored_contacts", "greatest_sag", "final_sag", "lowest_m", "rebound_m",
           "largest_energy_rise", "ms_per_step"]


def systems_of_type(run, fluid):
    return [i for i, s in enumerate(run.scene.get("systems", [])) if (s.get("type") in FLUID_TYPES) == fluid]


def compare(path):
    run = RunFolder(path)
    rows = read_statistics(run.path / "statistics.csv", ["kinetic_energy", "potential_energy", "elastic_energy", "crossings",
                                                         "largest_group", "ignored_contacts"])
    sags, heights = [], []
    for number, _, _ in run.files:
        frame = run.read(number)
        system = frame.require("system")
        sheet = frame.points[np.isin(system, systems_of_type(run, fluid=False))]
        fluid = frame.points[np.isin(system, systems_of_type(run, fluid=True))]
        if len(sheet):
            width = np.ptp(sheet[:, :2], axis=0).max()
            sags.append(np.ptp(sheet[:, 2]) / width)
        if len(fluid):
            heights.append(fluid[:, 2].mean())
    lowest = int(np.argmin(heights)) if heights else 0
    total = rows["kinetic_energy"] + rows["potential_energy"] + rows["elastic_energy"]
    kinetic = np.maximum(rows["kinetic_energy"][1:], rows["kinetic_energy"][:-1])
    rise = np.diff(total) / np.maximum(kinetic, 1e-30)
    stages = sum(values for name, values in rows.items() if name.startswith("ms_"))
    return {
        "run": Path(path).name,
        "crossings": int(rows["crossings"][-1]),
        "largest_group": int(rows["largest_group"].max()),
        "ignored_contacts": int(rows["ignored_contacts"].sum()),
        "greatest_sag": max(sags, default=0),
        "final_sag": sags[-1] if sags else 0,
        "lowest_m": heights[lowest] if heights else 0,
        "rebound_m": max(heights[lowest:]) - heights[lowest] if heights else 0,
        "largest_energy_rise": rise.max() if len(rise) else 0,
        "ms_per_step": float(np.median(stages)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", help="folders that `merganser run -o DIR` wrote")
    parser.add_argument("--csv", help="also write the table to this file")
    arguments = parser.parse_args()
    table = [compare(path) for path in arguments.runs]
    text = [[f"{row[c]:.4g}" if isinstance(row[c], float) else str(row[c]) for c in COLUMNS] for row in table]
    widths = [max(len(c), *(len(row[k]) for row in text)) for k, c in enumerate(COLUMNS)]
    for row in [COLUMNS, *text]:
        print("  ".join(value.rjust(width) for value, width in zip(row, widths)))
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(table)


if __name__ == "__main__":
    run_tool("compare_runs", main)
