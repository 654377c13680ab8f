"""Cases of validation: bodies, cloth and fluids together."""
import math

import numpy as np

from validation_case import GRAVITY as g
from validation_case import Case, box, late_mean, plane, scene_of, tank, within


def ball(centre, radius, density, **others):
    return {"name": "ball", "shape": "sphere", "centre": list(centre), "radius": radius, "density0": density, "sampling": "relaxed",
            **others}


def rigid(*bodies):
    return {"name": "bodies", "type": "rigid", "bodies": list(bodies)}


def water(model, *bodies, **others):
    return {"name": "water", "type": model, "density0": 1000, "bodies": list(bodies), **others}


def pool_around(middle, radius, width, depth, d):
    """Boxes of water on a lattice of spacing d without the points inside a ball: together they fill the tank."""
    boxes, n, layers = [], round(width / d), round(depth / d)
    for i in range(n):
        full = []
        for j in range(n):
            across = math.hypot((i + 0.5) * d - middle[0], (j + 0.5) * d - middle[1])
            heights = [k for k in range(layers) if math.hypot(across, (k + 0.5) * d - middle[2]) < radius]
            if not heights:
                full.append(j)
                continue
            low, high = (i * d, j * d), ((i + 1) * d, (j + 1) * d)
            boxes.append(box(f"below{i}_{j}", (*low, 0), (*high, heights[0] * d)))
            boxes.append(box(f"above{i}_{j}", (*low, (heights[-1] + 1) * d), (*high, layers * d)))
        runs = [full] if len(full) == n else [[j for j in full if j < n / 2], [j for j in full if j >= n / 2]]
        boxes += [box(f"row{i}_{run[0]}", (i * d, run[0] * d, 0), ((i + 1) * d, (run[-1] + 1) * d, layers * d)) for run in runs if run]
    return boxes


def sinking(run):
    """Times, and the downward speed of the first system."""
    times = np.array([frame.time for frame in run.frames])
    return times, -np.array([frame.require("velocity")[frame.require("system") == 0][:, 2].mean() for frame in run.frames])


def turning(run, a, b):
    """Times, and the angular velocity of the first system from axis a to axis b."""
    times, speeds = [], []
    for frame in run.frames:
        own = frame.require("system") == 0
        x, v = (values[own] - values[own].mean(0) for values in (frame.points, frame.require("velocity")))
        times.append(frame.time)
        speeds.append((x[:, a] * v[:, b] - x[:, b] * v[:, a]).sum() / (x[:, a]**2 + x[:, b]**2).sum())
    return np.array(times), np.array(speeds)


def floating_cube(model, quick, finer):
    """Six tenths of a cube of 600 kg/m^3 are under water, however it lies (upright it is not stable). The level follows from the
    volumes of water and cube."""
    edge, width, depth = 0.12, 0.3, 0.18

    def scene(n):
        d = edge / n
        low, high = (width - edge) / 2, (width + edge) / 2
        start = d * math.ceil((depth - 0.5 * edge) / d)
        cube = box("cube", (low, low, start), (high, high, start + edge), density0=600)
        pools = [box("left", (0, 0, 0), (low, width, depth)), box("right", (high, 0, 0), (width, width, depth)),
                 box("front", (low, 0, 0), (high, low, depth)), box("back", (low, high, 0), (high, width, depth)),
                 box("below", (low, low, 0), (high, high, start))]
        other = {"coupledTo": ["bodies"], **({"viscosity": 1e-3} if model == "dfsph" else {})}
        return scene_of(d, 3, [rigid(cube), water(model, *pools, **other)], frameRate=20, walls=[tank((0, 0, 0), (width, width, 0.6))],
                        maxTimeStepSize=4e-3, coupling={"method": "none"})

    def measure(run):
        d = edge / run.size
        times = np.array([frame.time for frame in run.frames])
        solid = run.frames[0].require("system") == 0
        volume = (~solid).sum() * d**3
        level = (volume + 0.6 * edge**3) / width**2
        heights = [frame.points[frame.require("system") == 0][:, 2] for frame in run.frames]
        under = np.array([((level - z) / d + 0.5).clip(0, 1).mean() for z in heights])
        return late_mean(times, under, 0.3), times, under

    return Case(name=f"{model}_float", what=f"Cube afloat, {model.upper()}: share under water",
                law="Archimedes", reference=0.6, band=(0.57, 0.63),
                sizes=quick, finer=finer, per="an edge",
                scene=scene, measure=measure, axes=("time [s]", "share under water"))


