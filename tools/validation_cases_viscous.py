"""Cases of validation: viscous flow, surface tension, drag of air."""
import math

import numpy as np

from validation_case import Case, angular_frequency, box, plane, scene_of, within

# Morris, Fox and Zhu 1997: a gap of 1 mm, 1e-6 m^2/s, 1.25e-5 m/s. Times of the series are in units of gap^2/nu, speeds of the largest.
MORRIS = {"gap": 1e-3, "nu": 1e-6, "speed": 1.25e-5,
          "model": {"type": "sph", "viscosityModel": "laminar", "viscosity": 1e-6, "smoothingLengthFactor": 1.5, "soundSpeed": 1.25e-4,
                    "allowTension": True}}
# The same equations with steps that an incompressible solver takes: 0.1 m, 1e-3 m^2/s, 1 m/s.
IMPLICIT = {"gap": 0.1, "nu": 1e-3, "speed": 1.0, "model": {"type": "dfsph", "implicitViscosity": 1.0}}
# Gunn and Kinzer 1949: terminal speeds [m/s] of drops of 1, 2, 3 mm in still air at 20 degrees.
GUNN_KINZER = {1: 4.03, 2: 6.49, 3: 8.06}


def poiseuille(z, t):
    """Start-up series of flow under a body force between walls at 0 and 1."""
    u = 4 * z * (1 - z)
    for m in range(1, 120, 2):
        u = u - 32 / (math.pi * m)**3 * np.sin(math.pi * m * z) * math.exp(-(m * math.pi)**2 * t)
    return u


def couette(z, t):
    """Start-up series of flow under a lid at 1."""
    u = z
    for m in range(1, 120):
        u = u + 2 / (m * math.pi) * (-1)**m * np.sin(m * math.pi * z) * math.exp(-(m * math.pi)**2 * t)
    return u


def stokes(z, t):
    """Stokes' first problem: the wall at 0 moves along itself from t = 0 on."""
    return np.array([math.erfc(height / (2 * math.sqrt(t))) for height in z])


def channel(name, what, law, exact, end, flow, force=0, lid=0, floor=0):
    """Flow between plates, periodic along them: the largest error of a particle at the end, over the largest speed."""
    gap, nu, speed = flow["gap"], flow["nu"], flow["speed"]
    seconds = end * gap * gap / nu

    def scene(n):
        d = gap / n
        walls = [plane((0, 0, 0), (0, 0, 1), noSlip=True, velocity=[floor * speed, 0, 0]),
                 plane((0, 0, gap), (0, 0, -1), noSlip=True, velocity=[lid * speed, 0, 0])]
        fluid = {"name": "fluid", "density0": 1000, **flow["model"], "bodies": [box("f", (0, 0, 0), (10 * d, 10 * d, gap))]}
        return scene_of(d, seconds, [fluid], gravitation=[force * 8 * nu * speed / gap**2, 0, 0], frameRate=1 / seconds,
                        maxTimeStepSize=seconds / 200, walls=walls, periodic={"length": [10 * d, 10 * d, 0]})

    def measure(run):
        frame = run.frames[-1]
        z, u = frame.points[:, 2].astype(float) / gap, frame.require("velocity")[:, 0] / speed
        order = np.argsort(z)
        return 100 * np.abs(u - exact(z, end)).max(), z[order], u[order]

    return Case(name=name, what=what,
                law=law, reference=0, band=(0, 3),
                sizes=(10, 16), finer=(24,), per="a gap", unit="%",
                scene=scene, measure=measure, axes=("height/gap", "speed/largest speed"),
                curve=lambda z: exact(z, end))


