"""Cases of validation: elastic and brittle solids, cloth and ropes."""
import math

import numpy as np

from validation_case import GRAVITY as g
from validation_case import Case, angular_frequency, box, crossings, late_mean, scene_of, within


def elastic(body, **others):
    return {"name": "solid", "type": "elasticSph", "selfContact": False, "bodies": [body], **others}


def brittle(body, **others):
    return {"name": "solid", "type": "peridynamics", "selfContact": False, "bodies": [body], **others}


def springs(body, **others):
    return {"name": "cloth", "type": "massSpring", "selfContact": False, "bodies": [body], **others}


def position(body, point, rate=500):
    return {"name": "p", "type": "position", "rate": rate, "body": body, "point": list(point)}


def end_force(low, high, rate=200):
    return {"name": "f", "type": "force", "rate": rate, "body": "bar", "box": [list(low), list(high)]}


# Beams.

def cantilever():
    """A beam 2.5 m x 0.25 m x 0.25 m swings under a small weight; Timoshenko's shear lowers Euler's frequency by a percent."""
    length, height, density, modulus = 2.5, 0.25, 800, 1e7
    period = 2 * math.pi / (3.516015 * math.sqrt(modulus / density) * height / math.sqrt(12) / length**2)

    def scene(n):
        d = height / n
        held = [{"box": [[-2 * d, 0, 0], [0, height, height]]}]
        bar = box("bar", (-2 * d, 0, 0), (length, height, height), density0=density, youngsModulus=modulus, pinned=held)
        return scene_of(d, 2.2, [elastic(bar)], gravitation=[0, 0, -1], timeStepSize=5e-3 / n,
                        probes=[position("bar", (length, 0.125, 0.125))])

    def measure(run):
        times, z = run.probe("p_position_z")
        middle = 0.5 * (z.max() + z[times < 1.2 * period].min())
        zeros = crossings(times, z - middle)
        return zeros[2] - zeros[0], times, z - z[0]

    return Case(name="cantilever", what="Cantilever, elastic SPH: period",
                law="Euler-Bernoulli beam", reference=period, band=within(period, 0.05),
                sizes=(5, 7), finer=(10,), per="a height", unit="s",
                scene=scene, measure=measure, axes=("time [s]", "deflection of the tip [m]"),
                curve=lambda t: 0.5 * (np.cos(2 * math.pi * t / period) - 1) * 1.5 * density * length**4 / (modulus * height**2) * 2)


def turek():
    """Turek and Hron 2006, CSM3: a bar 0.35 m x 0.02 m under 2 m/s^2 in plane strain. Here it is narrow and free to contract, with
    E/(1 - nu^2) and nu = 0 in place of E = 1.4 MPa and nu = 0.4: the same stiffness to bending."""
    length, height = 0.35, 0.02
    mean, amplitude, frequency = -63.607, 65.160, 1.0995  # [mm, mm, 1/s]

    def scene(n):
        d = height / n
        held = [{"box": [[-2 * d, 0, 0], [0, 4 * d, height]]}]
        bar = box("bar", (-2 * d, 0, 0), (length, 4 * d, height), density0=1000, youngsModulus=1.4e6 / 0.84, poissonRatio=0, pinned=held)
        return scene_of(d, 1.2, [elastic(bar, material="neoHookean")], gravitation=[0, 0, -2], timeStepSize=8e-3 / n,
                        probes=[position("bar", (length, 2 * d, height / 2))])

    def measure(run):
        times, z = run.probe("p_position_z")
        way = 1000 * (z - z[0])
        return float(way.min()), times, way

    lowest = mean - amplitude
    return Case(name="turek_bar", what="Bar under its weight, elastic SPH: lowest tip",
                law="Turek and Hron 2006, CSM3", reference=lowest, band=within(lowest, 0.05),
                sizes=(4, 6), finer=(8,), per="a height", unit="mm",
                scene=scene, measure=measure, axes=("time [s]", "deflection of the tip [mm]"),
                curve=lambda t: mean + amplitude * np.cos(2 * math.pi * frequency * t))


