"""Draws particles as shaded spheres, or surfaces, off-screen: colours, camera, cross-sections, ambient occlusion, labels."""
import os
from dataclasses import dataclass

# EGL needs no display; without this VTK first tries an X server and complains that there is none.
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")

import matplotlib
import numpy as np
import pyvista
from PIL import Image

from picture_cut import behind
from picture_labels import COLOR_MAP, label, rgb_of
from scene_walls import pose
from vtkmodules.vtkCommonDataModel import vtkPlane
from vtkmodules.vtkRenderingOpenGL2 import vtkOpenGLPolyDataMapper, vtkOpenGLSphereMapper

FLUID_COLORS = ["#3a8ee6", "#27a6a4", "#7a6fd0", "#4fb3e8"]
SOLID_COLORS = ["#f08a4b", "#c9a227", "#b5485d", "#7d9b4e", "#8d6e63", "#d98ca1", "#6a5acd", "#4b9a8f", "#a0522d"]
DIRECTIONS = {  # preset -> direction from the focus to the camera
    "iso": (0.55, -1.0, 0.55), "front": (0.0, -1.0, 0.18), "side": (1.0, 0.0, 0.18), "top": (0.0, -0.001, 1.0),
    "below": (0.5, -1.0, -0.45)}
VIEW_ANGLE = 30  # [degrees] vertical
BACKGROUND = "#f0f1f3"  # of scenes


@dataclass
class Look:
    """How a picture is made; the same for all frames of a movie."""
    size: tuple = (1280, 720)
    color: str = "speed"  # body | speed | density | group | damage | fragment
    color_range: tuple = (0.0, 1.0)
    camera: tuple = None  # (position, focus, up)
    section: tuple = None  # (axis, value [m]): what lies between the camera and this plane is cut away
    wall_section: tuple = None  # the same of walls
    radius: float = 0.01  # [m]
    background: str = "white"
    title: str = ""
    supersampling: float = 2
    surface: bool = False  # frames are meshes
    walls: tuple = ()  # (mesh, motion or None) of the walls that are drawn
    tanks: tuple = ()  # (low, high) of boxes whose edges are drawn


def fitting_camera(direction, points, aspect, up=(0, 0, 1)):
    """(position, focus, up) from which the points just fill the picture, seen from `direction`."""
    direction = np.asarray(direction, float) / np.linalg.norm(direction)
    right = np.cross(up, direction)
    right /= np.linalg.norm(right)
    above = np.cross(direction, right)
    slope = np.tan(np.radians(VIEW_ANGLE / 2)) * 0.86  # leaves a margin, also for the labels
    focus = (points.min(axis=0) + points.max(axis=0)) / 2
    for _ in range(8):  # distance for this focus, then the focus moves to the middle of what is seen
        across, upward, toward = ((points - focus) @ axis for axis in (right, above, direction))
        distance = max((toward + np.maximum(np.abs(upward), np.abs(across) / aspect) / slope).max(), 1e-6)
        depth = distance - toward
        for axis, seen in ((right, across / depth), (above, upward / depth)):
            focus = focus + axis * distance * (seen.min() + seen.max()) / 2
    return focus + distance * direction, focus, np.asarray(up, float)


def colors(frame, fluid, look):
    """(n, 3) colours. Speed and density colour the fluid where there is one; everything else has its body's colour."""
    count = len(frame.points)
    body = frame.data.get("body", np.zeros(count, int)).astype(int)
    result = np.empty((count, 3), np.uint8)
    number_of = {True: 0, False: 0}
    for b in np.unique(body):
        mine = body == b
        is_fluid = bool(fluid[mine].any())
        palette = FLUID_COLORS if is_fluid else SOLID_COLORS
        result[mine] = rgb_of(palette[number_of[is_fluid] % len(palette)])
        number_of[is_fluid] += 1
    if look.color in ("speed", "density"):
        chosen = fluid if fluid.any() else np.ones(count, bool)
        values = frame.speed() if look.color == "speed" else frame.require("density")
        low, high = look.color_range
        scaled = np.clip((values[chosen] - low) / max(high - low, 1e-30), 0, 1)
        result[chosen] = (COLOR_MAP(scaled)[:, :3] * 255).astype(np.uint8)
    elif look.color == "damage":
        damage = np.clip(frame.require("damage"), 0, 1)[:, None] * ~fluid[:, None]
        result = (result * (1 - damage) + np.array([45, 20, 20]) * damage).astype(np.uint8)
    elif look.color == "fragment":
        # Every body with damage has fragments of its own; pieces of a few particles keep the body's colour, darker.
        broken = (frame.require("damage") > 0) & ~fluid
        solid = np.isin(body, np.unique(body[broken])) & ~fluid
        numbers, index, sizes = np.unique(frame.require("fragment"), return_inverse=True, return_counts=True)
        hue = (numbers[index] * 0.6180339887) % 1.0
        hsv = np.stack([hue, np.full(count, 0.5), np.full(count, 0.9)], axis=1)
        large = solid & (sizes[index] >= 8)
        result[solid & ~large] = (0.6 * result[solid & ~large]).astype(np.uint8)
        result[large] = (matplotlib.colors.hsv_to_rgb(hsv[large]) * 255).astype(np.uint8)
    elif look.color == "group":
        groups, index, sizes = np.unique(frame.require("group"), return_inverse=True, return_counts=True)
        merged = (sizes[index] > 1) & (groups[index] >= 0)
        hue = (groups[index] * 0.6180339887) % 1.0  # golden ratio: neighboring numbers get unlike hues
        result = (0.35 * result + 0.65 * 235).astype(np.uint8)
        hsv = np.stack([hue, np.full(count, 0.62), np.full(count, 0.95)], axis=1)
        result[merged] = (matplotlib.colors.hsv_to_rgb(hsv[merged]) * 255).astype(np.uint8)
    return result


