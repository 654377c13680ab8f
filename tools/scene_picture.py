"""Draws a run as a scene: fluids as water, cloth and solids by their skins, a ground, a soft lamp. Particles without a mesh are spheres."""
import numpy as np
import pyvista
from PIL import Image
from vtkmodules.vtkCommonDataModel import vtkPlane
from vtkmodules.vtkRenderingOpenGL2 import vtkOpenGLSphereMapper

import picture_cut
import picture_light
from particle_picture import SOLID_COLORS, VIEW_ANGLE
from picture_buffers import FAR, Buffers
from picture_camera import framed
from picture_labels import COLOR_MAP, label, rgb_of
from picture_rubble import without_scraps
from picture_world import EDGE_COLOR, WALL_COLOR, ground, ground_level, tank_edges
from run_folder import FLUID_TYPES
from scene_walls import pose

CLOTH_COLORS = ["#efe4d6", "#d9c3ae", "#c9d3c0"]
WATER_COLORS = ["#2b80d8", "#2fa893", "#8478d0", "#62b6e0"]
HONEY = "#e8a021"  # of a fluid whose implicitViscosity [Pa s] is at least:
HONEY_VISCOSITY = 1.0
LAMP_PIXELS = 768
MOST_CREASED = 400_000  # triangles of skins whose edges are sharp
SKIN = {"ambient": 0.36, "diffuse": 0.74, "specular": 0.12, "specular_power": 30}


def system_colors(scene):
    """{index of a system: colour} by its kind: cloth pale, fluids as water."""
    count = {"cloth": 0, "fluid": 0}
    chosen = {}
    for index, system in enumerate(scene.get("systems", [])):
        if system.get("type") in FLUID_TYPES:
            thick = float(system.get("implicitViscosity") or 0) >= HONEY_VISCOSITY
            chosen[index] = HONEY if thick else WATER_COLORS[count["fluid"] % len(WATER_COLORS)]
            count["fluid"] += 1
        elif system.get("type") == "massSpring":
            chosen[index] = CLOTH_COLORS[count["cloth"] % len(CLOTH_COLORS)]
            count["cloth"] += 1
    return chosen


class Things:
    """Something in the camera's window and, where it casts a shadow, in the lamp's."""

    def __init__(self, windows, mapper=None, **options):
        self.meshes = [pyvista.PolyData(np.zeros((1, 3), np.float32)) for _ in windows]
        self.actors = []
        for window, mesh in zip(windows, self.meshes):
            mesh.point_data["color"] = np.zeros((1, 3), np.uint8)
            actor = window.add(mesh, scalars="color", rgb=True, **options)
            if mapper:
                actor.SetMapper(mapper())
            actor.mapper.SetScalarModeToUsePointFieldData()
            actor.mapper.SelectColorArray("color")
            actor.mapper.SetColorModeToDirectScalars()
            self.actors.append(actor)

    def put(self, mesh):
        for actor in self.actors:
            actor.mapper.SetInputData(mesh)


