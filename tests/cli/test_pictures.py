"""A run of the program with fluid, cloth, a rope, solids and a tank: its picture and movie without an option, and its plots beside another's.

    test_pictures.py MERGANSER
"""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tool_case import ROOT, pixels  # skips where the tools' environment is missing

MERGANSER = str(Path(sys.argv.pop(1)).resolve())

SCENE = {
    "title": "All kinds", "simulation": {"particleRadius": 0.02, "endTime": 0.06, "frameRate": 50},
    "systems": [
        {"name": "threads", "type": "massSpring", "bodies": [
            {"name": "sheet", "shape": "sheet", "origin": [-0.4, -0.4, 0.3], "edgeU": [0.8, 0, 0], "edgeV": [0, 0.8, 0], "arealDensity": 5,
             "stretchStiffness": 4000, "pinned": "edges"},
            {"name": "line", "shape": "rope", "start": [-0.4, 0.5, 0.9], "end": [0.4, 0.5, 0.9], "lineDensity": 0.1,
             "stretchStiffness": 4000, "pinned": "ends"}]},
        {"name": "jelly", "type": "elasticSph", "bodies": [
            {"name": "cube", "shape": "box", "start": [0.5, -0.1, 0], "end": [0.7, 0.1, 0.2], "density0": 1000, "youngsModulus": 1e5,
             "poissonRatio": 0.3}]},
        {"name": "water", "type": "sph", "density0": 1000, "soundSpeed": 30, "viscosity": 0.05, "bodies": [
            {"name": "drop", "shape": "sphere", "centre": [0, 0, 0.52], "radius": 0.16}]}],
    "walls": [{"shape": "box", "low": [-0.8, -0.8, 0], "high": [0.8, 0.8, 3]}]}


def tool(name, *arguments, folder):
    return subprocess.run([sys.executable, str(ROOT / "tools" / name), *map(str, arguments)], capture_output=True, text=True, cwd=folder)


class RunOfTheProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        (cls.folder / "scene.json").write_text(json.dumps(SCENE))
        for name, more in (("run", []), ("other", ["--set", "systems.water.viscosity=0.2"])):
            subprocess.run([MERGANSER, "run", "scene.json", "-o", f"deep/{name}", "-q", *more], cwd=cls.folder, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_picture_and_movie_without_an_option(self):
        """From another current folder, by a relative path; --size keeps the test short."""
        before = sorted(os.listdir(self.folder / "deep/run"))
        done = tool("render.py", "run", "--merganser", MERGANSER, "--size", "320x180", folder=self.folder / "deep")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.split(), ["run/pictures/frame_000003.png", "run/pictures/movie.mp4"])
        self.assertEqual(sorted(os.listdir(self.folder / "deep/run")), sorted([*before, "pictures"]))
        image = pixels(self.folder / "deep/run/pictures/frame_000003.png")
        red, green, blue = image[..., 0], image[..., 1], image[..., 2]
        self.assertGreater((blue > red + 40).sum(), 400, "water")
        self.assertGreater(((red > blue + 8) & (red > 150) & (red < blue + 60)).sum(), 1000, "pale cloth")
        self.assertGreater((red > blue + 50).sum(), 100, "the cube")
        grey = image.max(axis=2) - image.min(axis=2) < 12
        dark = (image.min(axis=2) > 145) & (image.min(axis=2) < 165)  # of 240, less 36 %
        self.assertGreater((grey & dark).sum(), 500, "shadows on the ground")
        self.assertGreater((grey & (image.min(axis=2) > 225)).mean(), 0.2, "the background")

    def test_plots_of_two_runs(self):
        done = tool("plot.py", "run", "../deep/other", "-o", "plots", folder=self.folder / "deep")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        self.assertIn("plots/plot_energy.png", done.stdout.split())
        both = pixels(self.folder / "deep/plots/plot_energy.png")
        one = tool("plot.py", self.folder / "deep/run", "-o", self.folder / "alone", folder="/")
        self.assertEqual(one.returncode, 0, one.stderr)
        alone = pixels(self.folder / "alone/plot_energy.png")
        self.assertEqual(both.shape, alone.shape)
        self.assertGreater((both != alone).any(axis=2).sum(), 1000)
        twice = tool("plot.py", "run", "../deep/run", folder=self.folder / "deep")
        self.assertEqual(twice.returncode, 2)
        self.assertIn("named twice", twice.stderr)

    def test_legends_are_beside_the_axes_and_axes_have_units(self):
        import matplotlib.pyplot as plt

        import plot
        from plot_curves import PLOTS
        from run_files import read_statistics
        tables = {name: read_statistics(self.folder / f"deep/{name}/statistics.csv") for name in ("run", "other")}
        figures = []
        plt.close, close = figures.append, plt.close
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                for names in (["run"], ["run", "other"]):
                    for name, of in PLOTS.items():
                        plot.draw(of, [(n, tables[n]) for n in names], self.folder / f"{name}.png")
        finally:
            plt.close = close
        lines = [len(figure.axes[0].lines) for figure in figures]
        self.assertEqual(lines[len(PLOTS)], 2 * lines[0], "both runs' energies")
        drawn = 0
        for figure in figures:
            axes, = figure.axes
            if not axes.get_ylabel():
                continue
            drawn += 1
            self.assertIsNone(axes.get_legend())
            self.assertIn("[s]", axes.get_xlabel())
            self.assertRegex(axes.get_ylabel(), r"\[.+\]|count")
            self.assertGreater(len(axes.get_title(loc="left")), 30)
            inside = axes.get_window_extent()
            for legend in figure.legends:
                self.assertFalse(legend.get_window_extent().overlaps(inside), axes.get_ylabel())
            close(figure)
        self.assertGreaterEqual(drawn, 12)


if __name__ == "__main__":
    unittest.main()
