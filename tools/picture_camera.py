"""Where the camera of a picture stands: what it shall see, and the sections and views that a user names."""
import re

import numpy as np

from run_files import RunError
from scene_walls import pose

AXES = {"x": 0, "y": 1, "z": 2}
MOST_OF_A_WALL = 3  # times the particles' extent: the camera does not step back for a larger one


def numbers(text, counts, option):
    try:
        values = [float(v) for v in re.split(r"[,\s]+", text.strip())]
    except ValueError:
        values = []
    if len(values) not in counts:
        raise RunError(f"{option} '{text}': expected {' or '.join(map(str, counts))} numbers with commas between them")
    return values


def some_of(numbers):
    """At most nine of the numbers, spread over all."""
    return [numbers[i] for i in np.unique(np.linspace(0, len(numbers) - 1, min(len(numbers), 9)).round().astype(int))]


def outline(run, frames):
    """Some thousand points that stand for all frames; a few drops and crumbs that flew away do not count."""
    chosen = []
    for frame in frames:
        loose = run.fluid_particles(frame) | (frame.data.get("damage", np.zeros(len(frame.points))) > 0.5)
        points, loose = (values[np.isfinite(frame.points).all(axis=1)] for values in (frame.points, loose))
        if loose.any():
            low, high = np.percentile(points[loose], [0.1, 99.9], axis=0)
            points = points[~loose | ((points >= low) & (points <= high)).all(axis=1)]
        if len(points):
            outermost = np.concatenate([points.argmin(axis=0), points.argmax(axis=0)])
            chosen += [points[:: max(len(points) // 4000, 1)].astype(float), points[outermost].astype(float)]
        chosen += [mesh.points[~run.fluid_particles(mesh)].astype(float) for mesh in frame.meshes if "damage" not in frame.data]
    if not chosen:
        raise RunError("the frames hold no particles; there is nothing to see yet")
    return np.concatenate(chosen)


def corners(low, high):
    return np.stack(np.meshgrid(*zip(low, high), indexing="ij"), -1).reshape(-1, 3)


def framed(points, tanks, walls, times):
    """The points, and the corners of boxes and of walls at these times, where they are not far larger than the points."""
    size = np.ptp(points, axis=0).max()
    things = [corners(*tank) for tank in tanks]
    for mesh, motion in walls:
        still = corners(mesh.bounds[::2], mesh.bounds[1::2])
        things += [still @ at[:3, :3].T + at[:3, 3] for at in (pose(motion, time) for time in times)] if motion else [still]
    return np.concatenate([points, *(thing for thing in things if np.all(np.ptp(thing, axis=0) < MOST_OF_A_WALL * size))])


def choose_section(text, points, option="--section"):
    if not text or text == "none":
        return None
    match = re.fullmatch(r"([xyz])(?:=([-+0-9.eE]+))?", text)
    if not match:
        raise RunError(f"{option} '{text}': expected x, y or z, with =VALUE where the middle is not meant, or none")
    axis = AXES[match[1]]
    middle = (points[:, axis].min() + points[:, axis].max()) / 2
    return axis, float(match[2]) if match[2] else float(middle)


def choose_camera(text, scene_camera, section, points, aspect):
    from particle_picture import DIRECTIONS, fitting_camera
    if text and text not in DIRECTIONS:
        values = numbers(text, (6, 9), f"--camera (not one of {', '.join(DIRECTIONS)}):")
        return np.array(values[:3]), np.array(values[3:6]), np.array(values[6:] or [0, 0, 1])
    if not text and scene_camera:
        try:
            return (np.array(scene_camera["position"], float), np.array(scene_camera["focus"], float),
                    np.array(scene_camera.get("up", [0, 0, 1]), float))
        except (KeyError, TypeError, ValueError) as error:
            raise RunError(f"render.camera of the scene is wrong ({error}); it needs position and focus, three numbers each") from error
    if not text:
        text = {None: "iso", 0: "side", 1: "front", 2: "top"}[section[0] if section else None]
    if section:  # fit the camera to what is left
        axis, value = section
        left = points.copy()  # what is cut away counts where it was cut
        left[:, axis] = np.where((points[:, axis] - value) * DIRECTIONS[text][axis] > 0, value, points[:, axis])
        points = left
    return fitting_camera(DIRECTIONS[text], points, aspect)
