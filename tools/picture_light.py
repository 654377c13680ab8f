"""Light on the pixels of a picture: shadows of a lamp, and water that reflects, bends and absorbs light. Arrays are (height, width[, 3])."""
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from picture_buffers import FAR

SKY_LOW, SKY_HIGH = np.array([0.86, 0.90, 0.94], np.float32), np.array([0.38, 0.56, 0.80], np.float32)


def in_strips(work, height, rows=32):
    """Calls work(slice of rows) for all rows of a picture on all cores. Numbers of few rows stay in a cache."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(work, (slice(top, min(top + rows, height)) for top in range(0, height, rows))))


def directions(camera, size, view_angle):
    """(height, width, 3) vectors v of the pixels' rays, with length 1 along the camera's axis: a point is position + distance * v."""
    position, focus, up = (np.asarray(v, float) for v in camera)
    forward = (focus - position) / np.linalg.norm(focus - position)
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    above = np.cross(right, forward)
    width, height = size
    slope = np.tan(np.radians(view_angle / 2))
    x = ((np.arange(width) + 0.5) / width * 2 - 1) * slope * width / height
    y = (1 - (np.arange(height) + 0.5) / height * 2) * slope
    return (forward + x[None, :, None] * right + y[:, None, None] * above).astype(np.float32)


def blurred(image, radius):
    """Means over squares of 2 radius + 1 pixels, taken twice."""
    side = 2 * radius + 1
    for _ in range(4):
        sums = np.cumsum(np.pad(image, ((radius + 1, radius), (0, 0)), "edge"), axis=0, dtype=np.float64)
        image = ((sums[side:] - sums[:-side]) / side).astype(np.float32).T
    return image


def finer(image, times):
    """Linear interpolation to `times` as many pixels along either axis."""
    for _ in range(2):
        rows = np.pad(np.ascontiguousarray(image), ((1, 1), (0, 0)), "edge")
        image = np.empty((times * len(image), image.shape[1]), np.float32)
        for k in range(times):
            place = np.float32((k + 0.5) / times - 0.5)
            neighbor = rows[2:] if place > 0 else rows[:-2]
            image[k::times] = rows[1:-1] + (neighbor - rows[1:-1]) * abs(place)
        image = image.T
    return np.ascontiguousarray(image)


def lamp_direction(camera):
    """Unit vector to a lamp high above and to the left of the camera, z upward."""
    position, focus, up = (np.asarray(v, float) for v in camera)
    toward = (position - focus)[:2]
    if np.linalg.norm(toward) < 0.05 * np.linalg.norm(position - focus):  # from above: what is below in the picture
        toward = -up[:2]
    toward = toward / max(np.linalg.norm(toward), 1e-9)
    left = np.array([toward[1], -toward[0]])
    return np.array([*(0.57 * (0.82 * toward + 0.57 * left)), 0.82])


@dataclass
class Lamp:
    """Parallel rays from `direction` onto things within `reach` [m] of `middle`."""
    middle: np.ndarray
    reach: float
    direction: np.ndarray

    def axes(self):
        """To the right, upward and toward the lamp, in its own view."""
        right = np.cross(-self.direction, (0, 1, 0))
        right /= np.linalg.norm(right)
        return right, np.cross(right, -self.direction), self.direction

    def camera(self):
        return self.middle + 3 * self.reach * self.direction, self.middle, (0, 1, 0)


class Shadows:
    """Shares of the lamp's light that reach points, one for each of `depths`: distances [m] in a view of the lamp, which is a square. By the
    mean and variance of the distances around a point (Donnelly and Lauritzen 2006, variance shadow maps). A pixel of the lamp's view covers
    much of a surface nearly along the rays, hence `fineness` pixels in between: else steps are seen there."""

    def __init__(self, lamp, depths, softness=0.02, fineness=2):
        self.side = fineness * len(depths[0])
        self.middle, self.axes = lamp.middle.astype(np.float32), (np.stack(lamp.axes(), axis=1) / lamp.reach).astype(np.float32)
        radius = max(int(softness * len(depths[0]) / 2), 1)

        def maps(depth):
            heights = np.where(depth > 10 * lamp.reach, 5 * lamp.reach, depth) / lamp.reach
            mean = blurred(heights, radius)
            variance = np.maximum(blurred(heights**2, radius) - mean**2, 1e-4)
            return finer(mean, fineness), finer(variance, fineness)

        with ThreadPoolExecutor(len(depths)) as pool:
            self.maps = list(pool.map(maps, depths))

    def on(self, points):
        """`points`: shape (..., 3)."""
        across, up, toward = np.moveaxis((points - self.middle) @ self.axes, -1, 0)
        column, row = (across + 1) * (self.side / 2), (1 - up) * (self.side / 2)
        inside = (column >= 0) & (column < self.side) & (row >= 0) & (row < self.side)
        pixel, toward = (row[inside].astype(np.int32), column[inside].astype(np.int32)), toward[inside]
        shares = np.ones((len(self.maps), *inside.shape), np.float32)
        for share, (mean, variance) in zip(shares, self.maps):
            spread = variance[pixel]
            share[inside] = np.clip((spread / (spread + np.maximum(2.99 - toward - mean[pixel], 0) ** 2) - 0.15) / 0.85, 0, 1)
        return shares


def sky(direction, to_lamp):
    """Colours of the surroundings: bright at the horizon, blue above, a wide soft lamp."""
    up = np.clip(direction[..., 2:], 0, 1) ** 0.6
    colour = SKY_LOW + (SKY_HIGH - SKY_LOW) * up
    lamp = np.clip((direction @ to_lamp - 0.93) / 0.05, 0, 1)
    return colour + 0.9 * lamp[..., None] ** 2


def close_cut(front, back, normal, rays, eye, axis, value, side):
    """Where a ray meets the inside of a cut body first, it enters through the plane of the cut: sets `front` and `normal` there. `side`: 1 or
    -1, the side along `axis` that the eye is on."""
    inside = (front < 0.5 * FAR) & (front >= back * (1 - 1e-5))
    with np.errstate(divide="ignore", invalid="ignore"):
        plane = (value - eye[axis]) / rays[..., axis]
    inside &= np.isfinite(plane) & (plane > 0) & (plane < front)
    front[inside] = plane[inside]
    normal[inside] = side * np.eye(3, dtype=np.float32)[axis]


def water(world, distance, rays, front, back, normal, colour, depth_scale, to_lamp, clear=True):
    """The world's colours (0 to 1) seen through water whose front is at `front` [m] and its back at `back`: Fresnel's reflection (Schlick),
    a shift of what lies behind by the normal, and Beer's law with `colour` as what remains after `depth_scale` [m]. `to_lamp`: unit vector.
    Water that is not clear shows its colour like paint: where that stands for a number."""
    to_lamp = to_lamp.astype(np.float32)
    depth_scale = max(depth_scale, 1e-6)  # 0 of points that have no extent
    height, width = front.shape
    forward = rays[height // 2, width // 2]
    right = rays[height // 2, -1] - rays[height // 2, 0]
    right = (right / np.linalg.norm(right)).astype(np.float32)
    up = np.cross(right, forward)
    image = world.copy()

    def strip(part):
        rows, columns = np.nonzero(front[part] < distance[part])
        rows += part.start
        n = normal[rows, columns]
        n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-6)
        ray = rays[rows, columns]
        length = np.linalg.norm(ray, axis=1, keepdims=True)
        ray = ray / length
        facing = -(ray * n).sum(axis=1, keepdims=True)
        n = np.where(facing < 0, n - ray * (ray * n).sum(axis=1, keepdims=True), n)  # silhouettes of coarse triangles
        facing = np.clip(facing, 0.0, 1)
        z = front[rows, columns]
        thick = np.clip(np.minimum(back[rows, columns], distance[rows, columns]) - z, 0, None)[:, None] * length
        bend = np.minimum(thick[:, 0] * 0.33, 4 * depth_scale) / z * height * 1.9
        r2 = np.clip(rows + (n @ up) * bend, 0, height - 1).astype(int)
        c2 = np.clip(columns - (n @ right) * bend, 0, width - 1).astype(int)
        open_ = distance[r2, c2] > z  # not what stands before the water
        r2, c2 = np.where(open_, r2, rows), np.where(open_, c2, columns)
        remains = (np.maximum(colour[rows, columns], 0.02) if clear else np.float32(1e-4)) ** (thick / depth_scale)
        light = 0.45 + 0.65 * np.clip(n @ to_lamp, 0, 1)[:, None]
        through = world[r2, c2] * remains + colour[rows, columns] * light * (1 - remains)
        mirrored = ray + 2 * facing * n
        reflected = sky(mirrored, to_lamp)
        fresnel = 0.05 + 0.95 * (1 - facing) ** 4
        glint = np.clip(mirrored @ to_lamp, 0, 1)[:, None] ** 120
        image[rows, columns] = through * (1 - fresnel) + reflected * fresnel + 0.7 * glint

    in_strips(strip, height)
    return image
