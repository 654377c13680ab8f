"""Cases of validation: rigid bodies by themselves and on walls."""
import math

import numpy as np

from validation_case import GRAVITY as g
from validation_case import Case, box, crossings, plane, scene_of, within


def rigid(*bodies, **others):
    return {"name": "bodies", "type": "rigid", "bodies": list(bodies), **others}


def position(name, body, point):
    return {"name": name, "type": "position", "rate": 200, "body": body, "point": list(point)}


def centre(run):
    """Times and centres [m] of the only body."""
    return np.array([frame.time for frame in run.frames]), np.array([frame.points.mean(axis=0, dtype=float) for frame in run.frames])


def acceleration(times, places):
    """From rest: twice the coefficient of t^2 of the best parabola."""
    return float(2 * np.polyfit(times, places, 2)[0])


FLOOR = ((0, 0, 0), (0, 0, 1))


def slide():
    """A box slides down 30 degrees with friction 0.3; gravity is tilted."""
    angle, friction = math.pi / 6, 0.3
    expected = g * (math.sin(angle) - friction * math.cos(angle))

    def scene(n):
        d = 0.1 / n
        return scene_of(d, 0.5, [rigid(box("box", (0, 0, 0), (0.2, 0.1, 0.1), density0=500))],
                        gravitation=[g * math.sin(angle), 0, -g * math.cos(angle)], walls=[plane(*FLOOR, friction=friction)])

    def measure(run):
        times, places = centre(run)
        way = places[:, 0] - places[0, 0]
        return acceleration(times, way), times, way

    return Case(name="slide", what="Box on an incline with friction: acceleration",
                law="Coulomb, g (sin - mu cos)", reference=expected, band=within(expected, 0.01),
                sizes=(4, 8), finer=(12,), per="an edge", unit="m/s^2",
                scene=scene, measure=measure, axes=("time [s]", "way [m]"),
                curve=lambda t: expected * t * t / 2)


def roll(shape, share):
    """A ball or cylinder rolls down 20 degrees without gliding: 5/7 and 2/3 of g sin."""
    angle, radius = math.pi / 9, 0.05
    expected = share * g * math.sin(angle)

    def scene(n):
        d = 2 * radius / n
        body = {"name": shape, "shape": shape, "radius": radius, "density0": 1000, "sampling": "relaxed"}
        if shape == "sphere":
            body["centre"] = [0, 0, radius]
        else:
            body |= {"start": [0, -radius, radius], "end": [0, radius, radius]}
        return scene_of(d, 0.6, [rigid(body)], gravitation=[g * math.sin(angle), 0, -g * math.cos(angle)],
                        walls=[plane(*FLOOR, friction=0.6)])

    def measure(run):
        times, places = centre(run)
        way = places[:, 0] - places[0, 0]
        return acceleration(times, way), times, way

    ball = shape == "sphere"
    return Case(name="roll" if ball else "roll_cylinder", what=f"{'Ball' if ball else 'Cylinder'} rolls down an incline: acceleration",
                law="5/7 g sin" if ball else "2/3 g sin", reference=expected, band=within(expected, 0.02),
                sizes=(8, 14), finer=(20,), per="a diameter", unit="m/s^2",
                scene=scene, measure=measure, axes=("time [s]", "way [m]"),
                curve=lambda t: expected * t * t / 2)


def bounce():
    """A box falls 0.3 m on a floor of restitution 0.6: it rises to 0.36 of the height."""
    height, restitution = 0.3, 0.6
    fall = math.sqrt(2 * height / g)
    rise = restitution**2 * height

    def scene(n):
        d = 0.1 / n
        return scene_of(d, 0.52, [rigid(box("box", (0, 0, height), (0.1, 0.1, height + 0.1), density0=1000))], frameRate=200,
                        walls=[plane(*FLOOR, restitution=restitution)])

    def measure(run):
        times, places = centre(run)
        heights = places[:, 2] - 0.05
        return float(heights[times > fall + 0.05].max()), times, heights

    def curve(t):
        after = t - fall
        return np.where(after < 0, height - g * t * t / 2, restitution * g * fall * after - g * after * after / 2).clip(0)

    return Case(name="bounce", what="Box bounces, restitution 0.6: height",
                law="e^2 h", reference=rise, band=within(rise, 0.02),
                sizes=(3, 6), finer=(10,), per="an edge", unit="m",
                scene=scene, measure=measure, axes=("time [s]", "height [m]"),
                curve=curve)


