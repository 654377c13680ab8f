#!/usr/bin/env python3
"""A dam break by SPlisHSPlasH (DFSPH or WCSPH, volume maps), for beside_splishsplash.py, which starts it with the Python
that has the wheel.

    PYTHON splishsplash_dam_break.py METHOD END SPACING SIZES TOLERANCE VISCOSITY

METHOD dfsph or wcsph; END [s]; SPACING [m]; SIZES six lengths [m] with commas: column, then tank; TOLERANCE of the density
[%]; VISCOSITY of its standard viscosity [m^2/s]. y is up. Writes into the working folder; the last line is a JSON object.
"""
import json
import sys
import time
from pathlib import Path

from splishsplash_start import places_of, started

CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]  # seen from outside


def box_mesh():
    """A unit cube whose normals point outwards."""
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS]
    for a, b, c, d in FACES:
        lines += [f"f {a + 1} {b + 1} {c + 1}", f"f {a + 1} {c + 1} {d + 1}"]
    return "\n".join(lines) + "\n"


def scene(method, end, spacing, column, tank, tolerance, viscosity):
    radius = spacing / 2
    Path("box.obj").write_text(box_mesh())
    return {
        "Configuration": {
            "particleRadius": radius, "numberOfStepsPerRenderUpdate": 1, "density0": 1000, "gravitation": [0, -9.81, 0],
            "simulationMethod": 4 if method == "dfsph" else 0, "cflMethod": 1, "cflFactor": 0.5 if method == "dfsph" else 0.4,
            "timeStepSize": 0.001, "cflMinTimeStepSize": 1e-5, "cflMaxTimeStepSize": 0.005, "stopAt": end, "boundaryHandlingMethod": 2,
            "DFSPH": {"minIterations": 2, "maxIterations": 100, "maxError": tolerance, "maxIterationsV": 100, "maxErrorV": 0.1,
                      "enableDivergenceSolver": True},
            "WCSPH": {"stiffness": 100000, "exponent": 7}},
        "Materials": [{"id": "Fluid", "density0": 1000, "viscosityMethod": 1, "Standard viscosity": {"viscosity": viscosity}}],
        "RigidBodies": [{"geometryFile": str(Path("box.obj").resolve()), "translation": [tank[0] / 2, tank[1] / 2, tank[2] / 2],
                         "rotationAxis": [1, 0, 0], "rotationAngle": 0, "scale": tank, "isDynamic": False, "isWall": True,
                         "mapInvert": True, "mapThickness": 0.0, "mapResolution": [30, 20, 10]}],
        # Its block leaves out a layer at both ends: the first particles stand at 3 radii, a layer off the walls.
        "FluidBlocks": [{"id": "Fluid", "denseMode": 0, "start": [radius] * 3, "end": [column[0], column[1], column[2] - radius],
                         "translation": [0, 0, 0], "scale": [1, 1, 1]}]}


def height_at_wall(places, spacing):
    """That 99 % of the particles within two spacings of the wall do not exceed: single ones that shoot up do not count."""
    heights = sorted(float(p[1]) for p in places if p[0] < 2 * spacing)
    return heights[int(0.99 * (len(heights) - 1))]


def main():
    method, sizes = sys.argv[1], [float(x) for x in sys.argv[4].split(",")]
    end, spacing, tolerance, viscosity = float(sys.argv[2]), float(sys.argv[3]), float(sys.argv[5]), float(sys.argv[6])
    sph, base, fluid = started(scene(method, end, spacing, sizes[:3], sizes[3:], tolerance, viscosity), end)
    simulation, clock = sph.Simulation.getCurrent(), sph.TimeManager.getCurrent()
    iterations = []

    def stepped():
        if method == "dfsph":
            step = simulation.getTimeStep()
            iterations.append(step.getValueUInt(sph.TimeStepDFSPH.SOLVER_ITERATIONS))
        else:
            iterations.append(0)

    base.setTimeStepCB(stepped)
    begin = time.perf_counter()
    base.runSimulation()
    seconds = time.perf_counter() - begin
    places = places_of(fluid)
    count = len(places)
    print(json.dumps({"particles": count, "wall_seconds": seconds, "time": clock.getTime(), "steps": len(iterations),
                      "iterations": sum(iterations) / max(1, len(iterations)), "front": max(float(p[0]) for p in places),
                      "height": height_at_wall(places, spacing),
                      "mean_density_error_percent": 100 * sum(max(0.0, fluid.getDensity(i) / 1000 - 1) for i in range(count)) / count}))
    base.cleanup()


if __name__ == "__main__":
    main()
