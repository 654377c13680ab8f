"""Pictures of runs as scenes: which meshes are drawn, who makes them, and the light on them."""
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pyvista

from tool_case import ROOT, ToolCase, pixels, run_tool


class Scenes(ToolCase):
    def setUp(self):
        self.run = self.copy_of_the_run(self.id().rsplit(".", 1)[1])
        self.blue = lambda path: int((pixels(path)[..., 2] > pixels(path)[..., 0] + 30).sum())

    def picture(self, *arguments, frame=0):
        done = run_tool("render.py", self.run, "--frame", frame, "--size", "320x180", "--camera", "iso", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Path(done.stdout.strip()), done.stderr

    def program(self, *folders):
        """An executable that notes its arguments and copies the meshes that it is asked for from `folders`."""
        file, self.calls = self.run.parent / "program", self.run.parent / "calls"
        made = " ".join(map(str, folders))
        file.write_text(f"""#!/bin/sh
echo "$@" >> {self.calls}
mkdir -p "$7"
for folder in {made}; do
  cp "$folder/$1.json" "$7"
  for number in $(seq ${{5%:*}} ${{5#*:}}); do cp "$folder/$1_00000$number".* "$7"; done
done 2> /dev/null
true
""")
        file.chmod(0o755)
        self.calls.write_text("")
        return file

    def test_surfaces_of_the_run_are_drawn_in_the_place_of_particles(self):
        self.write_surfaces(f"{self.run.name}/surface", system=0)
        scene, said = self.picture()
        self.assertEqual(said, "")
        water = self.blue(scene)
        self.assertGreater(water, 300)  # a ball of 0.2 m
        particles, said = self.picture("--particles", "--color", "body", "-o", self.run / "particles")
        self.assertEqual(said, "")
        self.assertNotEqual(self.blue(particles), water)
        spheres, _ = self.picture("--no-surfaces", "-o", self.run / "spheres")
        self.assertGreater(abs(self.blue(spheres) - water), 300)

    def test_what_the_run_lacks_is_made_for_the_picture_and_removed(self):
        made = self.write_surfaces("made_surfaces"), self.write_surfaces("made_skins", "skin", system=1, radius=0.1)
        scene = self.run / "scene.json"
        scene.write_text(scene.read_text().replace('"type": "massSpring"', '"type": "massSpring", "bodies": [{"name": "sheet", "shape": "sheet"}]'))
        program = self.program(*made)
        before = sorted(self.run.iterdir())
        with_meshes, said = self.picture("--merganser", program)
        self.assertEqual(said, "")
        calls = self.calls.read_text().splitlines()
        self.assertEqual(len(calls), 2)
        self.assertRegex(calls[0], rf"^skin {self.run} -q --frames 0 -o \S+/skin --device cpu --thickness 0\.0\d+$")
        self.assertRegex(calls[1], rf"^surface {self.run} -q --frames 0 -o \S+/surface --device cpu --method sum --cell-size 0.5 --smooth 8$")
        self.assertEqual(sorted(self.run.iterdir()), sorted([*before, self.run / "pictures"]), "nothing is left behind")
        self.assertGreater(self.blue(with_meshes), 300)
        self.calls.write_text("")
        bare, _ = self.picture("--merganser", program, "--particles", "-o", self.run / "bare")
        self.assertEqual(self.calls.read_text(), "")
        self.picture("--merganser", program, "--color", "group", "-o", self.run / "groups")
        self.assertEqual(self.calls.read_text(), "", "groups are colours of particles")

    def test_a_program_that_fails_leaves_particles(self):
        broken = self.run.parent / "broken"
        broken.write_text("#!/bin/sh\necho 'merganser: the disk is full' >&2\nexit 5\n")
        broken.chmod(0o755)
        without, said = self.picture("--merganser", broken)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("the disk is full", said)
        self.assertIn("--particles", said)
        self.assertGreater(self.blue(without), 50)
        self.assertIn("there is no such file", self.refused("render.py", self.run, "--frame", 1, "--merganser", self.run / "none"))

    def test_a_movie_is_made_in_parts(self):
        program = self.program(self.write_surfaces("of_movie"))
        surfaces = self.run.parent / "of_movie"
        (surfaces / "surface_000002.ply").write_bytes((surfaces / "surface_000000.ply").read_bytes())
        done = run_tool("render.py", self.run, "--merganser", program, "--size", "160x90", "--frame", "last", "--movie")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[4] for line in self.calls.read_text().splitlines()], ["2", "0:2"])
        self.assertEqual([Path(line).name for line in done.stdout.split()], ["frame_000002.png", "movie.mp4"])

    def test_the_ground_is_the_scenes_floor_or_below_all(self):
        from picture_world import ground_level
        points = np.array([[0.0, 0, 0.1], [1, 1, 1]])
        tank = {"shape": "box", "low": [0, 0, 0.05], "high": [1, 1, 4], "rotationAngle": 0, "inside": True}
        floor = {"shape": "plane", "point": [0, 0, 0.02], "normal": [0, 0, 3]}
        self.assertEqual(ground_level({"walls": [tank]}, points, ()), 0.05)
        self.assertEqual(ground_level({"walls": [floor]}, points, ()), 0.02)
        self.assertEqual(ground_level({"walls": [dict(tank, low=[0, 0, -40])]}, points, ()), ground_level({}, points, ()))
        self.assertLess(ground_level({}, points, ()), 0.1)
        self.assertIsNone(ground_level({"simulation": {"gravitation": [9.81, 0, 0]}}, points, ()))

    def test_the_camera_sees_the_tank_that_is_drawn(self):
        from picture_camera import framed
        from picture_world import tank_boxes, tank_edges
        points = np.array([[0.0, 0, 0.1], [1, 1, 1]])
        tank = {"shape": "box", "low": [-0.5, 0, 0.05], "high": [2, 1, 4], "rotationAngle": 0, "inside": True}
        (low, high), = boxes = tank_boxes({"walls": [tank]}, points, points)
        np.testing.assert_allclose([low, high], [[-0.5, 0, 0.05], [2, 1, 1.05]])  # not up to the tank's lid
        self.assertAlmostEqual(tank_edges(boxes, 1).bounds[5], 1.05, delta=0.01)
        self.assertIsNone(tank_edges([], 1))
        for other in (dict(tank, high=[9, 1, 4]), dict(tank, inside=False), {"shape": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]}):
            self.assertEqual(tank_boxes({"walls": [other]}, points, points), [])
        np.testing.assert_allclose(np.ptp(framed(points, boxes, [], []), axis=0), [2.5, 1, 1])
        np.testing.assert_array_equal(framed(points / 3, boxes, [], []), points / 3)  # a few drops in a wide tank
        still = {"velocity": [0, 0, 0], "acceleration": [0, 0, 0], "angularVelocity": [0, 0, 0], "amplitude": [0, 0, 0], "rotationAmplitude": [0, 0, 0],
                 "keyFrames": [], "startTime": 0, "endTime": 9, "rampTime": 0, "frequency": 0, "phase": 0, "interpolation": "linear", "centre": [0, 0, 0]}
        piston = (pyvista.Box(bounds=(0, 0.1, 0, 1, 0, 1)), dict(still, velocity=[-1, 0, 0]))
        self.assertAlmostEqual(framed(points, [], [piston], [0.0, 0.5])[:, 0].min(), -0.5)

    def test_one_frame_is_framed_alone(self):
        """The camera of the last frame alone leaves no room for what was before; the scale of colours does."""
        from particle_picture import DIRECTIONS, fitting_camera
        from picture_camera import outline
        from render import choose_look, parse_arguments
        from run_folder import RunFolder
        run = RunFolder(self.run)
        looks = [choose_look(parse_arguments([str(self.run), "--particles", "--color", "speed", *more]), run)[0]
                 for more in ([], ["--frame", "2"], ["--frame", "all"])]
        alone = fitting_camera(DIRECTIONS["iso"], outline(run, [run.read(2)]), 1280 / 720)
        np.testing.assert_allclose(looks[1].camera[0], alone[0])
        self.assertGreater(np.linalg.norm(looks[0].camera[0] - alone[0]), 0.02)
        np.testing.assert_array_equal(looks[2].camera[0], looks[0].camera[0])
        self.assertEqual(looks[1].color_range, looks[0].color_range)

    def test_the_tips_of_a_solid_are_in_the_picture(self):
        """Of drops the outermost do not count, of a solid all do."""
        from picture_camera import outline
        from run_folder import Frame
        points = np.zeros((5000, 3))
        points[17], points[18] = [9, 0, 0], [0, 9, 0]
        frame = Frame(0, 0.0, points, {})

        class Run:
            fluid_particles = staticmethod(lambda frame: np.arange(len(frame.points)) != 18)

        np.testing.assert_array_equal(outline(Run, [frame]).max(axis=0), [0, 9, 0])

    def test_progress_says_the_time_left(self):
        from progress import Progress
        line = Progress("movie", 40).line(10, 30.0)
        self.assertEqual(line, "movie [#######.......................] 10 of 40 frames  1:30 left")
        self.assertNotIn("left", Progress("movie", 40).line(0, 0.1))


