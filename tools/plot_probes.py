"""The plots of a probes.csv: one for each quantity."""
import re

from plot_curves import Plot

PROBED = {"pressure": "Pa", "density": "kg/m³", "velocity": "m/s", "level": "m", "flow": "m³/s", "position": "m", "force": "N",
          "torque": "N m"}


def probe_plots(tables):
    """{name of a plot: Plot} of the quantities that any of the runs measured; `tables` as run_files.read_probes gives them."""
    found = {}
    for column in dict.fromkeys(name for table in tables for name in table):
        parts = re.fullmatch(rf"(.+)_({'|'.join(PROBED)})(_[xyz])?", column)
        if parts:
            found.setdefault(parts[2], []).append((column, parts[1] + (parts[3] or "").replace("_", " ")))

    def draw(quantity, curves, table):
        there = [(column, label) for column, label in found[quantity] if column in table]
        for column, label in there:
            curves.add(*table[column], label)
        return len(there)

    return {f"probes_{quantity}": Plot(lambda curves, table, quantity=quantity: draw(quantity, curves, table),
                                       f"{quantity} [{PROBED[quantity]}]",
                                       f"What the probes measured: {quantity}. Gaps are times at which there was nothing to measure.")
            for quantity in found}