def guided_beam():
    """A beam between two held ends, one of which is moved aside by 0.05 m: force 12 E I w/L^3 with Timoshenko's shear."""
    length, height, modulus, poisson, way = 2.5, 0.25, 1e7, 0.3, 0.05
    inertia, area = height**4 / 12, height**2
    shear = 12 * modulus * inertia / (5 / 6 * modulus / (2 * (1 + poisson)) * area * length**2)
    force = 12 * modulus * inertia * way / length**3 / (1 + shear)

    def scene(n):
        d = height / n
        low, high = (length, 0, 0), (length + 2 * d, height, height)
        bar = box("bar", (-2 * d, 0, 0), high, density0=800, youngsModulus=modulus, poissonRatio=poisson,
                  pinned=[{"box": [[-2 * d, 0, 0], [0, height, height]]}],
                  prescribed=[{"box": [list(low), list(high)], "velocity": [0, 0, way], "endTime": 1}])
        return scene_of(d, 2.5, [elastic(bar)], gravitation=[0, 0, 0], timeStepSize=5e-3, frameRate=10, probes=[end_force(low, high)])

    def measure(run):
        times, z = run.probe("f_force_z")
        z = -z if late_mean(times, z, 0.3) < 0 else z
        return late_mean(times, z, 0.3), times, z

    return Case(name="guided_beam", what="Beam whose end is moved aside, elastic SPH: force",
                law="Timoshenko, 12 E I w/L^3", reference=force, band=within(force, 0.05),
                sizes=(4, 6), finer=(10,), per="a height", unit="N",
                scene=scene, measure=measure, axes=("time [s]", "force [N]"))


def beam_tip():
    """A peridynamic cantilever, 2 m x 0.25 m x 0.25 m, under a load on its end: F L^3/(3 E I) and its shear."""
    length, height, modulus, density, load = 2.0, 0.25, 1e7, 1000, 20.0
    inertia, area = height**4 / 12, height**2
    deflection = load * length**3 / (3 * modulus * inertia) + load * length / (5 / 6 * modulus / 2.5 * area)

    def scene(n):
        d = height / n
        bar = box("bar", (-3 * d, 0, 0), (length, height, height), density0=density, youngsModulus=modulus,
                  pinned=[{"box": [[-3 * d, 0, 0], [0, height, height]]}],
                  loads=[{"acceleration": [0, 0, -load / (density * area * d)], "box": [[length - d, 0, 0], [length, height, height]]}])
        return scene_of(d, 6, [brittle(bar, damping=0.02, tolerance=1e-6)], gravitation=[0, 0, 0], timeStepSize=2e-2, frameRate=5,
                        probes=[position("bar", (length, height / 2, height / 2), 50)])

    def measure(run):
        times, z = run.probe("p_position_z")
        return late_mean(times, z[0] - z, 0.2), times, z[0] - z

    return Case(name="beam_tip", what="Beam under a tip load, peridynamics: deflection",
                law="Timoshenko, F L^3/(3 E I)", reference=deflection, band=within(deflection, 0.12),
                sizes=(4, 6), finer=(9,), per="a height", unit="m",
                scene=scene, measure=measure, axes=("time [s]", "deflection [m]"))


# Bars.

def neo_hookean_stress(stretch, modulus, poisson):
    """Nominal stress of a bar that is free to contract; Smith et al. 2018, eq. 14, with their moduli."""
    mu = 4 / 3 * modulus / (2 * (1 + poisson))
    lam = modulus * poisson / ((1 + poisson) * (1 - 2 * poisson)) + 5 / 6 * modulus / (2 * (1 + poisson))
    alpha = 1 + 3 * mu / (4 * lam)

    def gradient(along, across):
        shear = mu * (1 - 1 / (along**2 + 2 * across**2 + 1))
        pressure = lam * (along * across**2 - alpha)
        return shear * along + pressure * across**2, shear * across + pressure * along * across

    low, high = 0.3, 1.2
    for _ in range(80):  # the sides are free: their stress is zero
        middle = 0.5 * (low + high)
        low, high = (low, middle) if gradient(stretch, middle)[1] > 0 else (middle, high)
    return gradient(stretch, low)[0]