def shear_wave(name, what, model):
    """Layers that glide in a sine: it decays by exp(-nu k^2 t) in a periodic box of 1 m, nu = 0.02 m^2/s."""
    rate = 0.02 * (2 * math.pi)**2

    def scene(n):
        d = 1 / n
        layers = [box(f"l{i}", (0, 0, i * d), (10 * d, 10 * d, (i + 1) * d), velocity=[math.sin(2 * math.pi * (i + 0.5) * d), 0, 0])
                  for i in range(n)]
        return scene_of(d, 1.5, [{"name": "fluid", "density0": 1000, **model, "bodies": layers}], gravitation=[0, 0, 0], frameRate=10,
                        maxTimeStepSize=5e-3, periodic={"length": [10 * d, 10 * d, 1]})

    def measure(run):
        times = np.array([frame.time for frame in run.frames])
        waves = np.array([(frame.require("velocity")[:, 0] * np.sin(2 * math.pi * frame.points[:, 2])).mean() for frame in run.frames])
        waves /= waves[0]
        return float(-np.polyfit(times, np.log(waves), 1)[0]), times, waves

    return Case(name=name, what=f"Decay of a shear wave, {what}",
                law="Navier-Stokes, nu k^2", reference=rate, band=within(rate, 0.03),
                sizes=(10, 16), finer=(24,), per="a wave", unit="1/s",
                scene=scene, measure=measure, axes=("time [s]", "amplitude, ratio"),
                curve=lambda times: np.exp(-rate * times))


def taylor_green(name, method, model):
    """Vortices in a periodic square of 1 m, Re 100: the energy decays by exp(-16 pi^2 nu t)."""
    nu, k = 0.01, 2 * math.pi
    rate = 4 * nu * k * k

    def scene(n):
        d, columns = 1 / n, []
        for i in range(n):
            for j in range(n):
                x, z = (i + 0.5) * d, (j + 0.5) * d
                velocity = [math.sin(k * x) * math.cos(k * z), 0, -math.cos(k * x) * math.sin(k * z)]
                columns.append(box(f"c{i}_{j}", (i * d, 0, j * d), ((i + 1) * d, 10 * d, (j + 1) * d), velocity=velocity))
        fluid = {"name": "fluid", "viscosity": nu, **model, "bodies": columns}
        return scene_of(d, 0.5, [fluid], gravitation=[0, 0, 0], frameRate=20, periodic={"length": [1, 10 * d, 1]})

    def measure(run):
        times, energies = run.statistics["time"], run.statistics["kinetic_energy"]
        return float(-np.polyfit(times, np.log(energies), 1)[0]), times, energies / energies[0]

    return Case(name=name, what=f"Taylor-Green vortices, {method}, Re 100: decay of the energy",
                law="exact solution, 16 pi^2 nu", reference=rate, band=within(rate, 0.1),
                sizes=(12, 16), finer=(24,), per="a side", unit="1/s",
                scene=scene, measure=measure, axes=("time [s]", "kinetic energy, ratio"),
                curve=lambda times: np.exp(-rate * times))


def cavity(name, method, model):
    """Fluid between four walls of 1 m, whose lid moves by 1 m/s at Re 100, periodic across. Velocities on the middle line are means with
    a Gaussian of a spacing."""
    least = -0.2109  # Ghia, Ghia and Shin 1982, table 1

    def scene(n):
        d = 1 / n
        walls = [plane((0, 0, 0), (0, 0, 1), noSlip=True), plane((0, 0, 1), (0, 0, -1), noSlip=True, velocity=[1, 0, 0]),
                 plane((0, 0, 0), (1, 0, 0), noSlip=True), plane((1, 0, 0), (-1, 0, 0), noSlip=True)]
        fluid = {"name": "fluid", "viscosity": 0.01, **model, "bodies": [box("f", (0, 0, 0), (1, 10 * d, 1))]}
        return scene_of(d, 8, [fluid], gravitation=[0, 0, 0], frameRate=4, walls=walls, periodic={"length": [0, 10 * d, 0]})

    def measure(run):
        heights, profiles, d = np.linspace(0.02, 0.98, 49), [], 1 / run.size
        for frame in run.frames[-8:]:
            x, u = frame.points.astype(float), frame.require("velocity")[:, 0]
            weight = np.exp(-((x[:, 0, None] - 0.5)**2 + (x[:, 2, None] - heights)**2) / d**2)
            profiles.append((weight * u[:, None]).sum(axis=0) / weight.sum(axis=0))
        profile = np.mean(profiles, axis=0)
        return float(profile.min()), heights, profile

    # Ghia, Ghia and Shin 1982, table 1, Re 100: height and velocity
    table = np.array([(0.0547, -0.03717), (0.0625, -0.04192), (0.0703, -0.04775), (0.1016, -0.06434), (0.1719, -0.1015), (0.2813, -0.15662),
                      (0.4531, -0.2109), (0.5, -0.20581), (0.6172, -0.13641), (0.7344, 0.00332), (0.8516, 0.23151), (0.9531, 0.68717)])
    return Case(name=name, what=f"Cavity with a moving lid, {method}, Re 100: least velocity on the middle line",
                law="Ghia, Ghia and Shin 1982, finite differences", reference=least, band=within(least, 0.1),
                sizes=(12, 16), finer=(24,), per="a side", unit="m/s",
                scene=scene, measure=measure, axes=("height [m]", "velocity [m/s]"),
                curve=(table[:, 0], table[:, 1]))


