"""Reads a run's folder: the resolved scene, the list of frames, and frames (VTKHDF PolyData, read as plain HDF5)."""
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from run_files import DAMAGE, RunError, open_image, read_json, read_values, warn

FLUID_TYPES = ("sph", "dfsph", "flip")  # system types whose particles are fluid


@dataclass
class Frame:
    number: int
    time: float  # [s]
    points: np.ndarray  # (n, 3) [m]
    data: dict = field(default_factory=dict)  # name -> (n,) or (n, 3)
    triangles: np.ndarray = None  # (m, 3) indices of points, where the frame is a surface
    meshes: list = field(default_factory=list)  # frames of surfaces that are drawn instead of particles

    def speed(self):
        return np.linalg.norm(self.require("velocity"), axis=1)

    def hidden(self):
        """True where one of the meshes takes a particle's place: that of its body, or of its system.

        Rubble stays: what was inside a brittle body has no surface, and more than half of its bonds are broken."""
        hidden = np.zeros(len(self.points), bool)
        for mesh in self.meshes:
            name = "body" if "body" in mesh.data else "system"
            hidden |= np.isin(self.require(name), mesh.require(name))
        return hidden & ~(self.data["damage"] > 0.5) if "damage" in self.data else hidden

    def require(self, name):
        if name not in self.data:
            there = ", ".join(sorted(self.data)) or "none"
            raise RunError(f"frame {self.number} has no field '{name}'; its fields are: {there}")
        return self.data[name]

    def select(self, mask):
        return Frame(self.number, self.time, self.points[mask], {k: v[mask] for k, v in self.data.items()})


def check_fields(path, points, data, remedy):
    """Every field has a value a point; vectors have three components, texture coordinates two."""
    shapes = {"Points": points.shape[1:], **{name: values.shape[1:] for name, values in data.items()}}
    for name, shape in shapes.items():
        if shape != {"Points": (3,), "velocity": (3,), "Normals": (3,), "TextureCoordinates": (2,)}.get(name, ()):
            raise RunError(f"{path}: field '{name}' has another shape than a frame's; {remedy}")
    for name, values in data.items():
        if len(values) != len(points):
            raise RunError(f"{path}: field '{name}' has {len(values)} values for {len(points)} points; {remedy}")


def read_scene(path):
    """The resolved scene, as far as the tools use it; empty where there is none."""
    if not path.exists():
        return {}
    scene = read_json(path)
    simulation, systems, render = scene.get("simulation", {}), scene.get("systems", []), scene.get("render", {})
    sizes = [simulation.get(key, 1) for key in ("particleRadius", "resolution")] if isinstance(simulation, dict) else [None]
    if not all(isinstance(v, (int, float)) and 0 < v < float("inf") for v in sizes):
        raise RunError(f"{path}: simulation.particleRadius and simulation.resolution must be positive numbers; run the scene again")
    if not isinstance(systems, list) or not all(isinstance(s, dict) for s in systems):
        raise RunError(f"{path}: systems must be a list of objects; run the scene again")
    kinds = {"camera": dict, "section": str, "color": str, "title": str}
    if not isinstance(render, dict) or not all(isinstance(render.get(key, kind()), kind) for key, kind in kinds.items()):
        raise RunError(f"{path}: render must be an object of camera (an object), section, color and title (texts); correct it")
    walls = scene.get("walls", [])
    for wall in walls if isinstance(walls, list) else []:
        if isinstance(wall, dict) and isinstance(wall.get("geometryFile"), str):
            wall["geometryFile"] = str(path.parent / wall["geometryFile"])
    return scene


class RunFolder:
    """A folder that `merganser run -o DIR` has written or is still writing."""

    def __init__(self, path):
        self.path = Path(path)
        if not self.path.is_dir():
            raise RunError(f"no folder '{path}'; give the one that `merganser run -o DIR` wrote")
        self.scene = read_scene(self.path / "scene.json")
        self.files = self._list_frames()
        if not self.files:
            raise RunError(f"no frames in {self.path / 'frames'} yet; did the run write any?")

    def _list_frames(self):
        """[(number, time, path)] in the order of the series file; without one, all frames there are."""
        folder = self.path / "frames"
        series = folder / "frames.vtkhdf.series"
        entries = [(f.name, None) for f in sorted(folder.glob("frame_*.vtkhdf"))]
        if series.exists():
            try:
                entries = [(Path(e["name"]).name, float(e["time"])) for e in read_json(series)["files"]]
            except (RunError, KeyError, TypeError, ValueError) as error:
                warn(f"{series} is damaged ({error}); all frames in the folder are taken")
        frames = []
        for i, (name, time) in enumerate(entries):
            digits = re.search(r"(\d+)\.vtkhdf$", name)
            if (folder / name).exists():
                frames.append((int(digits[1]) if digits else i, time, folder / name))
        return frames

    @property
    def numbers(self):
        return [number for number, _, _ in self.files]

    def read(self, number):
        for n, time, path in self.files:
            if n == number:
                return self._read_file(n, time, path)
        raise RunError(f"no frame {number}; the frames are {self.numbers[0]} to {self.numbers[-1]}")

    def read_drawn(self, number):
        """The frame with all that a picture of it shows."""
        return self.read(number)

    @staticmethod
    def _read_file(number, time, path):
        remedy = "delete it and run the scene again"
        try:
            with open_image(path, "frame", remedy) as file:
                group = file["VTKHDF"]
                points = read_values(group, "Points").astype(np.float32)
                data = {name: read_values(group["PointData"], name) for name in group.get("PointData", {})}
                if time is None and "FieldData/TimeValue" in group:
                    time = float(read_values(group, "FieldData/TimeValue").ravel()[0])
        except DAMAGE as error:
            raise RunError(f"{path} is no whole frame ({error}); {remedy}") from error
        check_fields(path, points, data, remedy)
        return Frame(number, time if time is not None else float(number), points, data)

    def fluid_particles(self, frame):
        """True where a particle belongs to a fluid: by the scene's system types, else where a density is given."""
        systems = self.scene.get("systems")
        if isinstance(systems, list) and "system" in frame.data:
            types = np.array([str(s.get("type", "")).lower() in FLUID_TYPES for s in systems if isinstance(s, dict)])
            if len(types) > frame.data["system"].max(initial=0):
                return types[frame.data["system"]]
        if "density" in frame.data:
            return frame.data["density"] > 0
        return np.zeros(len(frame.points), bool)

    def particle_radius(self, frame):
        """[m] of the frame's `radius` field; else the scene's at its resolution; else half the distance to the nearest."""
        if "radius" in frame.data and len(frame.points):
            return float(np.median(frame.data["radius"]))
        simulation = self.scene.get("simulation", {})
        if simulation.get("particleRadius"):
            resolution = simulation.get("resolution", self.scene.get("resolution", 1))
            return float(simulation["particleRadius"]) / float(resolution)
        points = frame.points
        if len(points) < 2:
            return 0.01
        picks = np.random.default_rng(1).choice(len(points), min(len(points), 200), replace=False)
        nearest = [np.partition(np.square(points - points[i]).sum(axis=1), 1)[1] for i in picks]
        return 0.5 * float(np.sqrt(np.median(nearest))) or 0.01
