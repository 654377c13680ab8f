"""The plots of a statistics.csv: what each draws, its axis with the unit, and a title that says what one should see."""
from dataclasses import dataclass
from typing import Callable

import matplotlib.pyplot as plt
import numpy as np

MOST_POINTS = 4000  # longer runs are thinned for the plot
RUN_LINES = ["-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1))]


class Curves:
    """The curves of a figure: a colour for each label, a kind of line for each run (of one run: as the plot asks)."""

    def __init__(self, axes, runs):
        self.axes, self.runs = axes, runs
        self.colors, self.number = {}, 0
        self.handles = {}

    def of_run(self, number):
        self.number = number
        return self

    def add(self, time, values, label, color=None, linestyle="-"):
        if label not in self.colors:
            used = sum(c not in ("black", None) for c in self.colors.values())
            self.colors[label] = color or plt.get_cmap("tab10").colors[used % 10]
        step = max(len(time) // MOST_POINTS, 1)
        style = linestyle if len(self.runs) == 1 else RUN_LINES[self.number % len(RUN_LINES)]
        width = 1.4 if len(self.runs) == 1 or linestyle == "-" else 0.8
        line, = self.axes.plot(time[::step], values[::step], color=self.colors[label], linestyle=style, linewidth=width)
        self.handles.setdefault(label, line)

    def columns(self, table, names, labels=None, **style):
        """Draws the columns that are there; says how many."""
        drawn = 0
        for name, label in zip(names, labels or names):
            if name in table:
                self.add(table["time"], table[name], label, **style)
                drawn += 1
        return drawn

    def add_legends(self, figure):
        """Outside the axes: what the colours mean, and which line is which run."""
        handles, labels = list(self.handles.values()), list(self.handles)
        stacks, names = self.axes.get_legend_handles_labels()
        handles, labels = handles + stacks, labels + names
        if len(self.runs) > 1:
            handles = [plt.Line2D([], [], color=h.get_color(), linewidth=3) if isinstance(h, plt.Line2D) else h for h in handles]
            lines = [plt.Line2D([], [], color="black", linestyle=RUN_LINES[i % len(RUN_LINES)]) for i in range(len(self.runs))]
            figure.legend(lines, self.runs, frameon=False, loc="outside lower center", ncols=min(len(self.runs), 3), fontsize=9)
        figure.legend(handles, labels, frameon=False, loc="outside right center", fontsize=9)


@dataclass
class Plot:
    draw: Callable  # (curves, table) -> number of curves
    axis: str
    title: str


SINKS = ["merging", "synchronization", "damping", "integration", "fracture", "walls"]
IMPULSES = {"wall_impulse": "--", "external_impulse": ":", "gravity_impulse": "-.", "momentum_residual": (0, (1, 4))}


def energy(curves, table):
    """The energies, their sum, and the sum with all that was dissipated and without the work put in."""
    parts = [p for p in ("kinetic_energy", "potential_energy", "elastic_energy") if p in table]
    drawn = curves.columns(table, [*parts, "virtual_bond_energy"], [*(p.split("_")[0] for p in parts), "virtual bonds"])
    if parts:
        total = sum(table[p] for p in parts)
        sinks = [f"dissipated_{s}" for s in SINKS if f"dissipated_{s}" in table] or [n for n in ["dissipated_energy"] if n in table]
        closed = total + sum(table[n] for n in sinks) - table.get("external_work", 0) - table.get("unobserved_energy", 0)
        curves.add(table["time"], total, "total", color="black")
        curves.add(table["time"], closed, "total + dissipated - work", color="grey", linestyle="--")
    return drawn


def energy_ledger(curves, table):
    """What was dissipated since the beginning, where, and what no entry accounts for."""
    drawn = curves.columns(table, [f"dissipated_{s}" for s in SINKS] + ["external_work"], SINKS + ["work put in"])
    if np.any(table.get("unobserved_energy", 0)):  # rows every few steps
        curves.columns(table, ["unobserved_energy"], ["steps without a row"], linestyle=":")
    return drawn + curves.columns(table, ["energy_residual"], ["residual"], color="black", linestyle="--")


def momentum(curves, table):
    return curves.columns(table, [f"momentum_{a}" for a in "xyz"], list("xyz"))


def momentum_ledger(curves, table):
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
    for axis, change in changes.items():
        if size[axis] < 0.01 * max(size.values()):
            continue
        for name, style in {"momentum": "-", **IMPULSES}.items():
            curves.add(table["time"], change[name], f"{name.replace('_', ' ')} {axis}", linestyle=style)
            drawn += 1
    return drawn


def angular_momentum(curves, table):
    return curves.columns(table, [f"angular_momentum_{a}" for a in "xyz"], list("xyz"))


def contacts(curves, table):
    names = ["contacts", "groups", "largest_group", "ignored_contacts", "crossings"]
    drawn = curves.columns(table, names, [n.replace("_", " ") for n in names])
    curves.axes.set_yscale("symlog")
    curves.axes.set_ylim(bottom=0)
    return drawn


def fracture(curves, table):
    return curves.columns(table, ["broken_bonds"], ["broken bonds"]) if np.any(table.get("broken_bonds", 0)) else 0


def step_size(curves, table):
    drawn = curves.columns(table, ["dt"], ["step size"])
    if drawn and (table["dt"] > 0).all():
        curves.axes.set_yscale("log")
    return drawn


def stages(curves, table):
    """Wall time a step, averaged over short spans: stacked for one run, lines for several."""
    names = [n for n in table if n.startswith("ms_") or n.endswith("_ms")]
    if not names:
        return 0
    bins = np.array_split(np.arange(len(table["time"])), min(len(table["time"]), 200))
    time = np.array([table["time"][b].mean() for b in bins])
    heights = [np.array([table[n][b].mean() for b in bins]) for n in names]
    if len(curves.runs) > 1:
        curves.add(time, sum(heights), "all stages", color="black")
        return 1
    curves.axes.stackplot(time, heights, labels=[n.removeprefix("ms_").removesuffix("_ms").replace("_", " ") for n in names],
                          colors=plt.get_cmap("tab20").colors)
    return len(names)


PLOTS = {
    "energy": Plot(energy, "energy [J]", "Energies. The black total falls and never rises by itself; the grey sum adds the losses that have an entry."),
    "energy_ledger": Plot(energy_ledger, "energy since the beginning [J]",
                          "Where energy was lost. Losses grow. The residual has no entry: it falls by losses within fluids and never rises."),
    "momentum": Plot(momentum, "momentum [kg m/s]", "Momentum. It changes by gravitation, walls and held parts alone."),
    "momentum_ledger": Plot(momentum_ledger, "change of momentum, impulses [N s]",
                            "Impulses. The momentum residual stays near 0: the impulses explain the change of momentum."),
    "angular_momentum": Plot(angular_momentum, "angular momentum [kg m²/s]",
                             "Angular momentum about the origin. Level where no weight, wall or held part acts."),
    "contacts": Plot(contacts, "count", "Contacts and groups of particles. Ignored contacts are few and crossings are 0."),
    "fracture": Plot(fracture, "count", "Broken bonds of brittle solids. A steep rise is a crack; where the curve is level, nothing breaks."),
    "step_size": Plot(step_size, "step size [s]", "Step size. It follows the greatest speed; a steep fall means that something is about to diverge."),
    "stages": Plot(stages, "wall time [ms/step]", "Wall time of a step, by stage. The widest band is where the time goes."),
}