def elliptic_drop():
    """Monaghan 1994: a disc of 1 m in the flow A (-x, z), A(0) = 100/s. With semi-axis b along z: A' = A^2 (b^4 - 1)/(b^4 + 1)."""
    end = 0.0076
    times, axes = [0.0], [1.0]
    rate, axis, dt = 100.0, 1.0, 1e-7
    for step in range(round(end / dt)):
        half = rate - 0.5 * dt * rate * rate * (axis**4 - 1) / (axis**4 + 1)
        axis_half = axis * (1 + 0.5 * dt * rate)
        rate -= dt * half * half * (axis_half**4 - 1) / (axis_half**4 + 1)
        axis += dt * half * axis_half
        if (step + 1) % 1000 == 0:
            times.append((step + 1) * dt)
            axes.append(axis)

    def scene(n):
        d, layers, columns = 2 / n, 13, []
        for i in range(n):
            for j in range(n):
                x, z = (i + 0.5) * d - 1, (j + 0.5) * d - 1
                if x * x + z * z < 1:
                    columns.append(box(f"c{i}_{j}", (i * d - 1, 0, j * d - 1), ((i + 1) * d - 1, layers * d, (j + 1) * d - 1),
                                       velocity=[-100 * x, 0, 100 * z]))
        fluid = {"name": "fluid", "type": "sph", "smoothingLengthFactor": 2, "soundSpeed": 1400, "viscosity": 0.02, "allowTension": True,
                 "bodies": columns}
        return scene_of(d, end, [fluid], gravitation=[0, 0, 0], frameRate=20 / end, maxTimeStepSize=1e-4,
                        periodic={"length": [0, layers * d, 0]})

    def measure(run):
        now = np.array([frame.time for frame in run.frames])
        spread = np.array([frame.points[:, 2].std() for frame in run.frames])
        return spread[-1] / spread[0], now, spread / spread[0]

    return Case(name="elliptic_drop", what="Elliptic drop, SPH: long semi-axis after 7.6 ms",
                law="Monaghan 1994, exact", reference=axes[-1], band=within(axes[-1], 0.01),
                sizes=(12, 16), finer=(24,), per="a diameter", unit="m",
                scene=scene, measure=measure, axes=("time [s]", "semi-axis [m]"),
                curve=(np.array(times)[::4], np.array(axes)[::4]))


def ellipsoid(long, short, around=32):
    """A closed mesh as an OBJ file's text; the long axis is z."""
    rings = around // 2
    points = [(0, 0, long)]
    for i in range(1, rings):
        polar = math.pi * i / rings
        across, turn = short * math.sin(polar), 2 * math.pi / around
        points += [(across * math.cos(turn * k), across * math.sin(turn * k), long * math.cos(polar)) for k in range(around)]
    points.append((0, 0, -long))
    at = lambda ring, k: 1 if ring == 0 else len(points) if ring == rings else 2 + (ring - 1) * around + k % around  # noqa: E731
    faces = []
    for ring in range(rings):
        for k in range(around):
            corners = [at(ring, k), at(ring + 1, k), at(ring + 1, k + 1), at(ring, k + 1)]
            faces += [face for face in ((corners[0], corners[1], corners[2]), (corners[0], corners[2], corners[3])) if len(set(face)) == 3]
    return "".join(f"v {x} {y} {z}\n" for x, y, z in points) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)


