"""An off-screen window that gives colours and distances of what it shows, pixel by pixel, for a picture that is put together from several
views."""
import numpy as np
import pyvista

from particle_picture import VIEW_ANGLE
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkFloatArray

FAR = 1e6  # [m] distance of the background


class Buffers:
    """Keeps one window. `size`: pixels."""

    def __init__(self, size, background):
        self.size = size
        self.plotter = pyvista.Plotter(off_screen=True, window_size=size, lighting="none")
        self.plotter.disable_anti_aliasing()  # distances and normals have no mean; pictures are drawn larger than they are
        self.plotter.set_background(background)
        self.actors = []
        self._occlusion = None

    def add(self, mesh, **options):
        actor = self.plotter.add_mesh(mesh, reset_camera=False, show_scalar_bar=False, **options)
        self.actors.append(actor)
        return actor

    def enable_occlusion(self, radius):
        """Ambient occlusion in views that ask for it; `radius` [m]: how far apart things darken each other."""
        self.plotter.enable_ssao(radius=radius, bias=0.02 * radius, kernel_size=48, blur=True)
        self._occlusion = self.plotter.renderer.GetPass()

    def show(self, actors, camera, occlusion=False, parallel=None):
        """(height, width, 3) bytes, and the distances [m] along the view direction, as the pixels are ordered in pictures. `camera`:
        (position, focus, up); `parallel`: half the height [m] of a view without perspective."""
        plotter, view = self.plotter, self.plotter.camera
        for actor in self.actors:
            actor.visibility = actor in actors
        plotter.camera_position = [tuple(v) for v in camera]
        view.view_angle = VIEW_ANGLE
        view.parallel_projection = parallel is not None
        if parallel:
            view.parallel_scale = parallel
        plotter.renderer.ResetCameraClippingRange()
        plotter.renderer.SetPass(self._occlusion if occlusion else None)
        plotter.render()
        image = plotter.screenshot(return_img=True)[..., :3]
        width, height = self.size
        values = vtkFloatArray()
        plotter.render_window.GetZbufferData(0, 0, width - 1, height - 1, values)
        depth = vtk_to_numpy(values).reshape(height, width)[::-1]
        near, far = view.clipping_range
        distance = near + depth * (far - near) if parallel else near * far / (far - depth * (far - near))
        return image, np.where(depth < 1, distance, FAR).astype(np.float32)

    def close(self):
        self.plotter.close()
