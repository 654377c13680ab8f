"""What stands around the particles of a scene in pictures: the ground, walls, edges of tanks."""
import numpy as np
import pyvista

from scene_walls import moves

MOST_OF_A_TANK = 3  # times the particles' extent: a larger one is not drawn
WALL_COLOR, EDGE_COLOR = "#b9b4aa", "#a9afb8"


def ground_level(scene, points, walls):
    """[m] Height of the ground: the floor that the scene has, else somewhat below all that is drawn; None where nothing pulls downward."""
    gravitation = np.asarray(scene.get("simulation", {}).get("gravitation", [0, 0, -9.81]), float)
    if np.any(gravitation) and -gravitation[2] < 0.9 * np.linalg.norm(gravitation):
        return None
    lowest = min([points[:, 2].min()] + [mesh.bounds[4] for mesh, _ in walls])
    reach = np.linalg.norm(points.max(axis=0) - points.min(axis=0))
    floors = []
    for wall in scene.get("walls", []):
        if wall.get("motion") and moves(wall["motion"]) or not wall.get("inside", True):
            continue
        if wall["shape"] == "plane" and np.asarray(wall["normal"], float)[2] > 0.99 * np.linalg.norm(wall["normal"]):
            floors.append(wall["point"][2])
        elif wall["shape"] == "box" and wall["rotationAngle"] == 0:
            floors.append(wall["low"][2])
    floors = [z for z in floors if lowest - 0.5 * reach < z <= points[:, 2].min() + 0.05 * reach]
    return float(max(floors)) if floors else float(lowest - 0.1 * reach)


def tank_boxes(scene, points, seen):
    """[(low, high)] of boxes that hold particles and are not far larger than all `points` of a run, up to a little above those that are
    `seen`."""
    size, top = np.ptp(points, axis=0).max(), seen[:, 2].max()
    boxes = []
    for wall in scene.get("walls", []):
        if wall["shape"] != "box" or not wall.get("inside", True) or wall["rotationAngle"] != 0 or wall.get("motion") and moves(wall["motion"]):
            continue
        low, high = np.asarray(wall["low"], float), np.asarray(wall["high"], float)
        high[2] = min(high[2], top + 0.05 * size)
        if np.all(high - low < MOST_OF_A_TANK * size) and high[2] > low[2]:
            boxes.append((low, high))
    return boxes


def tank_edges(boxes, size):
    """The edges of boxes as rods, for a scene of this size [m]; None without boxes."""
    edges = pyvista.PolyData()
    for box in boxes:
        edges = edges.merge(pyvista.Box(bounds=np.column_stack(box).ravel()).extract_feature_edges(45).tube(radius=0.0015 * size, n_sides=8))
    return edges if edges.n_points else None


def ground(level, focus, reach):
    return pyvista.Plane(center=(focus[0], focus[1], level), i_size=60 * reach, j_size=60 * reach)