def drop_oscillation(model):
    """Rayleigh 1879: the second mode of a drop in vacuum, w^2 = 8 sigma/(rho R^3); R = 5 mm, 0.07 N/m."""
    radius, sigma = 0.005, 0.07
    frequency = math.sqrt(8 * sigma / (1000 * radius**3))

    def scene(n):
        body = {"name": "drop", "shape": "mesh", "geometryFile": "drop.obj", "sampling": "relaxed"}
        fluid = {"name": "water", "type": model, "surfaceTension": sigma, "bodies": [body]}
        mesh = ellipsoid(1.2 * radius, radius / math.sqrt(1.2))
        return {**scene_of(radius / n, 0.12, [fluid], gravitation=[0, 0, 0], frameRate=400), "files": {"drop.obj": mesh}}

    def measure(run):
        times = np.array([frame.time for frame in run.frames])
        variances = np.array([frame.points.astype(float).var(axis=0) for frame in run.frames])
        shape = (variances[:, 2] - 0.5 * (variances[:, 0] + variances[:, 1])) / variances.sum(axis=1)
        return angular_frequency(times, shape, 3), times, shape

    return Case(name="drop_tension" if model == "dfsph" else f"{model}_drop_tension",
                what=f"Drop that oscillates by surface tension, {model.upper()}: frequency",
                law="Rayleigh 1879", reference=frequency, band=within(frequency, 0.1),
                sizes=(5, 7), finer=(9,), per="a radius", unit="rad/s",
                scene=scene, measure=measure, axes=("time [s]", "difference of variances"),
                curve=lambda times: 0.2 * np.cos(frequency * times))


def drop_in_air():
    """A drop that is one particle hangs in a wind of its published terminal speed; sizes are diameters [mm]."""
    def scene(n):
        d = 1e-3 * n * (math.pi / 6)**(1 / 3)
        body = box("drop", (0, 0, 0), (d, d, d))
        fluid = {"name": "water", "type": "dfsph", "airDrag": 1, "airVelocity": [0, 0, GUNN_KINZER[n]], "bodies": [body]}
        return scene_of(d, 2, [fluid], frameRate=20)

    def measure(run):
        times = np.array([frame.time for frame in run.frames])
        speeds = GUNN_KINZER[run.size] - np.array([frame.require("velocity")[0, 2] for frame in run.frames])
        return speeds[-1] / GUNN_KINZER[run.size], times, speeds / GUNN_KINZER[run.size]

    return Case(name="drop_in_air", what="Rain drop: terminal speed/published",
                law="Gunn and Kinzer 1949, experiment", reference=1, band=within(1, 0.1),
                sizes=(1, 2), finer=(3,), per="mm", converges=False,
                scene=scene, measure=measure, axes=("time [s]", "speed, ratio"))


CASES = [
    channel("poiseuille", "Poiseuille start-up, SPH: error at 0.1125 s", "Morris et al. 1997, series", poiseuille, 0.1125, MORRIS, force=1),
    channel("couette", "Couette start-up, SPH: error at 0.1125 s", "Morris et al. 1997, series", couette, 0.1125, MORRIS, lid=1),
    channel("sph_stokes", "Stokes' first problem, SPH: error", "Stokes, erfc(z/sqrt(4 nu t))", stokes, 0.045, MORRIS, floor=1),
    channel("dfsph_stokes", "Stokes' first problem, DFSPH, implicit: error", "Stokes, erfc(z/sqrt(4 nu t))", stokes, 0.045, IMPLICIT,
            floor=1),
    shear_wave("dfsph_shear", "DFSPH, explicit viscosity: rate", {"type": "dfsph", "viscosity": 0.02}),
    shear_wave("dfsph_shear_implicit", "DFSPH, implicit viscosity: rate", {"type": "dfsph", "implicitViscosity": 20}),
    shear_wave("sph_shear", "SPH, laminar: rate", {"type": "sph", "viscosityModel": "laminar", "viscosity": 0.02, "soundSpeed": 15,
                                             "smoothingLengthFactor": 1.5, "allowTension": True}),
    taylor_green("taylor_green", "SPH", {"type": "sph", "viscosityModel": "laminar", "soundSpeed": 15, "allowTension": True,
                                         "smoothingLengthFactor": 1.5}),
    taylor_green("dfsph_taylor_green", "DFSPH", {"type": "dfsph"}), cavity("dfsph_cavity", "DFSPH", {"type": "dfsph"}),
    cavity("sph_cavity", "SPH", {"type": "sph", "viscosityModel": "laminar", "smoothingLengthFactor": 1.5}),
    elliptic_drop(), drop_oscillation("dfsph"), drop_oscillation("sph"), drop_in_air(),
]
