"""Crumbs of brittle bodies: particles that hold to next to nothing are drawn as spheres, and then not by their scraps of skin, too."""
import numpy as np
import pyvista

from picture_cut import pieces

MOST_OF_A_SCRAP = 500  # vertices; greater pieces of a skin stay
ASKED = 9  # vertices of a scrap, of which most decide


def crumbs(frame):
    """True for particles of fragments that are drawn as spheres alone, None where there are none."""
    if "damage" not in frame.data:
        return None
    rubble = frame.data["damage"] > 0.5
    if "fragment" in frame.data:
        _, fragment = np.unique(frame.data["fragment"], return_inverse=True)
        rubble &= np.bincount(fragment, ~rubble)[fragment] == 0
    return rubble if rubble.any() else None


def without_scraps(mesh, frame):
    """The triangles of a skin without the pieces whose nearest particles in the frame are crumbs."""
    crumb = crumbs(frame)
    if crumb is None or "body" not in mesh.data or not len(mesh.triangles):
        return mesh.triangles
    piece = np.unique(pieces(len(mesh.points), mesh.triangles), return_inverse=True)[1]
    order = np.argsort(piece, kind="stable")
    first = np.searchsorted(piece[order], np.arange(piece.max() + 2))
    body, scrap = frame.require("body"), np.zeros(len(first) - 1, bool)
    for number in np.unique(body[crumb]):
        mine = (body == number) & np.isfinite(frame.points).all(axis=1)
        particles, its_crumbs = pyvista.PolyData(frame.points[mine]), crumb[mine]
        for k, (a, b) in enumerate(zip(first, first[1:])):
            if 0 < b - a <= MOST_OF_A_SCRAP and mesh.data["body"][order[a]] == number:
                asked = order[np.unique(np.linspace(a, b - 1, ASKED).astype(int))]
                scrap[k] = its_crumbs[[particles.find_closest_point(x) for x in mesh.points[asked]]].mean() > 0.5
    return mesh.triangles[~scrap[piece[mesh.triangles[:, 0]]]]
