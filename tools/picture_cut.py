"""Meshes that a plane cuts: the part behind it, and what closes the hole of a skin. A plane is (axis, value [m], side): `side`, 1 or -1, is
the side along the axis that the eye is on and that is cut away."""
import numpy as np
import pyvista
from vtkmodules.vtkFiltersGeneral import vtkContourTriangulator


def behind(mesh, plane):
    """The part of a mesh behind a plane; its normals stay those that light it."""
    axis, value, side = plane
    normals = mesh.point_data.active_normals_name
    cut = mesh.clip(normal=side * np.eye(3)[axis], origin=value * np.eye(3)[axis])
    if normals and cut.n_points:
        cut.point_data.active_normals_name = normals
    return cut


def pieces(count, cells):
    """(count) Equal for points that cells connect: the smallest number among them. `cells`: (n, corners) numbers of points."""
    piece = np.arange(count)
    while True:
        before = piece
        piece = before.copy()
        np.minimum.at(piece, cells, before[cells].min(axis=1, keepdims=True))
        piece = piece[piece]
        if np.array_equal(piece, before):
            return piece


def closed_lines(lines):
    """Of a contour the parts without an end."""
    ends = lines.lines.reshape(-1, 3)[:, 1:]
    piece = pieces(lines.n_points, ends)
    open_ = np.unique(piece[np.bincount(ends.ravel(), minlength=lines.n_points) % 2 == 1])
    keep = ~np.isin(piece[ends[:, 0]], open_)
    whole = pyvista.PolyData(lines.points, lines=np.column_stack([np.full(keep.sum(), 2), ends[keep]]).ravel())
    return whole, len(open_) == 0


def caps(points, triangles, body, plane):
    """[(body, mesh in the plane)] where a plane cuts skins, and the bodies of which a part of the cut stays open: their skins have holes.
    `body`: number of the body at each point. A hair away from the plane, for many a body has its corners in its middle."""
    axis, value, side = plane
    hair = 1e-5 * max(float(np.ptp(points, axis=0).max()), 1e-30)
    value -= side * hair
    corners = points[triangles, axis]
    crossed = (corners.min(axis=1) < value) & (corners.max(axis=1) >= value)
    owner = body[triangles[:, 0]]
    made, torn = [], []
    for number in np.unique(owner[crossed]):
        strip = pyvista.PolyData.from_regular_faces(points, triangles[crossed & (owner == number)])
        lines, whole = closed_lines(strip.slice(normal=np.eye(3)[axis], origin=value * np.eye(3)[axis]))
        if not whole:
            torn.append(number)
        if lines.n_cells:
            fill = vtkContourTriangulator()
            fill.SetInputData(lines)
            fill.Update()
            made.append((number, facing(pyvista.wrap(fill.GetOutput()), axis, side, value + 2 * side * hair)))
    return made, torn


def facing(flat, axis, side, value):
    """A flat mesh of triangles, brought to `value`, with the front of each and its normals to the eye."""
    points, corners = np.array(flat.points), flat.regular_faces
    a, b, c = (np.delete(points[corners[:, k]], axis, axis=1) for k in range(3))
    turn = (-1) ** axis * np.linalg.det(np.stack([b - a, c - a], axis=1)) * side < 0
    points[:, axis] = value
    mesh = pyvista.PolyData.from_regular_faces(points, np.where(turn[:, None], corners[:, ::-1], corners))
    mesh.point_data["Normals"] = np.tile((side * np.eye(3)[axis]).astype(np.float32), (mesh.n_points, 1))
    return mesh
