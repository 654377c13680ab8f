"""Frames and walls of a run of the program: what pictures need is there, moves as it should, and the reader on the page host/output/README.md
draws it.

    test_frames.py MERGANSER
"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}; tools/setup.sh installs it")
    sys.exit(77)
try:
    import pyvista
except ImportError:
    pyvista = None

MERGANSER = str(Path(sys.argv.pop(1)).resolve())
PAGE = Path(__file__).resolve().parents[2] / "host" / "output" / "README.md"
RADIUS, SPEED, TIME = 0.05, 2.0, 0.02
# Two triangles, 1 m wide.
FLAG = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"

SCENE = {
    "title": "Pictures", "simulation": {"particleRadius": RADIUS, "endTime": TIME, "frameRate": 1 / TIME, "gravitation": [0, 0, 0]},
    "systems": [
        {"name": "water", "type": "sph", "density0": 1000, "soundSpeed": 20, "bodies": [
            {"name": "drop", "shape": "box", "start": [0, 0, 0.2], "end": [0.4, 0.4, 0.6]}]},
        {"name": "threads", "type": "massSpring", "bodies": [
            {"name": "sheet", "shape": "sheet", "origin": [0, 0, 2], "edgeU": [0.4, 0, 0], "edgeV": [0, 0.3, 0], "arealDensity": 5,
             "stretchStiffness": 1000, "velocity": [0, 0, SPEED]}]}],
    "walls": [
        {"name": "floor", "shape": "plane", "point": [0, 0, -0.5], "normal": [0, 0, 1]},
        {"name": "lift", "shape": "box", "low": [2, 0, 0], "high": [3, 1, 1], "inside": False, "rotationAxis": [0, 0, 1],
         "rotationAngle": np.pi / 2, "motion": {"velocity": [0, 0, SPEED]}},
        {"name": "wheel", "shape": "sphere", "centre": [5, 0, 0], "radius": 1, "inside": False,
         "motion": {"angularVelocity": [0, 0, np.pi / 2 / TIME], "centre": [5, 0, 1]}},
        {"shape": "cylinder", "point": [0, 0, 0], "axis": [0, 0, 1], "radius": 9},
        {"shape": "capsule", "centre": [0, 5, 0], "axis": [0, 0, 2], "radius": 0.5, "length": 1, "inside": False},
        {"name": "flag", "shape": "mesh", "geometryFile": "flag.obj", "thickness": 0.1, "translation": [0, -4, 0], "inside": False}]}


def texts(values):
    return [value.decode() for value in values]


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        (cls.folder / "flag.obj").write_text(FLAG)
        (cls.folder / "scene.json").write_text(json.dumps(SCENE))
        subprocess.run([MERGANSER, "run", "scene.json", "-o", "run", "-q", "--device", "cpu"], cwd=cls.folder, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def frame(self, number):
        return h5py.File(self.folder / f"run/frames/frame_{number:06}.vtkhdf")["VTKHDF"]

    def walls(self):
        return h5py.File(self.folder / "run/walls.vtkhdf")["VTKHDF"]

    def test_radius_and_mass(self):
        points, names = self.frame(0)["PointData"], texts(self.frame(0)["FieldData/system_names"])
        self.assertTrue((points["radius"][:] == np.float32(RADIUS)).all())
        water = points["system"][:] == names.index("water")
        np.testing.assert_allclose(points["mass"][water], 1000 * (2 * RADIUS) ** 3, rtol=1e-6)
        np.testing.assert_allclose(points["mass"][~water].sum(), 5 * 0.4 * 0.3, rtol=1e-5)

    def test_names(self):
        fields = self.frame(0)["FieldData"]
        bodies, systems = texts(fields["body_names"]), texts(fields["system_names"])
        points = self.frame(0)["PointData"]
        lowest = np.argmin(self.frame(0)["Points"][:, 2])
        self.assertEqual(bodies[points["body"][lowest]], "drop")
        self.assertEqual(systems[points["system"][lowest]], "water")
        self.assertEqual((set(bodies), set(systems)), ({"drop", "sheet"}, {"water", "threads"}))
        self.assertEqual(texts(self.walls()["FieldData/wall_names"]), ["floor", "lift", "wheel", "walls[3]", "walls[4]", "flag"])

    def test_polygons_of_cloth(self):
        """They cover the sheet, wherever it is."""
        sheet = texts(self.frame(0)["FieldData/body_names"]).index("sheet")
        for number, height in ((0, 2), (1, 2 + SPEED * TIME)):
            frame = self.frame(number)
            corners = frame["Polygons/Connectivity"][:].reshape(-1, 3)
            self.assertEqual(set(frame["PointData/body"][:][corners].ravel()), {sheet})
            a, b, c = (frame["Points"][:][corners[:, k]] for k in range(3))
            np.testing.assert_allclose(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2, 0.4 * 0.3, rtol=1e-4)
            np.testing.assert_allclose(a[:, 2], height, rtol=1e-5)
            self.assertEqual(frame["Polygons/NumberOfCells"][0], len(corners))

    def wall_points(self, name, number=None):
        """Corners of a wall's triangles, where it is in a frame."""
        file = self.walls()
        wall = texts(file["FieldData/wall_names"]).index(name)
        corners = file["Polygons/Connectivity"][:].reshape(-1, 3)[file["CellData/wall"][:] == wall]
        points = file["Points"][:][np.unique(corners)].astype(float)
        if number is None:
            return points
        matrix = self.frame(number)["FieldData/wall_matrices"][wall].reshape(4, 4)
        return points @ matrix[:3, :3].T + matrix[:3, 3]

    def assert_bounds(self, points, low, high, accuracy=1e-5):
        np.testing.assert_allclose(points.min(axis=0), low, atol=accuracy)
        np.testing.assert_allclose(points.max(axis=0), high, atol=accuracy)

    def test_walls_that_stay(self):
        self.assert_bounds(self.wall_points("lift"), [2, 0, 0], [3, 1, 1])
        self.assert_bounds(self.wall_points("walls[4]"), [-0.5, 4.5, -1], [0.5, 5.5, 1], 0.01)  # facets of circles
        self.assert_bounds(self.wall_points("flag"), [0, -4, 0], [1, -3, 0])
        np.testing.assert_allclose(np.linalg.norm(self.wall_points("wheel") - [5, 0, 0], axis=1), 1, rtol=1e-5)
        np.testing.assert_allclose(self.wall_points("floor", 1)[:, 2], -0.5, atol=1e-6)
        low, high = self.wall_points("floor").min(axis=0), self.wall_points("floor").max(axis=0)
        for name in ("lift", "wheel", "walls[4]", "flag"):  # it reaches below all of them
            self.assertTrue((low[:2] <= self.wall_points(name).min(axis=0)[:2] + 1e-5).all(), name)
            self.assertTrue((high[:2] >= self.wall_points(name).max(axis=0)[:2] - 1e-5).all(), name)
        axis = self.wall_points("walls[3]")
        self.assertGreaterEqual(axis[:, 2].max(), 2)
        self.assertLessEqual(axis[:, 2].min(), -0.95)

    def test_walls_that_move(self):
        self.assert_bounds(self.wall_points("lift", 1), [2, 0, SPEED * TIME], [3, 1, 1 + SPEED * TIME])
        before, after = self.wall_points("wheel", 0) - [5, 0, 0], self.wall_points("wheel", 1) - [5, 0, 0]
        np.testing.assert_allclose(after, np.stack([-before[:, 1], before[:, 0], before[:, 2]], axis=1), atol=1e-5)  # a quarter turn

    @unittest.skipIf(pyvista is None, "PyVista is missing; tools/setup.sh installs it")
    def test_reader_of_the_page(self):
        block = re.search(r"```python\n(# (read_frame\.py)\n.*?)```", PAGE.read_text(), re.DOTALL)
        (self.folder / block[2]).write_text(block[1])
        done = subprocess.run([sys.executable, block[2], "run", "1", "picture.png"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        picture = pyvista.read(self.folder / "picture.png")
        colors = np.unique(picture.active_scalars.reshape(-1, picture.active_scalars.shape[-1])[:, :3], axis=0)
        self.assertGreater(len(colors), 50)  # shaded balls, not an empty page


unittest.main()
