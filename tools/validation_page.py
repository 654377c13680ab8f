"""The page of the cases of validation, and the plot of each."""
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

MOST_POINTS = 120  # of a curve in a plot
HEAD = "|command, plot|quantity|law or source|reference|band|ours (size)|order|commit|\n|---|---|---|---|---|---|---|---|"


def short(number):
    return f"{number:.4g}"


def finest(case, results):
    """The number of the finest run, None without one."""
    return results[max(results)][0] if results else None


def outside(case, results):
    return bool(results) and not case.inside(finest(case, results))


def count_outside(cases, results, errors):
    """Of the cases that ran to their end."""
    return sum(outside(case, results[case.name]) for case in cases if case.name not in errors)


def row(case, results, error=None, commit=""):
    """The line of the page: the finest run decides whether ours is outside the band."""
    numbers = {size: values[0] for size, values in results.items()}
    ours = [f"{short(numbers[size])} ({size})" for size in sorted(numbers)]
    if error is not None:
        ours.append(f"**failed: {error.replace('|', ' ')[:80]}**")
    elif outside(case, results):
        ours[-1] = f"**{ours[-1]}**"
    order = case.order(numbers)
    unit = f" {case.unit}" if case.unit else ""
    return (f"|[`tools/validate.py {case.name}`](pictures/validation/{case.name}.svg)|{case.what}|{case.law}|{short(case.reference)}{unit}|"
            f"{short(case.band[0])}..{short(case.band[1])}|{', '.join(ours)} {case.per}|{'' if order is None else f'{round(order, 1) + 0.0:.1f}'}|{commit}|")


def lines_of(page_text):
    """{case name: line} of a page."""
    return {name: line for line, name in re.findall(r"^(\|\[`tools/validate\.py (\w+)`\].*)$", page_text, re.MULTILINE)}


def page(lines, summary, quick):
    """The page of lines that row() made."""
    failed = sum("**failed" in line for line in lines)
    out = sum("**" in line for line in lines) - failed
    rows = "\n".join(lines)
    command = "tools/validate.py" + (" --quick" if quick else "")
    return f"""# Validation

**{len(lines)} cases: {len(lines) - out - failed} inside their band, {out} outside (bold), {failed} that did not run to their end.**
`{command}` wrote this page: Merganser {summary.get("version", "?")}, {summary.get("device", "?").split(" (")[0]}, one thread a run, by commits of the last column.
`--update CASE...` makes single lines anew. Commands run with `build/venv/bin/python`; each first cell leads to its plot.

The finest run decides. A size counts particles, or steps, in what is named behind it.
The order is the slope of the error over the sizes; it means nothing where the error is noise.
Bands are tolerances of this project, not scatter of experiments.

{HEAD}
{rows}

## Limits

Sizes are small: a run takes minutes of one core at most. The scenes are in `tools/validation_cases_*.py`; `-o FOLDER` keeps them with their runs.
"""


def thin(x, y):
    """At most MOST_POINTS points of a curve."""
    every = max(1, -(-len(x) // MOST_POINTS))
    return np.asarray(x)[::every], np.asarray(y)[::every]


def draw(case, results, path):
    """The reference and ours, as a small SVG file that is the same for the same numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": case.name, "path.simplify_threshold": 1}):
        figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
        for size in sorted(results):
            axes.plot(*thin(*results[size][1:]), lw=1, label=f"{size} {case.per}")
        if isinstance(case.curve, tuple):
            axes.plot(*case.curve, "k.", label="reference")
        elif results:
            x = np.linspace(*np.asarray(results[max(results)][1])[[0, -1]], 100)
            axes.plot(x, case.curve(x) if case.curve else np.full(100, case.reference), "k--", lw=1, label="reference")
        axes.set_xlabel(case.axes[0])
        axes.set_ylabel(case.axes[1])
        if results:
            axes.legend(fontsize=8, frameon=False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