def held_ball(model, quick, finer):
    """A ball is held under water: the water lifts it by its volume's weight."""
    radius, width = 0.06, 0.24
    lift = 1000 * g * 4 / 3 * math.pi * radius**3

    def scene(n):
        d = 2 * radius / n
        other = {"coupledTo": ["bodies"], **({"viscosity": 5e-3} if model == "dfsph" else {})}
        middle = (width / 2, width / 2, width / 2)
        pool = water(model, *pool_around(middle, radius, width, width, d), **other)
        return scene_of(d, 2, [rigid(ball(middle, radius, 500, kinematic=True)), pool],
                        walls=[tank((0, 0, 0), (width, width, 0.6))], frameRate=5, maxTimeStepSize=4e-3,
                        probes=[{"name": "f", "type": "force", "rate": 100, "body": "ball"}],
                        coupling={"method": "none"})

    def measure(run):
        times, force = run.probe("f_force_z")
        windows = np.arange(0.1, 2.001, 0.1)
        means = np.array([force[(times > t - 0.1) & (times <= t)].mean() for t in windows])
        return late_mean(times, force) / lift, windows, means / lift

    return Case(name=f"{model}_lift", what=f"Ball held under water, {model.upper()}: lift/(rho g V)",
                law="Archimedes", reference=1, band=(0.97, 1.03),
                sizes=quick, finer=finer, per="a diameter",
                scene=scene, measure=measure, axes=("time [s]", "lift, ratio"))


def added_mass():
    """A ball of 300 kg/m^3 is let go in water: (rho_f - rho_s) g/(rho_s + C rho_f), C = 1/2 and what walls of a square duct add."""
    radius, width, density = 0.06, 0.36, 300
    share = 0.5 * (1 + 3 * 4.517 * (radius / width)**3)
    expected = (1000 - density) / (density + share * 1000) * g
    end = 0.06

    def scene(n):
        d = 2 * radius / n
        middle = (width / 2, width / 2, width / 2)
        pool = water("dfsph", *pool_around(middle, radius, width, width, d), coupledTo=["bodies"])
        return scene_of(d, end, [rigid(ball(middle, radius, density)), pool],
                        walls=[tank((0, 0, 0), (width, width, 0.8))], frameRate=500, coupling={"method": "none"})

    def measure(run):
        times = np.array([frame.time for frame in run.frames])
        heights = np.array([frame.points[frame.require("system") == 0][:, 2].mean(dtype=float) for frame in run.frames])
        way = heights - heights[0]
        return float(2 * way[-1] / times[-1]**2), times, way

    return Case(name="added_mass", what="Ball let go in water, DFSPH: acceleration over 0.06 s",
                law="added mass, potential flow", reference=expected, band=within(expected, 0.05),
                sizes=(6, 8), finer=(10,), per="a diameter", unit="m/s^2",
                scene=scene, measure=measure, axes=("time [s]", "way [m]"),
                curve=lambda t: expected * t * t / 2)


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
        middle = (width / 2, width / 2, 0.3)
        oil = water("dfsph", *pool_around(middle, diameter / 2, width, 0.5, d), coupledTo=["bodies"], implicitViscosity=1000 * nu)
        return scene_of(d, 1.5, [rigid(ball(middle, diameter / 2, density)), oil], frameRate=100, maxTimeStepSize=5e-3,
                        walls=[tank((0, 0, 0), (width, width, 1), noSlip=True)], coupling={"method": "none"})

    def measure(run):
        times, speeds = sinking(run)
        return float(speeds[times > 1].mean()), times, speeds

    return Case(name="settling", what="Ball settles in oil, DFSPH: terminal speed",
                law="Schiller and Naumann 1933, walls", reference=speed, band=within(speed, 0.1),
                sizes=(4, 5), finer=(6,), per="a diameter", unit="m/s",
                scene=scene, measure=measure, axes=("time [s]", "speed [m/s]"))


def falling_speed(reynolds, diameter, ratio, width):
    """[m/s] and [m^2/s] of a ball that falls along a square duct with the Reynolds number that it would have without walls: drag of
    Schiller and Naumann 1933, hindrance of walls by Di Felice 1996 (a round duct; 1.9033/2.1044 for a square one, Happel and Brenner)."""
    drag = 24 / reynolds * (1 + 0.15 * reynolds**0.687)
    free = math.sqrt(4 / 3 * (ratio - 1) * g * diameter / drag)
    share = diameter / width * 1.9033 / 2.1044
    power = (3.3 + 0.85 * 0.1 * reynolds) / (1 + 0.1 * reynolds)
    return free * ((1 - share) / (1 - 0.33 * share))**power, free * diameter / reynolds


def fall(reynolds, end):
    """A glass ball falls in a liquid, from rest."""
    diameter, width, ratio = 0.1, 0.4, 2.5
    speed, nu = falling_speed(reynolds, diameter, ratio, width)
    below = 0.2 + math.ceil(10 * speed * end) / 10

    def scene(n):
        d = diameter / n
        middle = (width / 2, width / 2, below)
        oil = water("dfsph", *pool_around(middle, diameter / 2, width, below + 0.2, d), coupledTo=["bodies"], implicitViscosity=1000 * nu,
                    smoothingLengthFactor=1.5)
        return scene_of(d, end, [rigid(ball(middle, diameter / 2, 1000 * ratio)), oil], frameRate=100, maxTimeStepSize=5e-3,
                        walls=[tank((0, 0, 0), (width, width, below + 0.5), noSlip=True)], coupling={"method": "none"})

    def measure(run):
        times, speeds = sinking(run)
        return late_mean(times, speeds, 0.4), times, speeds

    return Case(name=f"fall_{reynolds}", what=f"Ball falls, Reynolds number {reynolds}, DFSPH: terminal speed",
                law="Schiller and Naumann 1933, walls", reference=speed, band=within(speed, 0.1),
                sizes=(4, 6), finer=(8,) if reynolds < 100 else (), per="a diameter", unit="m/s",
                scene=scene, measure=measure, axes=("time [s]", "speed [m/s]"))


def sheared_ball():
    """A ball of the liquid's density between plates that glide by each other turns with half the shear rate (Einstein 1906). What both
    plates carry is equal and opposite, so flow in the middle of a long box is that between endless plates."""
    radius, width, rate, nu = 0.05, 0.4, 1, 0.02

    def scene(n):
        d = 2 * radius / n
        middle, length = (width, width / 2, width / 2), 2 * width
        halves = [pool_around((place, *middle[1:]), radius, width, width, d) for place in (middle[0], 0)]
        for part in halves[1]:
            part["name"] += "_right"
            for end in ("start", "end"):
                part[end] = [part[end][0] + width, *part[end][1:]]
        oil = water("dfsph", *halves[0], *halves[1], coupledTo=["bodies"], implicitViscosity=1000 * nu, smoothingLengthFactor=1.5)
        walls = [plane((0, 0, 0), (0, 0, 1), noSlip=True, velocity=[-rate * width / 2, 0, 0]),
                 plane((0, 0, width), (0, 0, -1), noSlip=True, velocity=[rate * width / 2, 0, 0]),
                 plane((0, 0, 0), (1, 0, 0)), plane((length, 0, 0), (-1, 0, 0)), plane((0, 0, 0), (0, 1, 0)), plane((0, width, 0), (0, -1, 0))]
        return scene_of(d, 3, [rigid(ball(middle, radius, 1000)), oil], frameRate=20, maxTimeStepSize=5e-3, gravitation=[0, 0, 0],
                        walls=walls, coupling={"method": "none"})

    def measure(run):
        times, spins = turning(run, 2, 0)
        return late_mean(times, spins, 0.4) / rate, times, spins / rate

    return Case(name="sheared_ball", what="Ball of the liquid's density in shear, DFSPH: spin/shear rate",
                law="Einstein 1906", reference=0.5, band=within(0.5, 0.05),
                sizes=(6, 8), finer=(), per="a diameter",
                scene=scene, measure=measure, axes=("time [s]", "spin/shear rate"))