def stack():
    """Five boxes of 0.1 m on each other: after 2 s the uppermost one is where it began."""
    def scene(n):
        boxes = [box(f"b{k}", (0, 0, 0.1 * k), (0.1, 0.1, 0.1 * (k + 1)), density0=1000) for k in range(5)]
        return scene_of(0.1 / n, 2, [rigid(*boxes)], walls=[plane(*FLOOR, friction=0.5)], frameRate=10)

    def measure(run):
        times = np.array([frame.time for frame in run.frames])
        tops = np.array([frame.points[frame.require("body") == 4].mean(axis=0)[2] for frame in run.frames])
        return tops[-1], times, tops

    return Case(name="stack", what="Five boxes on each other: height of the uppermost",
                law="statics", reference=0.45, band=within(0.45, 0.01),
                sizes=(3, 5), finer=(8,), per="an edge", unit="m",
                scene=scene, measure=measure, axes=("time [s]", "height [m]"))


def precession():
    """A square plate that spins without forces: its axis goes around the angular momentum L with L/I1."""
    side, thick = 0.2, 0.04
    spin = np.array([4.0, 0, 10.0])
    across, along = (side**2 + thick**2) / 12, side**2 / 6
    momentum = np.array([across, across, along]) * spin
    rate = float(np.linalg.norm(momentum) / across)

    def scene(n):
        plate = box("plate", (-side / 2, -side / 2, -thick / 2), (side / 2, side / 2, thick / 2), density0=1000, spin=list(spin))
        ends = [position(name, "plate", (0.001, 0.001, z)) for name, z in (("low", -thick / 2), ("high", thick / 2))]
        return scene_of(thick / n, 1, [rigid(plate)], gravitation=[0, 0, 0], probes=ends)

    def measure(run):
        times = run.probe("low_position_x")[0]
        axis = np.array([run.probe(f"high_position_{k}")[1] - run.probe(f"low_position_{k}")[1] for k in "xyz"]).T
        about = momentum / np.linalg.norm(momentum)
        first = np.cross(about, [0, 1, 0])
        angle = np.unwrap(np.arctan2(axis @ np.cross(about, first), axis @ first))
        return float(np.polyfit(times, angle, 1)[0]), times, angle - angle[0]

    return Case(name="precession", what="Plate that spins freely: rate of precession",
                law="Euler, L/I1", reference=rate, band=within(rate, 0.02),
                sizes=(2, 4), finer=(6,), per="a thickness", unit="rad/s",
                scene=scene, measure=measure, axes=("time [s]", "angle [rad]"),
                curve=lambda t: rate * t)


def pendulum():
    """A rod on a hinge falls from the horizontal: its period is 1.18034 times that of small swings."""
    length, width = 0.5, 0.05
    inertia = (length**2 + width**2) / 12 + length**2 / 4
    period = 1.180341 * 2 * math.pi * math.sqrt(inertia / (g * length / 2))

    def scene(n):
        rod = box("rod", (0, -width / 2, -width / 2), (length, width / 2, width / 2), density0=1000, joint="hinge", jointAxis=[0, 1, 0],
                  jointPoint=[0, 0, 0])
        return scene_of(width / n, 3.2, [rigid(rod)], probes=[position("tip", "rod", (length, 0, 0))])

    def measure(run):
        times, x = run.probe("tip_position_x")
        zeros = crossings(times, x)
        return 2 * (zeros[-1] - zeros[0]) / (len(zeros) - 1), times, x

    return Case(name="pendulum", what="Rod on a hinge, from 90 degrees: period",
                law="elliptic integral", reference=period, band=within(period, 0.01),
                sizes=(2, 4), finer=(6,), per="a width", unit="s",
                scene=scene, measure=measure, axes=("time [s]", "x of the tip [m]"),
                curve=(period * np.array([0.25, 0.75, 1.25, 1.75]), np.zeros(4)))


CASES = [slide(), roll("sphere", 5 / 7), roll("cylinder", 2 / 3), bounce(), stack(), precession(), pendulum()]
