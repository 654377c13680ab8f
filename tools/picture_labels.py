"""Words and scales on pictures, and pictures side by side."""
import matplotlib
import numpy as np
from matplotlib import font_manager
from PIL import ImageDraw, ImageFont

COLOR_MAP = matplotlib.colors.LinearSegmentedColormap.from_list(
    "water", ["#1c58b8", "#2f83e0", "#54b2f0", "#86d3f3", "#c3eff8"])


def rgb_of(color):
    return (np.array(matplotlib.colors.to_rgb(color)) * 255).astype(np.uint8)


def label(picture, frame, look):
    """Writes the time, the title and the scale of colours on a picture."""
    draw = ImageDraw.Draw(picture)
    width, height = look.size
    scale = height / 720
    ink = "#555555" if sum(rgb_of(look.background).astype(int)) > 380 else "#cccccc"
    small, large = (ImageFont.truetype(font_manager.findfont("DejaVu Sans"), max(9, round(s * scale))) for s in (15, 20))
    margin = round(18 * scale)
    draw.text((margin, height - margin), f"t = {frame.time:.3f} s", fill=ink, font=small, anchor="ls")
    if look.title:
        draw.text((margin, margin), look.title, fill=ink, font=large, anchor="lt")
    if look.color in ("speed", "density"):
        scalar_bar(draw, ink, small, scale, margin, look)
    return picture


def scalar_bar(draw, ink, font, scale, margin, look):
    width, height = look.size
    length, thick = round(200 * scale), round(9 * scale)
    left, top = width - margin - length, height - margin - thick
    for x in range(length):
        draw.line([(left + x, top), (left + x, top + thick)], fill=tuple(int(255 * c) for c in COLOR_MAP(x / (length - 1))[:3]))
    draw.rectangle([left, top, left + length, top + thick], outline=ink)
    gap = round(6 * scale)
    low, high = look.color_range
    label = {"speed": "speed [m/s]", "density": "density [kg/m³]"}[look.color]
    draw.text((left, top - gap), f"{low:.3g}", fill=ink, font=font, anchor="ls")
    draw.text((left + length / 2, top - gap), label, fill=ink, font=font, anchor="ms")
    draw.text((left + length, top - gap), f"{high:.3g}", fill=ink, font=font, anchor="rs")


def montage(images, columns):
    """Pictures side by side, row by row, in one."""
    height, width, _ = images[0].shape
    rows = -(-len(images) // columns)
    sheet = np.full((rows * height, columns * width, 3), 255, np.uint8)
    for i, image in enumerate(images):
        row, column = divmod(i, columns)
        sheet[row * height:(row + 1) * height, column * width:(column + 1) * width] = image
    return sheet
