#!/usr/bin/env python3
"""Makes pictures (PNG) and a movie (MP4) of a run; needs no display.

    build/venv/bin/python tools/render.py DIR                        the last frame and a movie
    build/venv/bin/python tools/render.py DIR --frame 20 --color speed
    build/venv/bin/python tools/render.py DIR --montage 0,20,40 --section y
    build/venv/bin/python tools/render.py DIR --particles --color group     spheres instead of surfaces and skins
    build/venv/bin/python tools/render.py DIR/surface --beside DIR/sum      two sequences side by side

DIR is what `merganser run -o DIR` wrote or is still writing, or a folder of surfaces (`merganser surface`, `merganser
skin`). A run's fluids are drawn as water, its cloth and solids by their skins: those in DIR/surface and DIR/skin where they hold all
frames that are drawn, else made for the picture and removed. The files go to DIR/pictures/. A "render" object in the
scene gives defaults ({"camera": {"position", "focus", "up"}, "section", "wallSection", "color", "title"}); section and color are those of
--particles, and the command line wins.
"""
import argparse
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from picture_camera import choose_camera, choose_section, framed, numbers, outline, some_of
from progress import Progress
from run_files import RunError, run_tool
from run_folder import RunFolder
from run_meshes import DressedRun
from scene_walls import visible_walls
from surface_folder import SurfaceFolder

OF_PARTICLES = ("density", "group", "damage", "fragment")  # colours that particles alone have


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", help="a run's folder, or one of surfaces")
    parser.add_argument("--beside", metavar="DIR2", help="put the same frames of this folder to the right, from the same camera")
    parser.add_argument("--frame", metavar="N|last|all", help="make a picture of this frame, of the last or of all")
    parser.add_argument("--montage", metavar="N,N,...", help="one picture with these frames side by side")
    parser.add_argument("--columns", type=int, metavar="N", help="pictures in a row of the montage (default: all)")
    parser.add_argument("--movie", action=argparse.BooleanOptionalAction,
                        help="make movie.mp4 (default: unless --frame or --montage is given)")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="take every K-th frame for --frame all and the movie")
    parser.add_argument("--fps", type=float, default=25, help="movie frames per second (default 25)")
    parser.add_argument("--color", choices=["body", "speed", "density", "group", "damage", "fragment"],
                        help="what the colour shows (default: the material); speed and density colour the fluid alone where there is one, "
                             "damage and fragment the brittle solids; density, group, damage and fragment need --particles, and imply it")
    parser.add_argument("--particles", action="store_true", help="draw all particles as spheres, and no surfaces or skins")
    parser.add_argument("--range", metavar="LOW,HIGH", help="ends of the colour scale (default: from the frames)")
    parser.add_argument("--camera", metavar="PRESET|X,Y,Z,FX,FY,FZ[,UX,UY,UZ]",
                        help="iso, front, side, top, below; or position, focus and up")
    parser.add_argument("--section", metavar="AXIS[=VALUE]",
                        help="cut away what lies between the camera and this plane, e.g. y or y=0.1; none: whole")
    parser.add_argument("--wall-section", metavar="AXIS[=VALUE]",
                        help="the same of the walls alone, to see what is inside them (default: as --section)")
    parser.add_argument("--skins", action=argparse.BooleanOptionalAction, default=True,
                        help="draw cloth, soft, brittle and rigid bodies by their skins (default) or as particles")
    parser.add_argument("--surfaces", action=argparse.BooleanOptionalAction, default=True,
                        help="draw fluids by their surfaces (default) or as particles")
    parser.add_argument("--merganser", type=Path, metavar="FILE",
                        help="the program that makes skins and surfaces (default: build/*/bin/merganser beside this file, or the one in PATH)")
    parser.add_argument("--walls", action=argparse.BooleanOptionalAction, default=True,
                        help="draw obstacles and walls that move (default)")
    parser.add_argument("--size", default="1280x720", metavar="WxH")
    parser.add_argument("--radius", type=float, metavar="R", help="sphere radius [m] (default: the scene's particleRadius)")
    parser.add_argument("--title", help="words in the upper left corner")
    parser.add_argument("--background", help="a colour name or #rrggbb (default: light grey, of --particles white)")
    parser.add_argument("--fast", action="store_true", help="no smoothing of edges: about half the time a frame")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="where the pictures go (default: DIR/pictures)")
    return parser.parse_args(arguments)


def choose_range(text, color, run, samples):
    if text:
        return tuple(numbers(text, (2,), "--range"))
    if color not in ("speed", "density"):
        return 0.0, 1.0
    values = []
    for frame in samples:
        fluid = run.fluid_particles(frame)
        field = frame.speed() if color == "speed" else frame.require("density")
        values.append(field[fluid] if fluid.any() else field)
    low = 0.0 if color == "speed" else min(float(np.percentile(v, 1)) for v in values if len(v))
    high = max(float(np.percentile(v, 99)) for v in values if len(v))
    return low, high if high > low else low + 1.0