def spinning_ball():
    """A heavy ball turns in a box of oil without gravity: torque 8 pi mu a^3 omega (Stokes), in steps of 36 d^2/nu and more."""
    radius, width, density, nu = 0.05, 0.4, 1e7, 2
    inertia = 0.4 * density * 4 / 3 * math.pi * radius**5

    def scene(n):
        d = 2 * radius / n
        middle = (width / 2,) * 3
        oil = water("dfsph", *pool_around(middle, radius, width, width, d), coupledTo=["bodies"], implicitViscosity=1000 * nu)
        made = scene_of(d, 0.2, [rigid({**ball(middle, radius, density), "spin": [0, 0, 1]}), oil], frameRate=100, maxTimeStepSize=5e-3,
                        walls=[tank((0, 0, 0), (width, width, 1.1 * width), noSlip=True)], coupling={"method": "none"})
        made["simulation"]["gravitation"] = [0, 0, 0]
        return made

    def measure(run):
        times, speeds = turning(run, 0, 1)
        late = times > 0.1
        rate = -np.polyfit(times[late], np.log(speeds[late]), 1)[0]
        return rate * inertia / (8 * math.pi * 1000 * nu * radius**3), times, speeds

    return Case(name="spinning_ball", what="Ball turns in oil without weight, DFSPH: torque",
                law="Stokes, 8 pi mu a^3 omega", reference=1, band=within(1, 0.1),
                sizes=(6, 8), finer=(12,), per="a diameter", unit="",
                scene=scene, measure=measure, axes=("time [s]", "angular velocity [rad/s]"))


def water_on_cloth(model, quick, finer):
    """Water lies in a cloth: what is held at the edges carries the weight of both."""
    side, areal = 0.48, 5.0

    def scene(n):
        d = 0.16 / n
        sheet = {"name": "sheet", "shape": "sheet", "origin": [-side / 2, -side / 2, 0], "edgeU": [side, 0, 0], "edgeV": [0, side, 0],
                 "spacing": d, "arealDensity": areal, "stretchStiffness": 1000, "pinned": "edges"}
        other = {"viscosity": 1e-3} if model == "dfsph" else {}
        block = box("block", (-0.08, -0.08, d), (0.08, 0.08, d + 0.16))
        cloth = {"name": "cloth", "type": "massSpring", "springDamping": 0.005, "bodies": [sheet]}
        return scene_of(d, 3, [cloth, water(model, block, **other)], frameRate=10,
                        probes=[{"name": "f", "type": "force", "rate": 100, "body": "sheet"}])

    def measure(run):
        d = 0.16 / run.size
        times, force = run.probe("f_force_z")
        frame = run.frames[0]
        cloth = (frame.require("system") == 0).sum()
        weight = g * (1000 * d**3 * (len(frame.points) - cloth) + areal * (side - d)**2)  # without the held edges' own
        windows = np.arange(0.1, 3.001, 0.1)
        means = np.array([-force[(times > t - 0.1) & (times <= t)].mean() for t in windows])
        return -late_mean(times, force, 0.3) / weight, windows, means / weight

    return Case(name=f"{model}_cloth", what=f"Water in a cloth, {model.upper()}: load on the edges/weight",
                law="statics", reference=1, band=(0.99, 1.01),
                sizes=quick, finer=finer, per="an edge",
                scene=scene, measure=measure, axes=("time [s]", "load, ratio"))


