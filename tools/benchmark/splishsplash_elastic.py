#!/usr/bin/env python3
"""A soft bar or cube by SPlisHSPlasH, for elastic_beside_splishsplash.py, which starts it with the Python that has the wheel.

    PYTHON splishsplash_elastic.py METHOD COUNTS SPACING YOUNG POISSON STEP END

METHOD peer (2018), kugelstadt (2021) or one of kee (2023): keeNewton, Newton's method on the stable Neo-Hookean material; keeQuasiNewton,
L-BFGS on the same; keeCorotated, L-BFGS on the corotated one, what the program takes where a scene names neither; each with ":ERROR", the
greatest change of a place [m] with which it stops (its own default: 1e-6; 1e-4 without). COUNTS particles along x, y, z with commas;
SPACING [m]; YOUNG [Pa]; POISSON; STEP, END [s]. Density 1000 kg/m^3, the first two layers in x are held, y is up. Its factors are not
taken from a cache. Writes into the working folder; the last line is a JSON object, before it what the program prints of its times.
"""
import json
import shutil
import sys
import time

from splishsplash_start import places_of, started

# Keys stand in a group of the method's name; given outside of it they are ignored.
NEWTON, QUASI_NEWTON, NEO_HOOKEAN, COROTATED = 0, 1, 0, 1
METHODS = {"peer": (2, "Peer et al. 2018", {}), "kugelstadt": (3, "Kugelstadt et al. 2021", {}),
           "keeNewton": (4, "Kee et al. 2023", {"solverType": NEWTON, "materialType": NEO_HOOKEAN}),
           "keeQuasiNewton": (4, "Kee et al. 2023", {"solverType": QUASI_NEWTON, "materialType": NEO_HOOKEAN}),
           "keeCorotated": (4, "Kee et al. 2023", {"solverType": QUASI_NEWTON, "materialType": COROTATED})}


def scene(method, counts, spacing, young, poisson, step, end):
    name, _, error = method.partition(":")
    number, group, choices = METHODS[name]
    keys = {"youngsModulus": young, "poissonsRatio": poisson, "alpha": 1.0, "fixedBoxMin": [-10, -10, -10],
            "fixedBoxMax": [2.5 * spacing, 10, 10], "maxError": float(error or 1e-4), "tolCG": 1e-4, "maxIterationsCG": 200,
            **choices}
    return {
        "Configuration": {
            "particleRadius": spacing / 2, "numberOfStepsPerRenderUpdate": 1, "density0": 1000, "gravitation": [0, -9.81, 0],
            "simulationMethod": 4, "cflMethod": 0, "timeStepSize": step, "stopAt": end, "maxIterations": 0, "maxError": 0.05,
            "enableDivergenceSolver": False, "boundaryHandlingMethod": 0},
        "Materials": [{"id": "Fluid", "density0": 1000, "elasticityMethod": number, group: keys}],
        # Its block leaves out a layer at the end: particles stand at 1, 2, .. spacings.
        "FluidBlocks": [{"id": "Fluid", "denseMode": 0, "start": [0, 0, 0], "end": [(n + 1) * spacing for n in counts],
                         "translation": [0, 0, 0], "scale": [1, 1, 1]}]}


def main():
    method, counts = sys.argv[1], [int(n) for n in sys.argv[2].split(",")]
    spacing, young, poisson, step, end = [float(value) for value in sys.argv[3:8]]
    shutil.rmtree("Cache", ignore_errors=True)
    sph, base, fluid = started(scene(method, counts, spacing, young, poisson, step, end), end)
    lowest_at_start = min(float(p[1]) for p in places_of(fluid))
    begin = time.perf_counter()
    base.runSimulation()
    seconds = time.perf_counter() - begin
    places = places_of(fluid)
    print(json.dumps({"particles": len(places), "wall_seconds": seconds, "time": sph.TimeManager.getCurrent().getTime(),
                      "tip": min(float(p[1]) for p in places) - lowest_at_start,
                      "held": min(float(p[1]) for p in places if p[0] < 2.5 * spacing) - lowest_at_start}))
    base.cleanup()


if __name__ == "__main__":
    main()