def choose_look(arguments, run):
    """The look, and the points that stand for all frames."""
    from particle_picture import BACKGROUND, Look
    from picture_world import tank_boxes
    match = re.fullmatch(r"(\d+)x(\d+)", arguments.size)
    if not match:
        raise RunError(f"--size '{arguments.size}': expected WIDTHxHEIGHT, e.g. 1280x720")
    size = tuple(2 * round(int(v) / 2) for v in match.groups())  # H.264 wants even numbers
    defaults = run.scene.get("render", {})
    samples = [run.read(number) for number in some_of(run.numbers)]
    surface = SurfaceFolder.is_one(run.path)
    radius = arguments.radius or run.particle_radius(samples[0])
    points = outline(run, samples)
    wanted = wanted_frames(arguments, run)
    drawn = [run.read_drawn(wanted[0])] if len(wanted) == 1 else [run.read(number) for number in some_of(wanted)]
    seen = outline(run, drawn)
    spheres = surface or arguments.particles
    section = choose_section(arguments.section or (defaults.get("section") if spheres else None), points)
    cut = arguments.wall_section or defaults.get("wallSection")
    walls_cut = choose_section(cut, points, "--wall-section") if cut else section
    walls = visible_walls(run.scene, points) if arguments.walls else []
    tanks = tank_boxes(run.scene, points, seen) if arguments.walls and not spheres else []
    in_view = framed(seen, tanks, walls, [frame.time for frame in drawn])
    color = arguments.color or (spheres and defaults.get("color")) or ("speed" if spheres and "velocity" in samples[0].data else "body")
    return Look(size=size, color=color, color_range=choose_range(arguments.range, color, run, samples), radius=radius,
                section=section, wall_section=walls_cut,
                camera=choose_camera(arguments.camera, defaults.get("camera"), section, in_view, size[0] / size[1]),
                surface=surface, tanks=tuple(tanks), walls=tuple(walls),
                background=arguments.background or ("white" if spheres else BACKGROUND), supersampling=1 if arguments.fast else 2,
                title=arguments.title if arguments.title is not None else defaults.get("title", "")), points


def save(image, path):
    from PIL import Image
    Image.fromarray(image).save(path)
    print(path)


def frame_number(text, run):
    if text == "last":
        return run.numbers[-1]
    if not re.fullmatch(r"\d+", text):
        raise RunError(f"frame '{text}': expected a number or last")
    return int(text)


def of_montage(arguments, run):
    return [frame_number(n, run) for n in arguments.montage.split(",")] if arguments.montage else []


def of_pictures(arguments, run):
    wanted = arguments.frame or (None if arguments.montage else "last")
    return run.numbers[::max(arguments.every, 1)] if wanted == "all" else [frame_number(wanted, run)] if wanted else []


def of_movie(arguments, run):
    asked = arguments.movie or (arguments.movie is None and not arguments.frame and not arguments.montage)
    return run.numbers[::max(arguments.every, 1)] if asked else []


def wanted_frames(arguments, run):
    return sorted({*of_montage(arguments, run), *of_pictures(arguments, run), *of_movie(arguments, run)})


def open_folder(path, arguments):
    if SurfaceFolder.is_one(path):
        return SurfaceFolder(path)
    if arguments.particles:
        return RunFolder(path)
    run = RunFolder(path)
    return DressedRun(path, ["skin"] * arguments.skins + ["surface"] * arguments.surfaces, wanted_frames(arguments, run), arguments.merganser)


def painter_of(run, look, points):
    """What draws a run's frames: as a scene, or its particles or a folder of surfaces alone."""
    from particle_picture import Painter
    from scene_picture import ScenePainter
    if isinstance(run, DressedRun):
        return ScenePainter(look, run.scene, points)
    return Painter(replace(look, surface=SurfaceFolder.is_one(run.path)))


def render(arguments):
    from picture_labels import montage
    arguments.particles |= arguments.color in OF_PARTICLES
    run = open_folder(arguments.folder, arguments)
    look, points = choose_look(arguments, run)
    pairs = [(run, painter_of(run, look, points))]
    if arguments.beside:
        other = open_folder(arguments.beside, arguments)
        pairs.append((other, painter_of(other, look, points)))
        run.files = [f for f in run.files if f[0] in other.numbers]
        if not run.files:
            raise RunError(f"{run.path} and {other.path} have no frame number in common")
    output = arguments.output or run.path / "pictures"
    output.mkdir(parents=True, exist_ok=True)

    def pictures_of(numbers):
        """What a picture shows is read, and its meshes are made, while the one before it is painted."""
        read = lambda number: [source.read_drawn(number) for source, _ in pairs]
        ahead = None
        for number in [*numbers, None]:
            wanted, ahead = ahead, None if number is None else reader.submit(read, number)
            if wanted:
                yield np.hstack([painter.paint(frame, source.fluid_particles(frame)) for frame, (source, painter) in zip(wanted.result(), pairs)])

    reader = ThreadPoolExecutor(1)
    try:
        if arguments.montage:
            images = list(pictures_of(of_montage(arguments, run)))
            save(montage(images, arguments.columns or len(images)), output / "montage.png")
        numbers = of_pictures(arguments, run)
        progress = Progress("pictures", len(numbers))
        for done, image in enumerate(pictures_of(numbers), 1):
            save(image, output / f"frame_{numbers[done - 1]:06d}.png")
            progress.step(done)
        if numbers := of_movie(arguments, run):
            write_movie(output / "movie.mp4", pictures_of(numbers), len(numbers), (len(pairs) * look.size[0], look.size[1]), arguments.fps)
    finally:
        reader.shutdown(cancel_futures=True)
        for source, painter in pairs:
            painter.close()
            if isinstance(source, DressedRun):
                source.close()


def write_movie(path, pictures, count, size, fps):
    import imageio_ffmpeg
    partial = path.with_name("movie.partial.mp4")
    writer = imageio_ffmpeg.write_frames(str(partial), size, fps=fps, codec="libx264", macro_block_size=2,
                                         output_params=["-crf", "18", "-movflags", "+faststart"])
    writer.send(None)
    progress = Progress("movie", count)
    for done, picture in enumerate(pictures, 1):
        writer.send(np.ascontiguousarray(picture))
        progress.step(done)
    writer.close()
    partial.replace(path)
    print(path)


if __name__ == "__main__":
    run_tool("render", lambda: render(parse_arguments()))
