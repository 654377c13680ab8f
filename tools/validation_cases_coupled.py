"""Cases of validation: bodies, cloth and fluids together."""
import math

import numpy as np

from validation_case import GRAVITY as g
from validation_case import Case, box, late_mean, scene_of, tank, within


def ball(centre, radius, density, **others):
    return {"name": "ball", "shape": "sphere", "centre": list(centre), "radius": radius, "density0": density, "sampling": "relaxed", **others}


def rigid(*bodies):
    return {"name": "bodies", "type": "rigid", "bodies": list(bodies)}


def water(model, *bodies, **others):
    return {"name": "water", "type": model, "density0": 1000, "bodies": list(bodies), **others}


def floating_cube(model, quick, finer):
    """A cube of 600 kg/m^3 floats six tenths deep. The level follows from the volumes of water and cube."""
    edge, width, depth = 0.12, 0.3, 0.18

    def scene(n):
        d = edge / n
        low = (width - edge) / 2
        start = d * math.ceil((depth - 0.5 * edge) / d)
        cube = box("cube", (low, low, start), (low + edge, low + edge, start + edge), density0=600)
        pools = [box(f"pool{i}{j}", (x0, y0, 0), (x1, y1, depth)) for i, (x0, x1) in enumerate(spans) for j, (y0, y1) in enumerate(spans)
                 if (i, j) != (1, 1)] if (spans := ((0, low), (low, low + edge), (low + edge, width))) else []
        pools.append(box("below", (low, low, 0), (low + edge, low + edge, start)))
        other = {"coupledTo": ["bodies"], "viscosity": 1e-3} if model == "dfsph" else {}
        return scene_of(d, 3, [rigid(cube), water(model, *pools, **other)], frameRate=20, walls=[tank((0, 0, 0), (width, width, 0.6))],
                        maxTimeStepSize=4e-3, coupling={"method": "none"} if model == "dfsph" else {})

    def measure(run):
        d = edge / run.size
        times = np.array([frame.time for frame in run.frames])
        solid = run.frames[0].require("system") == 0
        volume = (~solid).sum() * d**3
        level = (volume + 0.6 * edge**3) / width**2
        draught = (level - np.array([frame.points[frame.require("system") == 0][:, 2].mean() for frame in run.frames]) + edge / 2) / edge
        return late_mean(times, draught, 0.3), times, draught

    return Case(f"{model}_float", f"Cube afloat, {model.upper()}: draught/edge", "Archimedes", 0.6, (0.57, 0.63), quick, finer, scene, measure,
                ("time [s]", "draught/edge"), "", "an edge")


def held_ball(model, quick, finer):
    """A ball is held under water: the water lifts it by its volume's weight."""
    radius, width = 0.06, 0.24
    lift = 1000 * g * 4 / 3 * math.pi * radius**3

    def scene(n):
        d = 2 * radius / n
        other = {"coupledTo": ["bodies"], "viscosity": 5e-3} if model == "dfsph" else {}
        middle = (width / 2, width / 2, width / 2)
        return scene_of(d, 2, [rigid(ball(middle, radius, 500, kinematic=True)), water(model, box("pool", (0, 0, 0), (width, width, width)), **other)],
                        walls=[tank((0, 0, 0), (width, width, 0.6))], frameRate=5, maxTimeStepSize=4e-3,
                        probes=[{"name": "f", "type": "force", "rate": 100, "body": "ball"}],
                        coupling={"method": "none"} if model == "dfsph" else {})

    def measure(run):
        times, force = run.probe("f_force_z")
        windows = np.arange(0.1, 2.001, 0.1)
        means = np.array([force[(times > t - 0.1) & (times <= t)].mean() for t in windows])
        return late_mean(times, force) / lift, windows, means / lift

    return Case(f"{model}_lift", f"Ball held under water, {model.upper()}: lift/(rho g V)", "Archimedes", 1, (0.97, 1.03), quick, finer, scene,
                measure, ("time [s]", "lift, ratio"), "", "a diameter")


def added_mass():
    """A ball of 300 kg/m^3 is let go in water: (rho_f - rho_s) g/(rho_s + C rho_f), C = 1/2 and what walls of a square duct add."""
    radius, width, density = 0.06, 0.36, 300
    share = 0.5 * (1 + 3 * 4.517 * (radius / width)**3)
    expected = (1000 - density) / (density + share * 1000) * g
    end = 0.06

    def scene(n):
        d = 2 * radius / n
        middle = (width / 2, width / 2, width / 2)
        return scene_of(d, end, [rigid(ball(middle, radius, density)), water("dfsph", box("pool", (0, 0, 0), (width, width, width)), coupledTo=["bodies"])],
                        walls=[tank((0, 0, 0), (width, width, 0.8))], frameRate=500, coupling={"method": "none"})

    def measure(run):
        times = np.array([frame.time for frame in run.frames])
        heights = np.array([frame.points[frame.require("system") == 0][:, 2].mean(dtype=float) for frame in run.frames])
        way = heights - heights[0]
        return float(2 * way[-1] / times[-1]**2), times, way

    return Case("added_mass", "Ball let go in water, DFSPH: acceleration over 0.06 s", "added mass, potential flow", expected, within(expected, 0.05),
                (6, 8), (10,), scene, measure, ("time [s]", "way [m]"), "m/s^2", "a diameter", lambda t: expected * t * t / 2)