def large_strain():
    """A bar 1 m x 0.2 m x 0.2 m is drawn to 1.6 times its length; its held ends cannot contract."""
    length, height, modulus, poisson, stretch = 1.2, 0.2, 1e6, 0.4, 1.6
    force = neo_hookean_stress(stretch, modulus, poisson) * height**2

    def scene(n):
        d = height / n
        low, high = (length, 0, 0), (length + 2 * d, height, height)
        bar = box("bar", (-2 * d, 0, 0), high, density0=1000, youngsModulus=modulus, poissonRatio=poisson,
                  pinned=[{"box": [[-2 * d, 0, 0], [0, height, height]]}],
                  prescribed=[{"box": [list(low), list(high)], "velocity": [(stretch - 1) * length, 0, 0], "endTime": 1}])
        return scene_of(d, 1.5, [elastic(bar, material="neoHookean")], gravitation=[0, 0, 0], timeStepSize=5e-3, frameRate=10,
                        probes=[end_force(low, high)])

    def measure(run):
        times, x = run.probe("f_force_x")
        x = -x if late_mean(times, x, 0.2) < 0 else x
        return late_mean(times, x, 0.2), times, x

    def curve(times):
        return np.array([neo_hookean_stress(1 + (stretch - 1) * min(t, 1), modulus, poisson) for t in times]) * height**2

    return Case(name="large_strain", what="Bar drawn to 1.6 lengths, neo-Hookean: force",
                law="Smith et al. 2018, uniaxial", reference=force, band=within(force, 0.05),
                sizes=(4, 6), finer=(10,), per="a height", unit="N",
                scene=scene, measure=measure, axes=("time [s]", "force [N]"),
                curve=curve)


def bar_wave(method, what, bands, modulus, density, make, band, **simulation):
    """A bar of 1 m that is held at one end and moves along itself: the free end swings with 4 L/c, c = sqrt(E/rho)."""
    length, speed = 1.0, 1 if method == "peridynamic" else 0.01
    period = 4 * length / math.sqrt(modulus / density)

    def scene(n):
        d = length / n
        held = 3 if method == "peridynamic" else 2
        bar = box("bar", (-held * d, 0, 0), (length, 4 * d, 4 * d), density0=density, youngsModulus=modulus, velocity=[speed, 0, 0],
                  pinned=[{"box": [[-held * d, 0, 0], [0, 4 * d, 4 * d]]}], **bands)
        return scene_of(d, 2.3 * period, [make(bar)], gravitation=[0, 0, 0], frameRate=10 / period,
                        probes=[position("bar", (length, 2 * d, 2 * d), 400 / period)], **simulation)

    def measure(run):
        times, x = run.probe("p_position_x")
        zeros = crossings(times[1:], (x - x[0])[1:])
        return zeros[2] - zeros[0], times / period, x - x[0]

    def curve(periods):
        phase = 4 * np.mod(periods, 1)
        return speed * period / 4 * np.where(phase < 1, phase, np.where(phase < 3, 2 - phase, phase - 4))

    return Case(name=f"{method}_wave", what=f"Wave in a bar, {what}: period",
                law="4 L/sqrt(E/rho)", reference=period, band=within(period, band),
                sizes=(20, 30), finer=(50,), per="a length", unit="s",
                scene=scene, measure=measure, axes=("time/period", "displacement of the end [m]"),
                curve=curve)


