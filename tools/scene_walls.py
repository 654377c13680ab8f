"""Walls of a scene as meshes for pictures: obstacles, and whatever moves, where it is at a time (the formulas of
solvers/geometry/walls/wall_motion.h)."""
from pathlib import Path

import numpy as np


def rotation(turn):
    """3 x 3 matrix of the rotation by |turn| about `turn` (Rodrigues)."""
    turn = np.asarray(turn, float)
    angle = np.linalg.norm(turn)
    if angle == 0:
        return np.eye(3)
    x, y, z = turn / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def turn_of(matrix):
    """Axis times angle of a rotation of less than half a turn."""
    skew = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]) / 2
    sine, cosine = np.linalg.norm(skew), (np.trace(matrix) - 1) / 2
    return skew * (np.arctan2(sine, cosine) / sine) if sine > 0 else np.zeros(3)


def eased(s):
    return s * s * (3 - 2 * s)


def frame_turn(frame):
    axis = np.asarray(frame["rotationAxis"], float)
    return axis * (frame["rotationAngle"] / np.linalg.norm(axis))


def key_frame_pose(frames, time, smooth):
    """Displacement and rotation between the key frames around a time."""
    if not frames:
        return np.zeros(3), np.eye(3)
    after = sum(f["time"] <= time for f in frames)
    if after in (0, len(frames)):
        frame = frames[0 if after == 0 else -1]
        return np.asarray(frame["position"], float), rotation(frame_turn(frame))
    a, b = frames[after - 1], frames[after]
    s = (time - a["time"]) / (b["time"] - a["time"])
    s = eased(s) if smooth else s
    if a["rotationAxis"] == b["rotationAxis"]:
        turn = frame_turn(b) - frame_turn(a)
    else:
        turn = turn_of(rotation(frame_turn(b)) @ rotation(frame_turn(a)).T)
    start = np.asarray(a["position"], float)
    return start + s * (np.asarray(b["position"], float) - start), rotation(s * turn) @ rotation(frame_turn(a))


def pose(motion, time):
    """4 x 4 matrix that brings a wall from where the scene puts it to where it is."""
    tau = min(max(time, motion["startTime"]), motion["endTime"]) - motion["startTime"]
    ramp = eased(tau / motion["rampTime"]) if tau < motion["rampTime"] else 1.0
    swing = ramp * np.sin(2 * np.pi * motion["frequency"] * tau + motion["phase"])
    displacement, turned = key_frame_pose(motion["keyFrames"], tau, motion["interpolation"] == "smooth")
    vector = {key: np.asarray(motion[key], float)
              for key in ("velocity", "acceleration", "angularVelocity", "amplitude", "rotationAmplitude", "centre")}
    displacement = displacement + tau * vector["velocity"] + tau**2 / 2 * vector["acceleration"] + swing * vector["amplitude"]
    turned = rotation(tau * vector["angularVelocity"]) @ rotation(swing * vector["rotationAmplitude"]) @ turned
    matrix = np.eye(4)
    matrix[:3, :3] = turned
    matrix[:3, 3] = vector["centre"] + displacement - turned @ vector["centre"]
    return matrix


def moves(motion):
    return bool(motion["keyFrames"]) or any(
        np.any(motion[key]) for key in ("velocity", "acceleration", "angularVelocity", "amplitude", "rotationAmplitude"))


def obj_mesh(file):
    """An OBJ file with coordinates in double, which PyVista's reader rounds to float: surveys lie far from their origin."""
    import pyvista
    points, faces = [], []
    for line in file.read_text(encoding="utf-8-sig", errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.split("/")[0]) for word in words[1:]]
            faces += [len(corners)] + [corner - 1 if corner > 0 else len(points) + corner for corner in corners]
    return pyvista.PolyData(np.asarray(points, float), faces)


def placed_mesh(wall):
    """The mesh of a wall at its place; None where its file is missing or of a format that PyVista does not read."""
    import pyvista
    file = Path(wall["geometryFile"])
    if file.suffix.lower() not in (".obj", ".ply", ".stl") or not file.is_file():
        return None
    mesh = obj_mesh(file) if file.suffix.lower() == ".obj" else pyvista.read(file)
    points = np.asarray(mesh.points, float)
    if wall["fitSize"] > 0:
        low, high = points.min(axis=0), points.max(axis=0)
        points = (points - (low + high) / 2) * (wall["fitSize"] / (high - low).max())
    axis = np.asarray(wall["rotationAxis"], float)
    turned = rotation(axis / np.linalg.norm(axis) * wall["rotationAngle"])
    mesh.points = points * np.asarray(wall["scale"], float) @ turned.T + np.asarray(wall["translation"], float)
    return mesh


