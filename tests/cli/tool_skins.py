"""Skins in pictures: what closes them where a plane cuts them, and scraps of brittle bodies."""
import unittest

import numpy as np
import pyvista

from picture_cut import behind, caps, closed_lines, pieces
from picture_rubble import without_scraps
from run_folder import Frame
from tool_case import ToolCase, pixels, run_tool


def joined(*meshes):
    """Points, triangles and numbers of bodies of meshes, a body each."""
    offsets = np.cumsum([0] + [m.n_points for m in meshes])
    return (np.concatenate([m.points for m in meshes]), np.concatenate([m.regular_faces + o for m, o in zip(meshes, offsets)]),
            np.repeat(np.arange(len(meshes)), [m.n_points for m in meshes]))


class Skins(unittest.TestCase):
    def test_a_cap_closes_what_is_cut(self):
        """A cube, a ring (two loops in the plane, one inside of the other) and a ball with corners in the plane; one cube is elsewhere."""
        ring = pyvista.ParametricTorus(ringradius=2, crosssectionradius=0.5).triangulate().clean().translate((9, 0, 0))
        away = pyvista.Cube(center=(0, 0, 5)).triangulate()
        skins = joined(pyvista.Cube(center=(0, 0, 0.2)).triangulate().clean(), ring, pyvista.Icosphere(radius=1, nsub=4).translate((0, 9, 0)), away)
        for side in (1, -1):
            made, torn = caps(*skins, (2, 0.0, side))
            self.assertEqual(torn, [])
            self.assertEqual([number for number, _ in made], [0, 1, 2])
            for (_, cap), area in zip(made, (1, np.pi * (2.5**2 - 1.5**2), np.pi)):
                self.assertAlmostEqual(cap.area / area, 1, delta=0.01)
                np.testing.assert_allclose(cap.points[:, 2], 0, atol=1e-3)
                np.testing.assert_array_equal(cap.point_data["Normals"], np.tile([0, 0, side], (cap.n_points, 1)))
                fronts = cap.compute_normals(point_normals=False, consistent_normals=False, auto_orient_normals=False)
                np.testing.assert_allclose(fronts.cell_data["Normals"][:, 2], side)  # a back is drawn black
        for axis in (0, 1):
            (number, cap), = caps(*joined(pyvista.Cube().triangulate().clean()), (axis, 0.3, 1))[0]
            fronts = cap.compute_normals(point_normals=False, consistent_normals=False, auto_orient_normals=False)
            np.testing.assert_allclose(fronts.cell_data["Normals"][:, axis], 1)

    def test_a_skin_with_a_hole_is_not_closed(self):
        cube = pyvista.Cube().triangulate().clean()
        cube = pyvista.PolyData.from_regular_faces(cube.points, cube.regular_faces[2:])  # without the face at x = -0.5
        made, torn = caps(*joined(cube, pyvista.Cube(center=(3, 0, 0)).triangulate().clean()), (2, 0.1, 1))
        self.assertEqual(torn, [0])
        self.assertEqual([number for number, _ in made], [1])

    def test_what_is_left_keeps_its_smooth_normals(self):
        ball = pyvista.Icosphere(radius=1, nsub=2)
        ball.point_data["Normals"] = ball.points.copy()
        ball.point_data.active_normals_name = "Normals"
        left = behind(ball, (0, 0.2, 1))
        self.assertAlmostEqual(left.bounds[1], 0.2, places=6)
        self.assertEqual(left.point_data.active_normals_name, "Normals")

    def test_pieces_and_open_lines(self):
        cells = np.array([[5, 4], [3, 4], [0, 1], [1, 2], [2, 0]])
        np.testing.assert_array_equal(pieces(7, cells), [0, 0, 0, 3, 3, 3, 6])
        points = np.random.default_rng(1).random((6, 3))
        lines = pyvista.PolyData(points, lines=np.column_stack([np.full(5, 2), cells]).ravel())
        whole, closed = closed_lines(lines)
        self.assertEqual((whole.n_cells, closed), (3, False))

    def test_crumbs_have_no_skin(self):
        """A plate, a fragment with a whole core, a lone particle and a pair: the last two are spheres, and their scraps of skin go."""
        plate = pyvista.Plane(center=(0, 0, 0), i_size=2, j_size=2, i_resolution=30, j_resolution=30).triangulate()
        flake = lambda x: pyvista.Plane(center=(x, 0, 0.1), i_size=0.1, j_size=0.1, i_resolution=1, j_resolution=1).triangulate()
        points, triangles, _ = joined(plate, flake(3), flake(4), flake(5), flake(6))
        body = np.zeros(len(points), int)
        body[-4:] = 1  # the last flake is of another body, where no bond is broken
        frame = Frame(0, 0.0, np.array([[0, 0, 0], [0.5, 0, 0], [3, 0, 0], [3.1, 0, 0], [4, 0, 0], [5, 0, 0], [5.1, 0, 0], [6, 0, 0]], np.float32),
                      {"body": np.array([0, 0, 0, 0, 0, 0, 0, 1]), "damage": np.array([0.1, 0.9, 0.8, 0.4, 1, 0.9, 0.9, 0]),
                       "fragment": np.array([0, 0, 1, 1, 2, 3, 3, 4], np.float32)})
        skin = Frame(0, 0.0, points, {"body": body}, triangles)
        kept = without_scraps(skin, frame)
        self.assertEqual(sorted(set(np.round(points[kept][..., 0].mean(axis=1)).astype(int))), [-1, 0, 1, 3, 6])
        self.assertEqual(len(kept), len(triangles) - 4)
        del frame.data["damage"]
        self.assertEqual(len(without_scraps(skin, frame)), len(triangles))


class CutPictures(ToolCase):
    def test_a_cut_solid_is_full(self):
        """A ball is cut in its middle: the cut is one bright face without the shadow that falls into a shell."""
        self.write_surfaces("run/skin", kind="skin", system=1)
        done = run_tool("render.py", self.run_folder, "--no-surfaces", "--frame", 0, "--size", "320x180", "--section", "y=0",
                        "--camera", "0,-1.2,0,0,0,0")
        self.assertEqual(done.returncode, 0, done.stderr)
        face = pixels(done.stdout.strip())[60:120, 130:190]
        self.assertLess(np.ptp(face[..., 0]), 40)