def mesh_colors(mesh, frame, rgb, fluid, look):
    """(n, 3) colours of a mesh: those of its own vertices where speed is shown, else those of the particles it hides."""
    name = "body" if "body" in mesh.data else "system"
    numbers, first = np.unique(frame.require(name), return_index=True)
    its = np.isin(numbers, mesh.data[name])
    if look.color == "speed" and fluid[first[its]].all() == fluid.any():
        return colors(mesh, np.ones(len(mesh.points), bool), look)
    return rgb[first[np.searchsorted(numbers, mesh.data[name])]]


class Painter:
    """Keeps one off-screen window for many frames."""

    def __init__(self, look):
        self.look = look
        width, height = (s * look.supersampling for s in look.size)
        plotter = self.plotter = pyvista.Plotter(off_screen=True, window_size=(width, height), lighting="none")
        plotter.disable_anti_aliasing()  # the pass of occlusion has none
        plotter.set_background(look.background)
        position, focus, up = look.camera
        plotter.camera_position = [tuple(position), tuple(focus), tuple(up)]
        plotter.camera.view_angle = VIEW_ANGLE
        for place, intensity in (((-0.5, 0.8, 1.0), 0.8), ((0.9, 0.2, 0.6), 0.4), ((0.0, -0.6, 0.8), 0.2)):
            plotter.add_light(pyvista.Light(position=place, intensity=intensity, light_type="camera light"))
        self.mapper, self.actor = self._add_mapper(vtkOpenGLPolyDataMapper() if look.surface else vtkOpenGLSphereMapper())
        if not look.surface:
            self.mapper.SetRadius(look.radius)
        self.mesh_mappers = []  # as many as a frame has had meshes
        self.walls = []
        for mesh, motion in look.walls:
            wall = plotter.add_mesh(mesh, color="#b9b4aa", opacity=0.55 if mesh.n_cells == 1 else 1.0, smooth_shading=False,
                                    reset_camera=False)
            if look.wall_section:
                axis, value, near = self._near_side(look.wall_section)
                wall.mapper.AddClippingPlane(vtkPlane(origin=value * np.eye(3)[axis], normal=-near * np.eye(3)[axis]))
            self.walls.append((wall, motion))
        reach = max(6 * look.radius, 0.02 * np.linalg.norm(np.subtract(position, focus)))  # crevices and folds alike
        plotter.enable_ssao(radius=reach, bias=0.2 * look.radius, kernel_size=64, blur=True)

    def _add_mapper(self, mapper):
        mapper.SetScalarModeToUsePointFieldData()
        mapper.SelectColorArray("color")
        mapper.SetColorModeToDirectScalars()
        actor = pyvista.Actor()
        actor.SetMapper(mapper)
        actor.prop.ambient, actor.prop.diffuse, actor.prop.specular, actor.prop.specular_power = 0.42, 0.85, 0.1, 25
        self.plotter.add_actor(actor, reset_camera=False)
        return mapper, actor

    def paint(self, frame, fluid):
        """The picture of a frame as (height, width, 3) bytes."""
        look = self.look
        rgb = colors(frame, fluid, look)
        self.actor.visibility = not frame.hidden().all()
        self.mapper.SetInputData((self._surface if look.surface else self._particles)(frame, rgb))
        while len(self.mesh_mappers) < len(frame.meshes):
            self.mesh_mappers.append(self._add_mapper(vtkOpenGLPolyDataMapper())[0])
        for k, mapper in enumerate(self.mesh_mappers):
            mesh = frame.meshes[k] if k < len(frame.meshes) else None
            mapper.SetInputData(self._surface(mesh, mesh_colors(mesh, frame, rgb, fluid, look)) if mesh else pyvista.PolyData())
        for wall, motion in self.walls:
            if motion:
                wall.user_matrix = pose(motion, frame.time)
        self.plotter.renderer.ResetCameraClippingRange()
        self.plotter.render()
        image = np.asarray(self.plotter.screenshot(return_img=True))[..., :3]
        picture = Image.fromarray(image)
        if look.supersampling > 1:
            picture = picture.resize(look.size, Image.Resampling.BOX)
        return np.asarray(label(picture, frame, look))

    def _near_side(self, section):
        """The section's axis and value, and the sign of the side that the camera is on."""
        axis, value = section
        return axis, value, np.sign(self.look.camera[0][axis] - value) or -1.0

    def _particles(self, frame, rgb):
        points = frame.points
        keep = np.isfinite(points).all(axis=1) & ~frame.hidden()
        if self.look.section:
            axis, value, near = self._near_side(self.look.section)
            keep &= near * (points[:, axis] - value) <= 0
        mesh = pyvista.PolyData(points[keep] if keep.any() else np.full((1, 3), 1e9, np.float32))
        mesh.point_data["color"] = rgb[keep] if keep.any() else np.zeros((1, 3), np.uint8)
        return mesh

    def _surface(self, frame, rgb):
        if not len(frame.triangles):
            return pyvista.PolyData()
        mesh = pyvista.PolyData.from_regular_faces(frame.points, frame.triangles)
        mesh.point_data["color"] = rgb
        mesh.point_data["Normals"] = frame.require("Normals")
        mesh.point_data.active_normals_name = "Normals"
        return behind(mesh, self._near_side(self.look.section)) if self.look.section else mesh

    def close(self):
        self.plotter.close()