def shape_mesh(wall, low, high):
    """Of a wall where the scene puts it; endless ones end at the box [low, high]. None: nothing to be seen of a tank."""
    import pyvista
    shape, obstacle = wall["shape"], not wall.get("inside", True)
    if shape == "plane":
        point, normal = np.asarray(wall["point"], float), np.asarray(wall["normal"], float)
        normal = normal / np.linalg.norm(normal)
        middle = (low + high) / 2
        on_plane = middle - normal * np.dot(middle - point, normal)
        u = np.cross(normal, [0, 0, 1] if abs(normal[2]) < 0.9 else [0, 1, 0])
        u = u / np.linalg.norm(u)
        v = np.cross(normal, u)
        u, v = (axis * np.dot(np.abs(axis), high - low) / 2 for axis in (u, v))
        return pyvista.Rectangle([on_plane - u - v, on_plane + u - v, on_plane + u + v])
    if shape == "mesh":
        return placed_mesh(wall) if obstacle or wall["thickness"] > 0 else None
    if not obstacle:
        return None
    if shape == "box":
        a, b = np.asarray(wall["low"], float), np.asarray(wall["high"], float)
        mesh = pyvista.Box(bounds=np.column_stack([a, b]).ravel())
        axis = np.asarray(wall["rotationAxis"], float)
        turned, middle = rotation(axis / np.linalg.norm(axis) * wall["rotationAngle"]), (a + b) / 2
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = turned, middle - turned @ middle
        return mesh.transform(matrix, inplace=False)
    if shape == "sphere":
        return pyvista.Sphere(radius=wall["radius"], center=wall["centre"], theta_resolution=60, phi_resolution=60)
    axis = np.asarray(wall["axis"], float) / np.linalg.norm(wall["axis"])
    if shape == "capsule":
        centre = np.asarray(wall["centre"], float)
        parts = [pyvista.Cylinder(center=centre, direction=axis, radius=wall["radius"], height=wall["length"], resolution=60)]
        parts += [pyvista.Sphere(radius=wall["radius"], center=centre + s * axis * wall["length"] / 2) for s in (-1, 1)]
        return parts[0].append_polydata(*parts[1:])
    point, length = np.asarray(wall["point"], float), wall["length"]
    if length == 0:  # as far as the particles
        along = [np.dot(corner - point, axis) for corner in (low, high)]
        point, length = point + axis * sum(along) / 2, abs(along[1] - along[0])
    return pyvista.Cylinder(center=point, direction=axis, radius=wall["radius"], height=length, resolution=60)


def tank_faces(walls):
    """[(point, normal into the tank)] of the planes and unturned boxes that hold particles and do not move."""
    faces = []
    for wall in walls:
        if (wall.get("motion") and moves(wall["motion"])) or not wall.get("inside", True):
            continue
        if wall["shape"] == "plane":
            faces.append((wall["point"], wall["normal"]))
        elif wall["shape"] == "box" and wall["rotationAngle"] == 0:
            for axis in np.eye(3):
                faces += [(wall["low"], axis), (wall["high"], -axis)]
    return faces


def visible_walls(scene, points):
    """[(mesh, motion or None)] of obstacles and of walls that move, for particles around `points`. Of obstacles that stand still
    only what is inside of the tank: many reach through its floor."""
    low, high = points.min(axis=0).astype(float), points.max(axis=0).astype(float)
    faces = tank_faces(scene.get("walls", []))
    seen = []
    for wall in scene.get("walls", []):
        motion = wall.get("motion")
        moving = motion is not None and moves(motion)
        if wall["shape"] == "plane" and not moving:
            continue
        mesh = shape_mesh(wall, low, high)
        if mesh is not None and not moving and not wall.get("inside", True):
            for point, normal in faces:
                mesh = mesh.clip(normal=-np.asarray(normal, float), origin=point)
        if mesh is not None and mesh.n_points > 0:
            seen.append((mesh, motion if moving else None))
    return seen