def settling():
    """A ball settles in oil along a square duct: drag of Schiller and Naumann 1933, correction of Francis 1933 for walls (of a round duct,
    ratio of diameters times 1.9033/2.1044 for a square one, Happel and Brenner)."""
    diameter, width, density, nu = 0.1, 0.4, 1500, 0.02
    ratio = diameter / width * 1.9033 / 2.1044
    correction = ((1 - ratio) / (1 - 0.475 * ratio))**4
    speed = 0.1
    for _ in range(100):
        reynolds = speed * diameter / nu
        speed = (density / 1000 - 1) * g * diameter**2 / (18 * nu) / (1 + 0.15 * reynolds**0.687)
    speed *= correction

    def scene(n):
        d = diameter / n
        oil = water("dfsph", box("oil", (0, 0, 0), (width, width, 0.5)), coupledTo=["bodies"], implicitViscosity=1000 * nu)
        return scene_of(d, 0.6, [rigid(ball((width / 2, width / 2, 0.3), diameter / 2, density)), oil], frameRate=100, maxTimeStepSize=5e-3,
                        walls=[tank((0, 0, 0), (width, width, 1), noSlip=True)], coupling={"method": "none"})

    def measure(run):
        times = np.array([frame.time for frame in run.frames])
        speeds = -np.array([frame.require("velocity")[frame.require("system") == 0][:, 2].mean() for frame in run.frames])
        return float(speeds[(times > 0.3)].mean()), times, speeds

    return Case("settling", "Ball settles in oil, DFSPH: terminal speed", "Schiller and Naumann 1933, walls", speed, within(speed, 0.1), (4, 5), (6,),
                scene, measure, ("time [s]", "speed [m/s]"), "m/s", "a diameter")


def water_on_cloth(model, quick, finer):
    """Water lies in a cloth: what is held at the edges carries the weight of both."""
    side, areal = 0.48, 5.0

    def scene(n):
        d = 0.16 / n
        sheet = {"name": "sheet", "shape": "sheet", "origin": [-side / 2, -side / 2, 0], "edgeU": [side, 0, 0], "edgeV": [0, side, 0], "spacing": d,
                 "arealDensity": areal, "stretchStiffness": 1000, "pinned": "edges"}
        other = {"viscosity": 1e-3} if model == "dfsph" else {}
        block = box("block", (-0.08, -0.08, d), (0.08, 0.08, d + 0.16))
        return scene_of(d, 3, [{"name": "cloth", "type": "massSpring", "springDamping": 0.005, "bodies": [sheet]}, water(model, block, **other)],
                        frameRate=10, probes=[{"name": "f", "type": "force", "rate": 100, "body": "sheet"}])

    def measure(run):
        d = 0.16 / run.size
        times, force = run.probe("f_force_z")
        frame = run.frames[0]
        cloth = (frame.require("system") == 0).sum()
        held = 4 * round(side / d)  # of the edges: the probe leaves out their own weight
        weight = g * (1000 * d**3 * (len(frame.points) - cloth) + areal * side**2 * (cloth - held) / cloth)
        windows = np.arange(0.1, 3.001, 0.1)
        means = np.array([-force[(times > t - 0.1) & (times <= t)].mean() for t in windows])
        return -late_mean(times, force, 0.3) / weight, windows, means / weight

    return Case(f"{model}_cloth", f"Water in a cloth, {model.upper()}: load on the edges/weight", "statics", 1, (0.99, 1.01), quick, finer, scene, measure,
                ("time [s]", "load, ratio"), "", "0.16 m")


def lobovsky():
    """Lobovsky et al. 2014: 0.6 m of water, 0.6 m long, in a tank of 1.61 m. Pressure impulse at the lowest sensor of the far wall, over the time
    of impact (twice the half-rise and twice the half-fall); median of the experiments 1274 Pa s."""
    height, length, median = 0.6, 1.61, 1274.0

    def scene(n):
        d = height / n
        column = box("column", (0, 0, 0), (height, 6 * d, height))
        return scene_of(d, 1, [{**water("dfsph", column), "viscosity": 5e-4}], frameRate=20, walls=[tank((0, 0, 0), (length, 6 * d, 2))],
                        probes=[{"name": "p", "type": "pressure", "rate": 1000, "point": [length - 0.25 * d, 3 * d, 0.003]}])

    def measure(run):
        times, pressures = run.probes["p_pressure"]
        p = np.convolve(np.nan_to_num(pressures), np.ones(5) / 5, "same")  # the sensor's 5 ms
        peak = int(p.argmax())
        half = p < p[peak] / 2
        rise, fall = np.nonzero(half[:peak])[0], np.nonzero(half[peak:])[0]
        first = 2 * rise[-1] - peak if len(rise) else 0
        last = peak + 2 * fall[0] if len(fall) else len(p) - 1
        impact = slice(max(first, 0), last + 1)
        return float(np.trapezoid(p[impact], times[impact])), times, p

    return Case("lobovsky", "Dam break on a wall, DFSPH: pressure impulse", "Lobovsky et al. 2014, median", median, within(median, 0.2), (16, 24), (32,), scene,
                measure, ("time [s]", "pressure [Pa]"), "Pa s", "a height", ([0.79], [18569]))


CASES = [
    floating_cube("dfsph", (4, 6), (8,)), floating_cube("flip", (4, 6), (8,)), held_ball("dfsph", (6, 8), (10,)), held_ball("flip", (6, 8), (10,)),
    added_mass(), settling(), *(water_on_cloth(model, (6, 8), (10,)) for model in ("sph", "dfsph", "flip")), lobovsky(),
]
