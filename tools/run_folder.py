"""Reads a run's folder: the resolved scene, the list of frames, and frames (VTKHDF PolyData, read as plain HDF5)."""
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np

FLUID_TYPES = ("sph", "dfsph", "flip")  # system types whose particles are fluid


class RunError(Exception):
    """What is wrong with the run's folder, and what to do about it."""


@dataclass
class Frame:
    number: int
    time: float  # [s]
    points: np.ndarray  # (n, 3) [m]
    data: dict = field(default_factory=dict)  # name -> (n,) or (n, 3)
    triangles: np.ndarray = None  # (m, 3) indices of points, where the frame is a surface

    def speed(self):
        return np.linalg.norm(self.require("velocity"), axis=1)

    def require(self, name):
        if name not in self.data:
            there = ", ".join(sorted(self.data)) or "none"
            raise RunError(f"frame {self.number} has no field '{name}'; its fields are: {there}")
        return self.data[name]

    def select(self, mask):
        return Frame(self.number, self.time, self.points[mask], {k: v[mask] for k, v in self.data.items()})


class RunFolder:
    """A folder that `merganser run -o DIR` has written or is still writing."""

    def __init__(self, path):
        self.path = Path(path)
        if not self.path.is_dir():
            raise RunError(f"no folder '{path}'; give the one that `merganser run -o DIR` wrote")
        scene = self.path / "scene.json"
        try:
            self.scene = json.loads(scene.read_text()) if scene.exists() else {}
        except json.JSONDecodeError as error:
            raise RunError(f"{scene} is not JSON ({error}); run the scene again") from error
        self.files = self._list_frames()
        if not self.files:
            raise RunError(f"no frames in {self.path / 'frames'} yet; did the run write any?")

    def _list_frames(self):
        """[(number, time, path)] in the order of the series file; without one, all frames there are."""
        folder = self.path / "frames"
        series = folder / "frames.vtkhdf.series"
        if series.exists():
            entries = [(e["name"], float(e["time"])) for e in json.loads(series.read_text())["files"]]
        else:
            entries = [(f.name, None) for f in sorted(folder.glob("frame_*.vtkhdf"))]
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

    @staticmethod
    def _read_file(number, time, path):
        try:
            with h5py.File(path, "r") as file:
                group = file["VTKHDF"]
                points = group["Points"][:].astype(np.float32)
                point_data = group.get("PointData", {})
                data = {name: point_data[name][:] for name in point_data}
                if time is None and "FieldData/TimeValue" in group:
                    time = float(np.ravel(group["FieldData/TimeValue"][:])[0])
        except (OSError, KeyError) as error:
            raise RunError(f"{path} is no VTKHDF frame ({error}); delete it and render again") from error
        for name, values in data.items():
            if len(values) != len(points):
                raise RunError(f"{path}: field '{name}' has {len(values)} values for {len(points)} points")
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
