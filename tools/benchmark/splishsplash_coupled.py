#!/usr/bin/env python3
"""A soft cube that falls into a tank of water by SPlisHSPlasH (DFSPH, volume maps, elasticity of Kugelstadt et al. 2021), for
coupled_beside_splishsplash.py, which starts it with the Python that has the wheel.

    PYTHON splishsplash_coupled.py CASE.json

CASE: the object that coupled_beside_splishsplash.py describes. y is up. Writes into the working folder; the last line is a JSON object.
"""
import json
import shutil
import sys
import time
from pathlib import Path

from splishsplash_dam_break import box_mesh
from splishsplash_start import places_of, started


def upright(v):
    """Lengths along x, y, z with z up, in their order with y up."""
    return [v[0], v[2], v[1]]


def block(name, first, counts, spacing):
    """Their block leaves out a layer at both ends: particles stand at its start + 1, 2, .. spacings."""
    start = [x - spacing for x in upright(first)]
    end = [x + (n + 1) * spacing for x, n in zip(start, upright(counts))]
    return {"id": name, "denseMode": 0, "start": start, "end": end, "translation": [0, 0, 0], "scale": [1, 1, 1]}


def scene(case):
    spacing, tank = case["spacing"], upright(case["tank"])
    Path("box.obj").write_text(box_mesh())
    materials = [{"id": "water", "density0": 1000, "viscosityMethod": 1, "Standard viscosity": {"viscosity": case["viscosity"]}}]
    blocks = [block("water", case["water"]["first"], case["water"]["counts"], spacing)]
    materials.append({"id": "cube", "density0": case["cube"]["density0"], "elasticityMethod": 3,
                      "Kugelstadt et al. 2021": {"youngsModulus": case["youngsModulus"], "poissonsRatio": case["poissonRatio"], "alpha": 1.0,
                                                 "maxError": 1e-4}})
    blocks.append(block("cube", case["cube"]["first"], case["cube"]["counts"], spacing))
    return {
        "Configuration": {
            "particleRadius": spacing / 2, "numberOfStepsPerRenderUpdate": 1, "density0": 1000, "gravitation": [0, -9.81, 0],
            "simulationMethod": 4, "cflMethod": 1, "cflFactor": 0.5, "timeStepSize": 0.001, "cflMinTimeStepSize": 1e-5,
            "cflMaxTimeStepSize": case["longest_step"], "stopAt": case["end"], "boundaryHandlingMethod": 2,
            "DFSPH": {"minIterations": 2, "maxIterations": 100, "maxError": case["tolerance"], "maxIterationsV": 100, "maxErrorV": 0.1,
                      "enableDivergenceSolver": True}},
        "Materials": materials,
        "RigidBodies": [{"geometryFile": str(Path("box.obj").resolve()), "translation": [x / 2 for x in tank], "rotationAxis": [1, 0, 0],
                         "rotationAngle": 0, "scale": tank, "isDynamic": False, "isWall": True, "mapInvert": True, "mapThickness": 0.0,
                         "mapResolution": [30, 30, 20]}],
        "FluidBlocks": blocks}


def main():
    case = json.loads(Path(sys.argv[1]).read_text())
    shutil.rmtree("Cache", ignore_errors=True)
    sph, base, _ = started(scene(case), case["end"])
    simulation, clock = sph.Simulation.getCurrent(), sph.TimeManager.getCurrent()
    models = {simulation.getFluidModel(k).getId(): simulation.getFluidModel(k) for k in range(simulation.numberOfFluidModels())}
    iterations = []
    base.setTimeStepCB(lambda: iterations.append(simulation.getTimeStep().getValueUInt(sph.TimeStepDFSPH.SOLVER_ITERATIONS)))
    begin = time.perf_counter()
    base.runSimulation()
    seconds = time.perf_counter() - begin
    result = {"particles": sum(model.numActiveParticles() for model in models.values()), "wall_seconds": seconds, "time": clock.getTime(),
              "steps": len(iterations), "iterations": sum(iterations) / max(1, len(iterations))}
    heights = [float(p[1]) for p in places_of(models["cube"])]
    water = [float(p[1]) for p in places_of(models["water"])]
    result["mean"], result["water"] = sum(heights) / len(heights), sum(water) / len(water)
    print(json.dumps(result))
    base.cleanup()


if __name__ == "__main__":
    main()
