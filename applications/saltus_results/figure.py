# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
"""Figures of one or several panels with one colour bar, and their animation."""
import os
import shutil

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import animation

from .error import PlotError

ANIMATIONS = (".gif", ".mp4")


def literal(text):
    """Text in which matplotlib finds no formula."""
    return text.replace("$", r"\$")


def common_range(panels, options):
    if options.range:
        return options.range
    low, high = min(panel.range[0] for panel in panels), max(panel.range[1] for panel in panels)
    return (low, high) if low < high else (low - 0.5 * abs(low or 1), high + 0.5 * abs(high or 1))


def arrange(panels):
    """Columns, rows and size in inches: flat ones below each other, others side by side."""
    shape = np.max([panel.size for panel in panels], axis=0)
    ratio = np.max([panel.size[1] / panel.size[0] for panel in panels])
    columns = 1 if shape[0] > 2 * shape[1] else min(len(panels), 2 if len(panels) in (2, 4) else 3)
    rows = -(-len(panels) // columns)
    height = rows * (10.0 / columns * 0.85 * ratio + (0.3 if rows > 1 else 0)) + 0.9
    return columns, rows, (10.0, float(np.clip(height, 2.5, 14.0)))


def figure_of(panels, titles, label, options, limits=None):
    columns, rows, size = arrange(panels)
    figure, axes = plt.subplots(rows, columns, figsize=size, constrained_layout=True, squeeze=False)
    low, high = limits or common_range(panels, options)
    for place, panel, title in zip(axes.ravel(), panels, titles):
        colors = panel.draw(place, low, high)
        place.set_title(literal(title))
    for place in axes.ravel()[len(panels):]:
        place.set_visible(False)
    outside = (any(panel.range[0] < low for panel in panels),
               any(panel.range[1] > high for panel in panels))
    extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[outside]
    wide = columns * panels[0].size[0] > 2 * rows * panels[0].size[1]
    figure.colorbar(colors, ax=axes, label=literal(label.replace("_", " ")), extend=extend,
                    location="bottom" if wide else "right", shrink=0.7 if wide else 0.9,
                    aspect=40 if wide else 20)
    return figure


def save(figure, options):
    try:
        figure.savefig(options.output, dpi=options.dpi)
    except (OSError, ValueError) as error:
        raise PlotError("'%s' cannot be written: %s" % (options.output, error))
    plt.close(figure)


def is_animation(path):
    return os.path.splitext(path)[1].lower() in ANIMATIONS


def animate(figures, options):
    """A GIF, or an MP4 by ffmpeg, of figures that an iterator makes, all of one size."""
    frames = options.frames_per_second
    if options.output.lower().endswith(".gif"):
        writer = animation.PillowWriter(fps=frames)
    elif shutil.which("ffmpeg"):
        # Whose usual encoding needs even numbers of pixels.
        writer = animation.FFMpegWriter(fps=frames, extra_args=[
            "-vf", "scale=trunc(iw/2)*2:trunc(ih/2)*2", "-pix_fmt", "yuv420p"])
    else:
        raise PlotError("'%s' needs the program ffmpeg (Debian: ffmpeg); a .gif does not"
                        % options.output)
    first = next(figures)
    try:
        with writer.saving(first, options.output, options.dpi):
            while first is not None:
                writer.fig = first
                writer.grab_frame()
                plt.close(first)
                first = next(figures, None)
    except OSError as error:
        raise PlotError("'%s' cannot be written: %s" % (options.output, error))
