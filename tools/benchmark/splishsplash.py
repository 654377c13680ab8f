"""What the comparisons with SPlisHSPlasH share: options, calls of the programs, tables. Their part of a case is a script of its
own, which the Python with the wheel `pysplishsplash` runs; it prints a JSON object as its last line.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from run_files import RunError  # noqa: E402


def parser_of(description, name):
    """Options of every comparison. `name`: of the folder of results."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="Python that has the wheel pysplishsplash")
    parser.add_argument("-o", "--output", type=Path, default=Path("runs") / name)
    parser.add_argument("--repeat", type=int, default=1, help="times each, in turn")
    parser.add_argument("--device", default="cpu", help="of Merganser")
    parser.add_argument("--merganser", type=Path, default=ROOT / "build/cpu/bin/merganser")
    return parser


def options_of(parser):
    """Paths are absolute. A program that is not there is a RunError."""
    options = parser.parse_args()
    options.python = Path(options.python).absolute()  # not resolved: a link into an environment names the environment
    options.merganser, options.output = options.merganser.absolute(), options.output.absolute()
    for program, name in ((options.python, "python"), (options.merganser, "merganser")):
        if not program.exists():
            raise RunError(f"there is no '{program}'; name it by --{name}")
    return options


# A process counts as its own what it was forked from, which would be this Python with its packages: a small one starts it.
MEASURE = """import os, sys
child = os.spawnvp(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(child, 0)
open(sys.argv[1], "w").write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status) % 256)
"""


def call(command, folder):
    """stdout and greatest resident set [MB] of a command that runs in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [str(part) for part in command]
    with open(folder / "stdout.txt", "w") as out, open(folder / "stderr.txt", "w") as err:
        code = subprocess.run([sys.executable, "-S", "-E", "-c", MEASURE, "kilobytes.txt", *words], stdout=out, stderr=err, cwd=folder).returncode
    if code != 0:
        raise RunError(f"'{' '.join(words[:3])} ...' ended with {code}: {(folder / 'stderr.txt').read_text()[-400:]}")
    return (folder / "stdout.txt").read_text(), float((folder / "kilobytes.txt").read_text()) / 1024


def call_theirs(options, script, arguments, folder):
    """Their script's JSON object, the averages that the program prints ({name: ms}, {name: number}) and call()'s memory."""
    out, memory = call([options.python, Path(__file__).with_name(script), *arguments], folder)
    averages = {name.strip(): float(value) for name, value in re.findall(r"Average time: (.*?): ([\d.e+-]+) ms", out)}
    numbers = {name.strip(): float(value) for name, value in re.findall(r"Average number: (.*?): ([\d.e+-]+)", out)}
    return json.loads([line for line in out.splitlines() if line.startswith("{")][-1]), averages, numbers, memory


def call_ours(options, scene, folder, name="run", more=()):
    """Runs a scene into folder/name; what call() returns."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(scene, indent=1))
    return call([options.merganser, "run", folder / f"{name}.json", "-o", folder / name, "--device", options.device, "--overwrite",
                 "--quiet", *more], folder)


def machine():
    return {"machine": platform.processor() or platform.machine(), "cores": os.cpu_count()}


def text_of(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def write_results(options, name, title, about, settings, columns, rows, equal, not_equal):
    """output/NAME.json and NAME.md, the table also on stdout. `settings`: of the runs, in words."""
    lines = [f"# {title}", "", f"{about['machine']}, {about['cores']} cores; {settings}.", "", "| " + " | ".join(columns) + " |",
             "| --- " * len(columns) + "|"]
    lines += ["| " + " | ".join(text_of(r[c]) for c in columns) + " |" for r in rows]
    text = "\n".join(lines + ["", equal, "", not_equal, ""])
    (options.output / f"{name}.json").write_text(
        json.dumps({"about": about, "rows": rows, "equal": equal, "not_equal": not_equal}, indent=1))
    (options.output / f"{name}.md").write_text(text)
    print(text)
