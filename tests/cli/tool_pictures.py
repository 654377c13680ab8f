"""Pictures and movies of the particles of runs, and of surfaces."""
import json

import h5py

from run_folder import RunFolder
from tool_case import ToolCase, pixels, run_tool


class Pictures(ToolCase):
    def test_surfaces_are_drawn_alone_and_beside_particles(self):
        surfaces = self.write_surfaces("surfaces")
        for number in ("0", "1"):
            done = run_tool("render.py", surfaces, "--frame", number, "--size", "320x180", "--color", "body", "--camera", "iso")
            self.assertEqual(done.returncode, 0, done.stderr)
            image = pixels(done.stdout.strip())
            blue = (image[..., 2] > image[..., 0] + 40).mean()
            self.assertGreater(blue, 0.1)  # the ball
            self.assertLess(blue, 0.6)
        done = run_tool("render.py", surfaces, "--particles", "--beside", self.run_folder, "--frame", "0", "--size", "320x180", "-o", surfaces / "pair")
        self.assertEqual(done.returncode, 0, done.stderr)
        pair = pixels(done.stdout.strip())
        self.assertEqual(pair.shape, (180, 640, 3))
        for half in (pair[:, :320], pair[:, 320:]):
            self.assertGreater((half.min(axis=2) < 200).mean(), 0.01)

    def test_picture_shows_blue_fluid_and_warm_cloth_on_white(self):
        picture, = self.render("--frame", "0", "--color", "body")
        image = pixels(picture)
        self.assertEqual(image.shape, (180, 320, 3))
        red, green, blue = image[..., 0], image[..., 1], image[..., 2]
        self.assertGreater((image.min(axis=2) > 250).mean(), 0.2, "the background is white")
        self.assertGreater((blue > red + 60).sum(), 200, "the fluid is blue")
        self.assertGreater((red > blue + 60).sum(), 1000, "the cloth is warm")

    def test_default_makes_last_picture_and_a_movie_that_plays(self):
        picture, movie = self.render()
        self.assertEqual(picture.name, "frame_000002.png")
        import imageio_ffmpeg
        frames = imageio_ffmpeg.read_frames(str(movie))
        self.assertEqual(next(frames)["size"], (320, 180))
        self.assertEqual(sum(1 for _ in frames), 3)
        frames.close()

    def test_walls_move_as_in_the_solver(self):
        from scene_walls import pose
        motion = {"velocity": [0.3, -0.2, 0.1], "acceleration": [-0.1, 0, 0.2], "angularVelocity": [0.5, 1, -0.7], "centre": [0.2, 0.1, -0.3],
                  "amplitude": [0.1, 0.05, 0], "rotationAmplitude": [0, 0.3, 0.1], "frequency": 0.8, "phase": 0.4, "rampTime": 0.9,
                  "keyFrames": [{"time": 0, "position": [0, 0, 0], "rotationAxis": [0, 0, 1], "rotationAngle": 0},
                                {"time": 1, "position": [0.2, 0, 0.1], "rotationAxis": [0, 1, 1], "rotationAngle": 0.8},
                                {"time": 2, "position": [0, 0, 0], "rotationAxis": [0, 0, 1], "rotationAngle": 0}],
                  "interpolation": "smooth", "startTime": 0.1, "endTime": 1e30}
        # tests/kernels/moving_wall_test.cpp has the same numbers
        for time, place in ((0.6, [3.54764363, 0.7379398, 2.06420755]), (1.6, [3.53227642, -1.71682417, -2.08244319])):
            for found, expected in zip((pose(motion, time) @ [1, 2, 3, 1])[:3], place):
                self.assertAlmostEqual(found, expected, places=7)

    def test_obstacles_and_moving_walls_are_drawn(self):
        scene_file = self.run_folder / "scene.json"
        before = scene_file.read_text()
        scene = json.loads(before)
        ball = {"shape": "sphere", "centre": [0, 0, 0.3], "radius": 0.3, "inside": False,
                "motion": {"velocity": [0, 0, 0], "acceleration": [0, 0, 0], "angularVelocity": [0, 0, 0], "centre": [0, 0, 0],
                           "amplitude": [0, 0, 0], "rotationAmplitude": [0, 0, 0], "frequency": 0, "phase": 0, "rampTime": 0,
                           "keyFrames": [], "interpolation": "linear", "startTime": 0, "endTime": 1e30}}
        scene["walls"] = [ball, {"shape": "plane", "point": [0, 0, -1], "normal": [0, 0, 1]}]
        grey = lambda path: ((pixels(path).max(axis=2) - pixels(path).min(axis=2) < 40) & (pixels(path).max(axis=2) < 235)).sum()
        try:
            scene_file.write_text(json.dumps(scene))
            drawn, = self.render("--frame", "0", "-o", self.run_folder / "drawn")
            hidden, = self.render("--frame", "0", "--no-walls", "-o", self.run_folder / "hidden")
        finally:
            scene_file.write_text(before)
        self.assertGreater(grey(drawn), grey(hidden) + 1000)

    def test_obstacles_end_at_the_tank(self):
        """A pillar through the floor of a tank: what is below is not there; one that moves is drawn whole."""
        import numpy as np
        from scene_walls import visible_walls
        still = {"velocity": [0, 0, 0], "acceleration": [0, 0, 0], "angularVelocity": [0, 0, 0], "amplitude": [0, 0, 0], "rotationAmplitude": [0, 0, 0],
                 "keyFrames": []}
        pillar = {"shape": "box", "low": [0.4, 0.4, -0.5], "high": [0.6, 0.6, 0.3], "rotationAxis": [0, 0, 1], "rotationAngle": 0, "inside": False, "motion": still}
        tank = {"shape": "box", "low": [0, 0, 0], "high": [1, 1, 1], "rotationAxis": [0, 0, 1], "rotationAngle": 0, "inside": True, "motion": still}
        slope = {"shape": "plane", "point": [0, 0, 0.1], "normal": [0, 0, 2], "motion": still}
        points = np.array([[0.0, 0, 0], [1, 1, 0.5]])
        for others, low in ([], -0.5), ([tank], 0.0), ([slope], 0.1), ([tank, slope], 0.1):
            (mesh, motion), = visible_walls({"walls": [pillar, *others]}, points)
            self.assertIsNone(motion)
            for found, expected in zip(mesh.bounds, (0.4, 0.6, 0.4, 0.6, low, 0.3)):
                self.assertAlmostEqual(found, expected, places=6)
        buried = dict(pillar, high=[0.6, 0.6, -0.1])
        self.assertEqual(visible_walls({"walls": [buried, tank]}, points), [])
        moving = dict(pillar, motion=dict(still, velocity=[1, 0, 0]))
        (mesh, motion), = visible_walls({"walls": [moving, tank]}, points)
        self.assertAlmostEqual(mesh.bounds[4], -0.5, places=6)

    def test_walls_alone_are_cut(self):
        """A ball around the particles hides them until its near half is cut away; then they are seen as without it."""
        run = self.copy_of_the_run("walled")
        scene = json.loads((run / "scene.json").read_text())
        scene["walls"] = [{"shape": "sphere", "centre": [0, 0, 0], "radius": 3.0, "inside": False}]
        (run / "scene.json").write_text(json.dumps(scene))
        colourful = []
        for cut in ([], ["--wall-section", "y=0"], ["--no-walls"]):
            done = run_tool("render.py", run, "--particles", "--frame", 0, "--size", "320x180", "--camera", "0,-9,1,0,0,0.2", "--color", "body", *cut,
                            "-o", run / f"cut{len(cut)}")
            self.assertEqual(done.returncode, 0, done.stderr)
            image = pixels(done.stdout.strip())
            colourful.append((image.max(axis=2) - image.min(axis=2) > 60).sum())
        self.assertEqual(colourful[0], 0)
        self.assertGreater(colourful[2], 100)
        self.assertAlmostEqual(colourful[1] / colourful[2], 1, delta=0.05)  # the ball shades them

    def test_section_cuts_the_near_half_away(self):
        whole, = self.render("--frame", "0", "--camera", "top", "--section", "none", "-o", self.run_folder / "whole")
        cut, = self.render("--frame", "0", "--camera", "0,-3,1,0,0,0.2", "--section", "y=0", "-o", self.run_folder / "cut")
        uncut, = self.render("--frame", "0", "--camera", "0,-3,1,0,0,0.2", "-o", self.run_folder / "uncut")
        covered = lambda path: (pixels(path).min(axis=2) < 245).sum()
        self.assertGreater(covered(whole), 1000)
        # From the front the near half of the sheet covers more of the picture than the far half.
        self.assertLess(covered(cut), 0.65 * covered(uncut))

    def test_montage_puts_frames_side_by_side_and_colours_groups(self):
        sheet, = self.render("--montage", "0,2", "--color", "group")
        image = pixels(sheet)
        self.assertEqual(image.shape, (180, 640, 3))
        spread = lambda half: (half.max(axis=2) - half.min(axis=2) > 120).sum()
        self.assertGreater(spread(image[:, 320:]), spread(image[:, :320]) + 50, "merged particles have strong colours")

    def test_scene_gives_defaults_and_the_command_line_wins(self):
        scene = self.run_folder / "scene.json"
        kept = scene.read_text()
        try:
            content = json.loads(kept)
            content["render"] = {"camera": {"position": [0, 0, 500], "focus": [0, 0, 0], "up": [0, 1, 0]}, "color": "body"}
            scene.write_text(json.dumps(content))
            far, = self.render("--frame", "0", "-o", self.run_folder / "far")
            near, = self.render("--frame", "0", "--camera", "iso", "-o", self.run_folder / "near")
        finally:
            scene.write_text(kept)
        self.assertGreater((pixels(near).min(axis=2) < 245).sum(), 5 * (pixels(far).min(axis=2) < 245).sum())

    def test_radius_is_the_scenes_at_its_resolution(self):
        run = RunFolder(self.run_folder)
        frame = run.read(0)
        radius = run.scene["simulation"]["particleRadius"]
        self.assertAlmostEqual(run.particle_radius(frame), radius)
        run.scene = {"simulation": {"particleRadius": radius, "resolution": 0.5}}
        self.assertAlmostEqual(run.particle_radius(frame), 2 * radius)
        run.scene = {}  # half the spacing; the fluid's positions were disturbed by 8 %
        self.assertAlmostEqual(run.particle_radius(frame), radius, delta=0.2 * radius)

    def test_frames_without_a_series_file_are_found(self):
        run = RunFolder(self.run_folder)
        series = self.run_folder / "frames" / "frames.vtkhdf.series"
        kept = series.read_text()
        series.unlink()
        try:
            self.assertEqual(RunFolder(self.run_folder).numbers, run.numbers)
        finally:
            series.write_text(kept)

    def test_vtk_opens_what_the_synthetic_run_wrote(self):
        from vtkmodules.vtkIOHDF import vtkHDFReader
        reader = vtkHDFReader()
        reader.SetFileName(str(self.run_folder / "frames" / "frame_000000.vtkhdf"))
        reader.Update()
        with h5py.File(self.run_folder / "frames" / "frame_000000.vtkhdf") as file:
            self.assertEqual(reader.GetOutput().GetNumberOfPoints(), len(file["VTKHDF/Points"]))
