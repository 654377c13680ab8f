"""Reads a folder of meshes that `merganser surface` or `merganser skin` has written: PLY or VTKHDF, one file a frame."""
import re
from pathlib import Path

import numpy as np

from run_files import DAMAGE, RunError, open_image, portions, read_json, read_values
from run_folder import Frame, RunFolder, check_fields, read_scene

KINDS = ("surface", "skin")
PLY_TYPES = {"float": "<f4", "int": "<i4"}


class SurfaceFolder(RunFolder):
    """Like a run's folder, but its frames are meshes; the scene is that of the run they were made from."""

    def __init__(self, path):
        self.path = Path(path)
        self.kind = self.kind_of(path)
        self.options = read_json(self.path / f"{self.kind}.json", f"run `merganser {self.kind}` again with --overwrite")
        self.scene = read_scene(self.path / str(self.options.get("run", "")) / "scene.json")  # counts from the meshes' folder
        self.files = self._list_frames()
        if not self.files:
            raise RunError(f"no {self.kind}_*.ply or {self.kind}_*.vtkhdf in {self.path}; "
                           f"run `merganser {self.kind}` with --format ply or vtkhdf")

    @staticmethod
    def kind_of(path):
        """"surface" or "skin"; None where the folder holds neither."""
        return next((kind for kind in KINDS if (Path(path) / f"{kind}.json").exists()), None)

    @classmethod
    def is_one(cls, path):
        return cls.kind_of(path) is not None

    def _list_frames(self):
        found = {}
        for suffix in (".vtkhdf", ".ply"):
            for file in self.path.glob(f"{self.kind}_*{suffix}"):
                if match := re.fullmatch(rf"{self.kind}_(\d+)", file.stem):
                    found[int(match[1])] = file
        return [(number, None, found[number]) for number in sorted(found)]

    def fluid_particles(self, frame):
        return np.ones(len(frame.points), bool)

    @staticmethod
    def _read_file(number, time, path):
        remedy = f"delete it and run `merganser {path.stem.split('_')[0]}` again"
        try:
            frame = read_ply(number, path, remedy) if path.suffix == ".ply" else read_vtkhdf(number, path, remedy)
        except DAMAGE as error:
            raise RunError(f"{path} is no whole surface ({error}); {remedy}") from error
        check_fields(path, frame.points, frame.data, remedy)
        if len(frame.triangles) and not 0 <= frame.triangles.min() <= frame.triangles.max() < len(frame.points):
            raise RunError(f"{path}: its triangles have corners that are not there; {remedy}")
        return frame


def read_ply(number, path, remedy):
    content = b"".join(portions(path, remedy))
    end = content.index(b"end_header\n") + len(b"end_header\n")
    header = content[:end].decode("ascii")
    vertices, faces = (int(re.search(rf"element {kind} (\d+)", header)[1]) for kind in ("vertex", "face"))
    time = re.search(r"comment time (\S+) s", header)
    layout = np.dtype([(name, PLY_TYPES[kind]) for kind, name in re.findall(r"property (float|int) (\w+)\n", header)])
    vertex = np.frombuffer(content, layout, vertices, end)
    face = np.frombuffer(content, [("count", "u1"), ("corner", "<i4", 3)], faces, end + vertices * layout.itemsize)
    if end + vertices * layout.itemsize + face.nbytes != len(content) or (face["count"] != 3).any():
        raise ValueError("its faces are no triangles, or it has another length")
    columns = lambda *names: np.stack([vertex[name] for name in names], axis=1)
    data = {"Normals": columns("nx", "ny", "nz"), "velocity": columns("vx", "vy", "vz")}
    data.update({name: vertex[name] for name in ("system", "body") if name in layout.names})
    return Frame(number, float(time[1]), columns("x", "y", "z"), data, face["corner"])


def read_vtkhdf(number, path, remedy):
    with open_image(path, "surface", remedy) as file:
        group = file["VTKHDF"]
        data = {name: read_values(group["PointData"], name) for name in group["PointData"]}
        return Frame(number, float(read_values(group, "FieldData/time")[0]), read_values(group, "Points"), data,
                     read_values(group, "Polygons/Connectivity").reshape(-1, 3))