class Light(unittest.TestCase):
    def test_a_plate_shades_what_is_below_it(self):
        from picture_light import Lamp, Shadows, lamp_direction
        lamp = Lamp(np.zeros(3), 1.0, lamp_direction(([1, -3, 2], [0, 0, 0], [0, 0, 1])))
        to_lamp = lamp.direction
        depth = np.full((200, 200), 1e6, np.float32)
        depth[60:140, 60:140] = 3.0  # a plate of 0.8 m x 0.8 m at the middle, across the rays
        points = np.array([[[0, 0, 0] - 0.4 * to_lamp, [0, 0, 0] + 0.4 * to_lamp, [0, 0, 0] - 0.4 * to_lamp + np.cross(to_lamp, [0, 0, 1])]], np.float32)
        (below, above, beside), = Shadows(lamp, [depth]).on(points)[0]
        self.assertLess(below, 0.05)
        self.assertGreater(above, 0.95)
        self.assertGreater(beside, 0.95)

    def test_shadows_have_no_steps_on_what_is_nearly_along_the_light(self):
        """A wall two pixels of the lamp's view wide, below which all is far: a step is that of half a pixel, not of one (0.16)."""
        from picture_light import Lamp, Shadows, finer
        lamp = Lamp(np.zeros(3), 1.0, np.array([0.0, 0.0, 1.0]))
        depth = np.full((200, 200), 2.5, np.float32)
        depth[:, 100:] = 3.5
        depth[:, 99:101] = [2.8, 3.2]
        share = np.linspace(0, 1, 400)
        right, up, toward = lamp.axes()
        wall = share[:, None] * 0.02 * right - (share[:, None] - 0.5) * toward
        light = Shadows(lamp, [depth]).on(wall[None].astype(np.float32))[0, 0]
        self.assertGreater(np.ptp(light), 0.2)
        self.assertLess(np.abs(np.diff(light)).max(), 0.1)
        np.testing.assert_allclose(finer(np.arange(4.0)[:, None] * np.ones(4), 2)[:, 0], [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3])

    def test_strips_hold_every_row_once(self):
        from picture_light import in_strips
        rows = np.zeros(100, int)
        in_strips(lambda part: np.add.at(rows, part, 1), len(rows))
        np.testing.assert_array_equal(rows, 1)

    def through(self, thickness, depth_scale=0.1, **more):
        """Colour of a white world behind water of this thickness that is seen head on."""
        from picture_light import water
        shape = (3, 3)
        rays = np.zeros((*shape, 3), np.float32)
        rays[..., 1] = 1
        rays[..., 0] = [-0.1, 0, 0.1]
        normal = np.zeros_like(rays)
        normal[..., 1] = -1
        front = np.full(shape, 1.0, np.float32)
        front[0] = 1e6  # no water in the first row
        image = water(np.ones((*shape, 3), np.float32), np.full(shape, 9.0, np.float32), rays, front, front + thickness, normal,
                      np.broadcast_to(np.array([0.2, 0.5, 0.8], np.float32), rays.shape), depth_scale, np.array([0, -0.6, 0.8]),
                      **more)
        np.testing.assert_array_equal(image[0], 1)
        return image[1, 1]

    def test_thick_water_takes_more_red_than_blue(self):
        thin, thick = self.through(0.01), self.through(0.3)
        self.assertGreater(thin.min(), 0.75)
        self.assertLess(thick[0], 0.5 * thin[0])
        self.assertGreater(thick[2] - thick[0], 0.3)
        self.assertLess(self.through(0.05, clear=False)[0], 0.5 * self.through(0.05)[0])

    def test_water_of_one_particle_has_no_depth(self):
        with np.errstate(divide="raise", invalid="raise"):
            colour = self.through(0.01, depth_scale=0.0)
        self.assertTrue(np.isfinite(colour).all())
        self.assertTrue(np.isfinite(self.through(0.0, depth_scale=0.0)).all())

    def test_a_cut_body_is_closed_by_the_plane(self):
        from picture_light import FAR, close_cut
        rays = np.zeros((1, 3, 3), np.float32)
        rays[..., 1] = 1
        front = np.array([[5.0, 5.0, FAR]], np.float32)  # the second ray meets a back face first: it was cut open; the third one nothing
        back = np.array([[7.0, 5.0, FAR]], np.float32)
        normal = np.zeros_like(rays)
        close_cut(front, back, normal, rays, np.zeros(3), 1, 4.0, -1.0)
        np.testing.assert_allclose(front, [[5, 4, FAR]])
        np.testing.assert_array_equal(normal[0, 1], [0, -1, 0])
        np.testing.assert_array_equal(normal[0, 0], 0)


