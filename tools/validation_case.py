"""A case of validation: scenes of several resolutions, what is measured in their runs, and the reference that it is compared with."""
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Callable

import numpy as np

from run_files import read_json, read_probes, read_statistics
from run_folder import RunFolder

GRAVITY = 9.81  # [m/s^2]


class Run:
    """The results of a run of a case at one size."""

    def __init__(self, folder, size):
        self.folder, self.size = Path(folder), size

    @cached_property
    def summary(self):
        return read_json(self.folder / "summary.json")

    @cached_property
    def statistics(self):
        return read_statistics(self.folder / "statistics.csv")

    @cached_property
    def probes(self):
        return read_probes(self.folder / "probes.csv")

    @cached_property
    def frames(self):
        files = RunFolder(self.folder)
        return [files.read(number) for number in files.numbers]

    def probe(self, column):
        """Times and values of a probe, without the times at which there was nothing to measure."""
        times, values = self.probes[column]
        there = np.isfinite(values)
        return times[there], values[there]


@dataclass
class Case:
    """`scene(size)` is the scene as an object, with the path of a base as "base" where it has one; a larger size is a finer one, and
    spacings, or steps, are proportional to 1/size. `measure(run)` is the number that is compared, and the curve (x, y) of the plot.
    The number has to lie in the band. `curve` is the reference's curve: a function of x, points (x, y), or None for its number."""
    name: str
    what: str
    law: str  # or source
    reference: float
    band: tuple
    sizes: tuple  # of --quick
    finer: tuple  # besides
    scene: Callable
    measure: Callable
    axes: tuple  # labels of x and y
    unit: str = ""
    per: str = "across"  # what a size counts
    curve: object = None
    converges: bool = True  # False where sizes are other cases, not finer ones

    def inside(self, value):
        return self.band[0] <= value <= self.band[1]

    def order(self, results):
        """Order of convergence to the reference: the slope of the errors of {size: number} in a double logarithmic plot."""
        errors = {size: abs(number - self.reference) for size, number in results.items()}
        if not self.converges or len(errors) < 2 or min(errors.values()) == 0:
            return None
        return -float(np.polyfit(np.log(list(errors)), np.log(list(errors.values())), 1)[0])


def within(reference, share):
    """The band of a relative tolerance."""
    return tuple(sorted((reference * (1 - share), reference * (1 + share))))


def scene_of(spacing, end_time, systems, **others):
    """A scene of particles at a spacing; keys of `simulation` and of the scene's top by name."""
    top = {key: others.pop(key) for key in ("walls", "probes", "coupling") if key in others}
    simulation = {"particleRadius": spacing / 2, "endTime": end_time, "frameRate": 50, **others}
    return {"simulation": simulation, "systems": systems, **top}


def box(name, start, end, **others):
    return {"name": name, "shape": "box", "start": list(start), "end": list(end), **others}


def tank(low, high, **others):
    return {"name": "tank", "shape": "box", "low": list(low), "high": list(high), **others}


def plane(point, normal, **others):
    return {"shape": "plane", "point": list(point), "normal": list(normal), **others}


def crossings(times, values):
    """Times at which the values change their sign, by linear interpolation."""
    above = values >= 0
    at = np.nonzero(above[:-1] != above[1:])[0]
    return times[at] - values[at] * (times[at + 1] - times[at]) / (values[at + 1] - values[at])


def angular_frequency(times, values, count=5):
    """[rad/s] of an oscillation about zero, from its first zeros: later ones are noise where it fades."""
    zeros = crossings(times, values)[:count]
    return math.pi * (len(zeros) - 1) / (zeros[-1] - zeros[0])


def late_mean(times, values, share=0.5):
    """The mean over the last part of the time."""
    return float(np.mean(values[times >= times[0] + (1 - share) * (times[-1] - times[0])]))