def lobovsky():
    """Lobovsky et al. 2014: 0.6 m of water, 0.6 m long, in a tank of 1.61 m. Pressure impulse at the lowest sensor of the far wall,
    over the experiment's median time of impact, 7 ms + 104 ms; its median is 1274 Pa s, that of the
    peak 18569 Pa; the front arrives after 0.39 s (their Fig. 12)."""
    height, length, median = 0.6, 1.61, 1274.0

    def scene(n):
        d = height / n
        column = box("column", (0, 0, 0), (height, 6 * d, height))
        return scene_of(d, 1, [{**water("dfsph", column), "viscosity": 5e-4}], frameRate=20, walls=[tank((0, 0, 0), (length, 6 * d, 2))],
                        probes=[{"name": "p", "type": "pressure", "rate": 1000, "point": [length - 0.25 * d, 3 * d, 0.003]}])

    def measure(run):
        times, pressures = run.probes["p_pressure"]
        p = np.nan_to_num(pressures)
        onset = times[np.nonzero(p > 1000)[0][0]]
        impact = (times >= onset - 1e-3) & (times <= onset + 0.111)
        return float(np.trapezoid(p[impact], times[impact])), times, p

    return Case(name="lobovsky", what="Dam break on a wall, DFSPH: pressure impulse",
                law="Lobovsky et al. 2014, median", reference=median, band=within(median, 0.2),
                sizes=(16, 24), finer=(32,), per="a height", unit="Pa s",
                scene=scene, measure=measure, axes=("time [s]", "pressure [Pa]"),
                curve=([0.39], [18569]))


def gate():
    """Water 0.2 m deep stands at an elastic wall of 0.04 m that is held below: as a plate under p = rho g (H - z) its edge gives way by
    rho g H^5/(30 D), D = E t^3/12 (no Poisson's ratio), 2 % of the depth. Shear adds 2 %; longer steps than these oscillate."""
    depth, thick, length, modulus = 0.2, 0.04, 0.4, 5e6
    way = 1000 * g * depth**5 / (30 * modulus * thick**3 / 12)

    def scene(n):
        d = thick / n
        width = 5 * d
        wall = box("wall", (length, 0, -2 * d), (length + thick, width, depth + 2 * d), density0=1000, youngsModulus=modulus, poissonRatio=0,
                   pinned=[{"box": [[length, 0, -2 * d], [length + thick, width, 0]]}])
        gate_wall = {"name": "gate", "type": "elasticSph", "selfContact": False, "bodies": [wall]}
        pool = water("dfsph", box("pool", (0, 0, 0), (length, width, depth)), coupledTo=["gate"], solidsCompress=True, viscosity=5e-3)
        return scene_of(d, 1, [gate_wall, pool], frameRate=5, maxTimeStepSize=2.5e-4, coupling={"method": "none"},
                        walls=[tank((0, 0, 0), (length + 0.2, width, 0.6))],
                        probes=[{"name": "p", "type": "position", "rate": 100, "body": "wall", "point": [length + thick / 2, width / 2, depth]}])

    def measure(run):
        times, x = run.probe("p_position_x")
        return late_mean(times, x - x[0], 0.3), times, x - x[0]

    return Case(name="gate", what="Water at an elastic wall, DFSPH: way of its edge",
                law="plate, rho g H^5/(30 D)", reference=way, band=within(way, 0.1),
                sizes=(3, 4), finer=(5,), per="a thickness", unit="m",
                scene=scene, measure=measure, axes=("time [s]", "way [m]"))


CASES = [
    *(floating_cube(model, (4, 6), (8,)) for model in ("dfsph", "flip")), *(held_ball(model, (6, 8), (10,)) for model in ("dfsph", "flip")),
    added_mass(), settling(), fall(1, 0.4), fall(10, 1), fall(100, 1), sheared_ball(), spinning_ball(), gate(), *(water_on_cloth(model, (6, 8), (10,)) for model in ("sph", "dfsph", "flip")), lobovsky(),
]