def bar_strength():
    """A bar 1 m x 0.2 m x 0.2 m is drawn until it breaks, at s0 = sqrt(5 G0/(9 K delta)): the stress is E s0."""
    length, height, modulus, energy, horizon = 1.0, 0.2, 1e7, 50.0, 3.015

    def stretch(n):
        return math.sqrt(5 * energy / (9 * (modulus / 1.5) * horizon * height / n))

    def scene(n):
        d = height / n
        low, high = (length, 0, 0), (length + 3 * d, height, height)
        speed = 2 * stretch(n) * length  # the critical stretch after half a second
        bar = box("bar", (-3 * d, 0, 0), high, density0=1000, youngsModulus=modulus, fractureEnergy=energy,
                  pinned=[{"box": [[-3 * d, 0, 0], [0, height, height]]}],
                  prescribed=[{"box": [list(low), list(high)], "velocity": [speed, 0, 0], "endTime": 1}])
        return scene_of(d, 1, [brittle(bar, damping=5e-3)], gravitation=[0, 0, 0], timeStepSize=2e-3, frameRate=10,
                        probes=[end_force(low, high, 500)])

    def measure(run):
        times, x = run.probe("f_force_x")
        ratio = np.abs(x) / (height**2 * modulus * stretch(run.size))
        return float(ratio.max()), times, ratio

    return Case(name="bar_strength", what="Bar drawn until it breaks, peridynamics: stress/(E s0)",
                law="critical stretch of G0", reference=1, band=within(1, 0.1),
                sizes=(4, 6), finer=(8,), per="a height",
                scene=scene, measure=measure, axes=("time [s]", "stress/(E s0)"),
                curve=lambda t: np.minimum(2 * t, 1))


def crack():
    """Ha and Bobaru 2010: a glass plate 0.1 m x 0.04 m, cut halfway, under 12 MPa. Measured are at most 1580 m/s (Bowden et al. 1967);
    cracks run at 0.4 to 1 of the Rayleigh speed, 3171 m/s."""
    density, stress, layer = 2235, 12e6, 0.006

    def scene(n):
        d = 0.04 / n
        thick = 3 * d
        loads = [{"acceleration": [0, 0, sign * stress / (density * layer)], "box": [[0, 0, z], [0.1, thick, z + layer]]}
                 for sign, z in ((1, 0.04 - layer), (-1, 0))]
        plate = box("plate", (0, 0, 0), (0.1, thick, 0.04), density0=density, youngsModulus=65e9, fractureEnergy=204, loads=loads,
                    preCracks=[{"corner": [-d, -d, 0.02], "edgeU": [0.05 + d, 0, 0], "edgeV": [0, thick + 2 * d, 0]}])
        return scene_of(d, 5e-5, [brittle(plate, integration="explicit")], gravitation=[0, 0, 0], frameRate=1e6)

    def measure(run):
        d = 0.04 / run.size
        times, tips = [], []
        for frame in run.frames:
            x = frame.points[(frame.require("damage") > 0.3) & (np.abs(frame.points[:, 2] - 0.02) < 4 * d)][:, 0]
            times.append(frame.time)
            tips.append(x.max() if len(x) else 0.05)
        times, tips = np.array(times), np.array(tips)
        runs = (tips > 0.055) & (tips < 0.085)
        return float(np.polyfit(times[runs], tips[runs], 1)[0]), 1e6 * times, tips

    return Case(name="crack_speed", what="Crack in glass, peridynamics: speed",
                law="Bowden et al. 1967, experiment", reference=1580, band=(0.4 * 3171, 3171),
                sizes=(20, 30), finer=(40,), per="a height", unit="m/s",
                scene=scene, measure=measure, axes=("time [us]", "tip of the crack [m]"),
                curve=lambda us: 0.05 + 1580e-6 * (us - 10).clip(0))


# Ropes and cloth.

def catenary():
    """A rope 1.2 m long between points 1 m apart: sag 0.292344 m."""
    span, length, sag = 1.0, 1.2, 0.292344

    def scene(n):
        d = length / n
        half = d / 4
        drawn_in = {"box": [[length - half, -half, -half], [length + half, half, half]], "velocity": [span - length, 0, 0], "endTime": 1}
        rope = {"name": "rope", "shape": "rope", "start": [0, 0, 0], "end": [length, 0, 0], "lineDensity": 0.1, "pinned": "start",
                "spacing": d, "stretchStiffness": 1e4 * n / 20, "prescribed": [drawn_in]}
        return scene_of(d, 6, [springs(rope, airDamping=3)], timeStepSize=2e-3, frameRate=5)

    def measure(run):
        points = run.frames[-1].points.astype(float)
        order = np.argsort(points[:, 0])
        return float(-points[:, 2].min()), points[order, 0], points[order, 2]

    a = 0.469542
    return Case(name="catenary", what="Hanging rope: sag",
                law="catenary", reference=sag, band=within(sag, 0.01),
                sizes=(12, 24), finer=(48,), per="a rope", unit="m",
                scene=scene, measure=measure, axes=("x [m]", "z [m]"),
                curve=lambda x: a * np.cosh((x - 0.5) / a) - a * math.cosh(0.5 / a))