class Packages(unittest.TestCase):
    def test_a_package_holds_what_its_tools_import(self):
        script = (ROOT / "tools/package.sh").read_text()
        patterns = re.search(r"^cp tools/\{(.*)\}", script, re.MULTILINE)[1].split(",")
        packed = {f.name for pattern in patterns for f in (ROOT / "tools").glob(pattern)}
        for name in sorted(n for n in packed if n.endswith(".py")):
            for module in re.findall(r"^\s*(?:from|import) (\w+)", (ROOT / "tools" / name).read_text(), re.MULTILINE):
                if (ROOT / "tools" / f"{module}.py").exists():
                    self.assertIn(f"{module}.py", packed, f"{name} imports it")

    def test_a_package_refuses_an_old_c_library(self):
        def write_program(path, text):
            path.write_text(text if text.startswith("#!") else "#!/bin/sh\n" + text)
            path.chmod(0o755)

        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        package = Path(folder.name)
        for name in ("bin", "libexec", "path"):
            (package / name).mkdir(parents=True)
        write_program(package / "libexec/merganser", "echo started $*\n")
        launcher = (ROOT / "tools/package_launcher.sh").read_text().replace("@GLIBC@", "2.36")
        write_program(package / "bin/merganser", launcher)
        for have, starts in (("glibc 2.36", True), ("glibc 2.40", True), ("glibc 3.1", True), ("glibc 2.35", False),
                             ("glibc 2.9", False), (None, False)):
            with self.subTest(have=have):
                write_program(package / "path/getconf", f"echo {have}\n" if have else "exit 1\n")
                path = f"{package / 'path'}:/usr/bin:/bin"
                done = subprocess.run([package / "bin/merganser", "run", "a b"], capture_output=True, text=True, env={"PATH": path})
                self.assertEqual((done.returncode, done.stdout), (0, "started run a b\n") if starts else (126, ""))
                if not starts:
                    self.assertIn("needs the GNU C library (glibc) 2.36", done.stderr)
                    self.assertIn(f"has {have.split()[1] if have else 'none'};", done.stderr)
