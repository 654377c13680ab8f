"""Starts SPlisHSPlasH on a scene: for the scripts that the Python with its wheel runs, which has none of our packages."""
import json
from pathlib import Path


def started(scene, end):
    """The module, the simulator and its one fluid. Writes into the working folder. `end`: [s]."""
    Path("scene.json").write_text(json.dumps(scene))
    import pysplishsplash as sph
    base = sph.Exec.SimulatorBase()
    base.init(useGui=False, sceneFile=str(Path("scene.json").resolve()), outputDir=str(Path("out").resolve()), initialPause=False)
    base.setValueFloat(base.STOP_AT, end)
    base.initSimulation()
    return sph, base, sph.Simulation.getCurrent().getFluidModel(0)


def places_of(fluid):
    return [fluid.getPosition(i) for i in range(fluid.numActiveParticles())]