def bessel_j0(x):
    """By its series, for x < 4."""
    total, term = 0.0, 1.0
    for k in range(1, 30):
        total = total + term
        term = -term * x * x / (4 * k * k)
    return total


def swinging_cloth():
    """A strip of cloth of 1 m hangs and swings: the first mode of a heavy chain, 1.202413 sqrt(g/L)."""
    length, frequency = 1.0, 1.202413 * math.sqrt(g)

    def scene(n):
        d = length / n
        strip = {"name": "strip", "shape": "sheet", "origin": [0, 0, 0], "edgeU": [0, 3 * d, 0], "edgeV": [0, 0, -length], "spacing": d,
                 "arealDensity": 0.5, "stretchStiffness": 2000, "velocity": [0.1, 0, 0],
                 "pinned": [{"box": [[-d, -d, -d / 4], [d, 4 * d, d / 4]]}]}
        return scene_of(d, 4, [springs(strip)], timeStepSize=1e-3)

    def measure(run):
        times = np.array([frame.time for frame in run.frames])
        shape = lambda z: bessel_j0(2.404826 * np.sqrt((length + z.astype(float)).clip(0)))  # noqa: E731
        mode = np.array([(frame.points[:, 0] * shape(frame.points[:, 2])).mean() for frame in run.frames])
        return angular_frequency(times[1:], mode[1:]), times, mode

    return Case(name="cloth_pendulum", what="Strip of cloth swings: frequency",
                law="heavy chain, j01/2 sqrt(g/L)", reference=frequency, band=within(frequency, 0.02),
                sizes=(10, 20), finer=(40,), per="a length", unit="rad/s",
                scene=scene, measure=measure, axes=("time [s]", "first mode [m]"),
                curve=lambda t: 0.4318 * 0.1 / frequency * np.sin(frequency * t))  # 0.4318: the mean of the mode's shape


def rope_mode():
    """A rope that is let go unstretched swings along itself: the end has the period 4 L/c, c^2 = stiffness spacing/(mass per length)."""
    length, line, tension = 1.0, 0.1, 40.0
    speed = math.sqrt(tension / line)
    period, stretch = 4 * length / speed, line * g * length**2 / (2 * tension)

    def scene(n):
        d = length / n
        rope = {"name": "rope", "shape": "rope", "start": [0, 0, 0], "end": [0, 0, -length], "lineDensity": line, "pinned": "start",
                "spacing": d, "stretchStiffness": tension / d}
        return scene_of(d, 0.5, [springs(rope)], timeStepSize=1e-4, probes=[position("rope", (0, 0, -length), 2000)])

    def measure(run):
        times, z = run.probe("p_position_z")
        zeros = crossings(times, -length - z - stretch)
        return zeros[2] - zeros[0], times, -length - z

    def curve(times):
        phase = np.abs(4 * np.mod(times / period, 1) - 2)  # 2 at the top, 0 where the rope is longest
        return stretch * np.where(phase > 1, (2 - phase)**2, 2 - phase**2)

    return Case(name="rope_mode", what="Rope stretches under its weight: period",
                law="4 L/c", reference=period, band=within(period, 0.03),
                sizes=(10, 20), finer=(40,), per="a rope", unit="s",
                scene=scene, measure=measure, axes=("time [s]", "elongation [m]"),
                curve=curve)


CASES = [
    cantilever(), turek(), guided_beam(), beam_tip(), large_strain(),
    bar_wave("elastic", "elastic SPH", {"poissonRatio": 0}, 1e6, 1000, elastic, 0.05, timeStepSize=5e-4),
    bar_wave("peridynamic", "peridynamics", {}, 210e9, 7850, lambda bar: brittle(bar, integration="explicit"), 0.1),
    bar_strength(), crack(), catenary(), swinging_cloth(), rope_mode(),
]
