"""What the tests of the Python tools share: a made-up run, and calls of the tools."""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "support")]

try:
    import h5py
    import numpy as np
    import pyvista
    from PIL import Image

    from synthetic_run import write_run
except ImportError as missing:
    print(f"SKIPPED: {missing}; tools/setup.sh makes the Python environment of the tools")
    sys.exit(77)


def run_tool(name, *arguments):
    return subprocess.run([sys.executable, str(ROOT / "tools" / name), *map(str, arguments)], capture_output=True, text=True)


def pixels(path):
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


class ToolCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.run_folder = Path(cls.scratch.name) / "run"
        write_run(cls.run_folder, fluid=600, frames=3)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def render(self, *arguments):
        done = run_tool("render.py", self.run_folder, "--particles", "--size", "320x180", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [Path(line) for line in done.stdout.split()]

    def write_surfaces(self, name, kind="surface", system=0, radius=0.2):
        """Two frames of a ball as `merganser surface` or `merganser skin` write them: one PLY, one VTKHDF."""
        folder = Path(self.scratch.name) / name
        folder.mkdir()
        (folder / f"{kind}.json").write_text(json.dumps({"method": "sum", "run": str(self.run_folder)}))
        ball = pyvista.Icosphere(radius=radius, nsub=3)
        points, corners = ball.points.astype("<f4"), ball.regular_faces.astype("<i4")
        names = ["x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz"]
        vertices = np.zeros(len(points), [(n, "<f4") for n in names] + [("system", "<i4")])
        for k in range(3):
            vertices[names[k]], vertices[names[3 + k]] = points[:, k], points[:, k] / radius
        vertices["system"] = system
        faces = np.zeros(len(corners), [("count", "u1"), ("corner", "<i4", 3)])
        faces["count"], faces["corner"] = 3, corners
        header = (f"ply\nformat binary_little_endian 1.0\ncomment time 0.5 s\nelement vertex {len(points)}\n"
                  + "".join(f"property float {n}\n" for n in names) + "property int system\n"
                  + f"element face {len(corners)}\nproperty list uchar int vertex_indices\nend_header\n")
        (folder / f"{kind}_000000.ply").write_bytes(header.encode() + vertices.tobytes() + faces.tobytes())
        with h5py.File(folder / f"{kind}_000001.vtkhdf", "w") as file:
            group = file.create_group("VTKHDF")
            group["Points"], group["Polygons/Connectivity"] = points, corners.ravel()
            group["PointData/Normals"], group["PointData/velocity"] = points / radius, np.zeros_like(points)
            group["PointData/system"] = np.full(len(points), system, np.int32)
            group["FieldData/time"] = np.array([0.52])
        return folder

    def copy_of_the_run(self, name):
        folder = Path(self.scratch.name) / name
        shutil.copytree(self.run_folder, folder, ignore=shutil.ignore_patterns("pictures", "plots"))
        return folder

    def refused(self, tool, *arguments):
        """The one line that a tool ends with."""
        done = run_tool(tool, *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr
