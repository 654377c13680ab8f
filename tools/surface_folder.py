"""Reads a folder of surfaces that `merganser surface` has written: PLY or VTKHDF, one file a frame."""
import json
import re
from pathlib import Path

import h5py
import numpy as np

from run_folder import Frame, RunError, RunFolder

PLY_TYPES = {"float": "<f4", "int": "<i4"}


class SurfaceFolder(RunFolder):
    """Like a run's folder, but its frames are meshes; the scene is that of the run they were made from."""

    def __init__(self, path):
        self.path = Path(path)
        self.options = json.loads((self.path / "surface.json").read_text())
        scene = Path(self.options.get("run", "")) / "scene.json"
        self.scene = json.loads(scene.read_text()) if scene.is_file() else {}
        self.files = self._list_frames()
        if not self.files:
            raise RunError(f"no surface_*.ply or surface_*.vtkhdf in {self.path}; run `merganser surface` with --format ply or vtkhdf")

    @staticmethod
    def is_one(path):
        return (Path(path) / "surface.json").is_file()

    def _list_frames(self):
        found = {}
        for suffix in (".vtkhdf", ".ply"):
            for file in self.path.glob(f"surface_*{suffix}"):
                if match := re.fullmatch(r"surface_(\d+)", file.stem):
                    found[int(match[1])] = file
        return [(number, None, found[number]) for number in sorted(found)]

    def fluid_particles(self, frame):
        return np.ones(len(frame.points), bool)

    @staticmethod
    def _read_file(number, time, path):
        try:
            return read_ply(number, path) if path.suffix == ".ply" else read_vtkhdf(number, path)
        except (OSError, KeyError, ValueError, TypeError) as error:
            raise RunError(f"{path} is no surface of merganser ({error}); delete it and run `merganser surface` again") from error


def read_ply(number, path):
    content = path.read_bytes()
    end = content.index(b"end_header\n") + len(b"end_header\n")
    header = content[:end].decode("ascii")
    vertices, faces = (int(re.search(rf"element {kind} (\d+)", header)[1]) for kind in ("vertex", "face"))
    time = re.search(r"comment time (\S+) s", header)
    layout = np.dtype([(name, PLY_TYPES[kind]) for kind, name in re.findall(r"property (float|int) (\w+)\n", header)])
    vertex = np.frombuffer(content, layout, vertices, end)
    face = np.frombuffer(content, [("count", "u1"), ("corner", "<i4", 3)], faces, end + vertices * layout.itemsize)
    columns = lambda *names: np.stack([vertex[name] for name in names], axis=1)
    data = {"Normals": columns("nx", "ny", "nz"), "velocity": columns("vx", "vy", "vz")}
    data.update({name: vertex[name] for name in ("system", "body") if name in layout.names})
    return Frame(number, float(time[1]), columns("x", "y", "z"), data, face["corner"])


def read_vtkhdf(number, path):
    with h5py.File(path, "r") as file:
        group = file["VTKHDF"]
        data = {name: values[:] for name, values in group["PointData"].items()}
        return Frame(number, float(group["FieldData/time"][0]), group["Points"][:], data,
                     group["Polygons/Connectivity"][:].reshape(-1, 3))