class ScenePainter:
    """Keeps one off-screen window of the camera's and one of the lamp's for many frames."""

    def __init__(self, look, scene, points):
        self.look, self.colors = look, system_colors(scene)
        self.fluids = {i for i, s in enumerate(scene.get("systems", [])) if s.get("type") in FLUID_TYPES}
        self.size = tuple(round(s * look.supersampling) for s in look.size)
        self.background = rgb_of(look.background).astype(np.float32) / 255
        self.view = Buffers(self.size, tuple(map(float, self.background)))
        self.lamp_window = Buffers((LAMP_PIXELS, LAMP_PIXELS), "white")
        for place, intensity in (((-0.5, 0.8, 1.0), 0.78), ((0.9, 0.2, 0.6), 0.26), ((0.0, -0.6, 0.8), 0.14)):
            self.view.plotter.add_light(pyvista.Light(position=place, intensity=intensity, light_type="camera light"))
        low, high = points.min(axis=0), points.max(axis=0)
        self.reach = float(np.linalg.norm(high - low))
        self.clarity = min(0.06 * self.reach, 0.6 * float((high - low).min()))  # [m] of water that takes most of the light
        both = [self.view, self.lamp_window]
        self._add_world(scene, points, both)
        self.spheres = Things(both, self._sphere_mapper, **SKIN)
        self.skins = Things(both, smooth_shading=True, **SKIN)
        self.water = Things(both, lighting=False)
        self.water_back = Things([self.view], lighting=False, culling="front")
        self.water_color = Things([self.view], lighting=False)
        lit = framed(points, (), look.walls, (0.0,))
        low, high = lit.min(axis=0), lit.max(axis=0)
        self.lamp = picture_light.Lamp((low + high) / 2, 0.62 * float(np.linalg.norm(high - low)), picture_light.lamp_direction(look.camera))
        self.view.enable_occlusion(0.05 * self.reach)
        self.torn = []  # bodies whose skin has holes where the section cuts it
        self.rays = picture_light.directions(look.camera, self.size, VIEW_ANGLE)

    def _sphere_mapper(self):
        mapper = vtkOpenGLSphereMapper()
        mapper.SetRadius(self.look.radius)
        return mapper

    def _add_world(self, scene, points, windows):
        look = self.look
        self.walls, self.world, self.casters = [], [], []
        for mesh, motion in look.walls:
            actors = [w.add(mesh, color=WALL_COLOR, smooth_shading=False, opacity=0.4 if mesh.n_cells == 1 else 1.0, **SKIN) for w in windows]
            if look.wall_section:
                axis, value, near = self._near_side(look.wall_section)
                for actor in actors:
                    actor.mapper.AddClippingPlane(vtkPlane(origin=value * np.eye(3)[axis], normal=-near * np.eye(3)[axis]))
            self.walls.append((actors, motion))
            self.world.append(actors[0])
            if mesh.n_cells > 1:
                self.casters.append(actors[1])
        edges = tank_edges(look.tanks, np.ptp(points, axis=0).max())
        if edges and look.wall_section:
            edges = picture_cut.behind(edges, self._near_side(look.wall_section))
        if edges and edges.n_points:
            self.world.append(self.view.add(edges, color=EDGE_COLOR, **SKIN))
        self.level = ground_level(scene, points, look.walls)
        if self.level is not None and look.camera[0][2] > self.level:
            self.world.append(self.view.add(ground(self.level, look.camera[1], self.reach), color=tuple(map(float, self.background)),
                                            lighting=False))

    def _near_side(self, section):
        """The section's axis and value, and the sign of the side that the camera is on."""
        axis, value = section
        return axis, value, np.sign(self.look.camera[0][axis] - value) or -1.0

    def paint(self, frame, fluid):
        """The picture of a frame as (height, width, 3) bytes."""
        solid_mesh, water_mesh = self._meshes(frame)
        spheres = self._put_spheres(frame, fluid)
        for actors, motion in self.walls:
            for actor in actors if motion else []:
                actor.user_matrix = pose(motion, frame.time)
        solids, casters = list(self.world), list(self.casters)
        for things, there in ((self.spheres, spheres), (self.skins, solid_mesh is not None)):
            if there:
                solids.append(things.actors[0])
                casters.append(things.actors[1])
        if solid_mesh is not None:
            self.skins.put(solid_mesh)
        camera, lamp = self.look.camera, self.lamp.camera()
        image, distance = self.view.show(solids, camera, occlusion=True)
        depths = [self.lamp_window.show(casters, lamp, parallel=self.lamp.reach)[1]]
        if water_mesh is not None:
            self.water.put(water_mesh)
            depths.append(self.lamp_window.show([self.water.actors[1]], lamp, parallel=self.lamp.reach)[1])
        image = self._shaded(image, distance, picture_light.Shadows(self.lamp, depths))
        if water_mesh is not None:
            image = self._with_water(image, distance, water_mesh)
        picture = Image.fromarray((np.clip(image, 0, 1) * 255).astype(np.uint8))
        if self.size != tuple(self.look.size):
            picture = picture.resize(self.look.size, Image.Resampling.BOX)
        return np.asarray(label(picture, frame, self.look))

    def _shaded(self, image, distance, shadows):
        """The image's colours (0 to 1) in the shadows of solids and of water, fading into the background far away."""
        eye, focus = (np.asarray(v, np.float32) for v in self.look.camera[:2])
        shaded = np.empty(image.shape, np.float32)

        def strip(rows):
            points = eye + self.rays[rows] * np.minimum(distance[rows], 20 * self.reach)[..., None]
            shade = np.max([dark * (1 - lit) for dark, lit in zip((0.36, 0.16), shadows.on(points))], axis=0)
            light = np.where(distance[rows] < FAR, 1 - shade, 1) / 255
            points -= focus
            far = np.sqrt(np.einsum("ijk,ijk->ij", points, points)) / self.reach
            fade = np.clip((far - 1.2) / 2.5, 0, 1)
            shaded[rows] = image[rows] * (light * (1 - fade))[..., None] + self.background * fade[..., None]

        picture_light.in_strips(strip, len(image))
        return shaded

    def _with_water(self, image, distance, mesh):
        camera = self.look.camera
        self.water_back.put(mesh)
        normal, front = self.view.show(self.water.actors[:1], camera)
        _, back = self.view.show(self.water_back.actors, camera)
        if "own color" in mesh.point_data:
            painted = mesh.copy(deep=False)
            painted.point_data["color"] = mesh.point_data["own color"]
            self.water_color.put(painted)
            color = self.view.show(self.water_color.actors, camera)[0].astype(np.float32) / 255
        else:
            color = np.broadcast_to(mesh.field_data["color"].astype(np.float32), image.shape)
        normal = normal.astype(np.float32) / 127.5 - 1
        if self.look.section:
            picture_light.close_cut(front, back, normal, self.rays, camera[0], *self._near_side(self.look.section))
        return picture_light.water(image, distance, self.rays, front, back, normal, color, self.clarity, self.lamp.direction,
                                   clear=self.look.color != "speed")

    def _meshes(self, frame):
        """(mesh of solids, mesh of fluids) of a frame, or None; cut by the section."""
        solids, fluids = [], []
        for mesh in frame.meshes:
            mesh.triangles = without_scraps(mesh, frame)
            if len(mesh.triangles):
                wet = bool(len(self.fluids)) and np.isin(mesh.data["system"], list(self.fluids)).all()
                (fluids if wet else solids).append(mesh)
        return self._solid_mesh(solids), self._water_mesh(fluids)

    def _solid_mesh(self, meshes):
        made = [self._poly(mesh, self._own_colors(mesh)) for mesh in meshes]
        if not made:
            return None
        mesh = made[0].append_polydata(*made[1:]) if len(made) > 1 else made[0]
        if mesh.n_cells < MOST_CREASED:  # normals of its own on either side of an edge
            mesh = mesh.compute_normals(cell_normals=False, split_vertices=True, feature_angle=40, consistent_normals=False)
        return self._cut(mesh, self._caps(meshes))

    def _caps(self, meshes):
        """What closes the skins that the section cuts. Of those with holes, the torn ones, a layer of particles will."""
        made, self.torn = [], []
        for mesh in meshes if self.look.section else []:
            body = mesh.data.get("body", mesh.data["system"]).astype(int)
            colors = self._own_colors(mesh)
            caps, torn = picture_cut.caps(mesh.points, mesh.triangles, body, self._near_side(self.look.section))
            for number, cap in caps:
                cap.point_data["color"] = np.tile(colors[np.argmax(body == number)], (cap.n_points, 1))
                made.append(cap)
            self.torn += torn
        return made

    def _water_mesh(self, meshes):
        if not meshes:
            return None
        mesh, = meshes
        poly = self._poly(mesh, ((mesh.require("Normals") * 0.5 + 0.5) * 255).astype(np.uint8))
        systems = np.unique(mesh.data["system"])
        poly.field_data["color"] = rgb_of(self.colors[systems[0]]) / 255
        if self.look.color == "speed" or len(systems) > 1:
            poly.point_data["own color"] = self._own_colors(mesh)
        return self._cut(poly)

    def _poly(self, mesh, rgb):
        poly = pyvista.PolyData.from_regular_faces(mesh.points, mesh.triangles)
        poly.point_data["Normals"] = mesh.require("Normals")
        poly.point_data.active_normals_name = "Normals"
        poly.point_data["color"] = rgb
        return poly

    def _cut(self, mesh, caps=()):
        if not self.look.section:
            return mesh
        cut = picture_cut.behind(mesh, self._near_side(self.look.section))
        if caps:
            cut = cut.append_polydata(*caps)
            cut.point_data.active_normals_name = "Normals"
        return cut

    def _own_colors(self, frame):
        """(n, 3) colours of particles or vertices: by speed where that is asked of fluids, else by system or body."""
        system = frame.data.get("system", np.zeros(len(frame.points), int)).astype(int)
        body = frame.data.get("body", system).astype(int)
        result = np.empty((len(system), 3), np.uint8)
        for s in np.unique(system):
            mine = system == s
            if s in self.fluids and self.look.color == "speed":
                low, high = self.look.color_range
                scaled = np.clip((frame.speed()[mine] - low) / max(high - low, 1e-30), 0, 1)
                result[mine] = (COLOR_MAP(scaled)[:, :3] * 255).astype(np.uint8)
            elif s in self.colors:
                result[mine] = rgb_of(self.colors[s])
            else:
                palette = np.array([rgb_of(c) for c in SOLID_COLORS])
                result[mine] = palette[body[mine] % len(SOLID_COLORS)]
        return result

    def _put_spheres(self, frame, fluid):
        keep = np.isfinite(frame.points).all(axis=1)
        if self.look.section:
            axis, value, near = self._near_side(self.look.section)
            depth = -near * (frame.points[:, axis] - value)
            layer = np.isin(frame.data.get("body", -1), self.torn) & (depth < 2 * self.look.radius)
            keep &= (~frame.hidden() | layer) & (depth >= 0)
        else:
            keep &= ~frame.hidden()
        if not keep.any():
            return False
        mesh = pyvista.PolyData(frame.points[keep])
        mesh.point_data["color"] = self._own_colors(frame)[keep]
        self.spheres.put(mesh)
        return True

    def close(self):
        self.view.close()
        self.lamp_window.close()

