#!/usr/bin/env python3
"""Holds every kernel to the registers, stack and spills that are written down for it.

usage: kernel_resources.py [--check | --update | --list] [--build DIR] [--table FILE] [FILE...]

  --check      compare a build with the table (what happens without an option); exit code 1 with the names of kernels that
               grew beyond their room, that the table does not know, or that are gone
  --update     write the table anew from the build; look at the difference before you commit it
  --list       print what the build has, the kernels with most registers first
  --build DIR  a CUDA build for one architecture with MERGANSER_KERNEL_RESOURCES=ON (default build/cuda):
                 cmake --preset cuda -DMERGANSER_KERNEL_RESOURCES=ON -DCMAKE_CUDA_ARCHITECTURES=90 && cmake --build --preset cuda
  --table FILE default tools/benchmark/kernel_resources.csv
  FILE...      listings of the compiler (nvcc --resource-usage) instead of a build

A kernel may take 4 registers more than the table says, and an eighth more stack where it has any. A stack where there was none, a byte
spilled or a byte of shared memory more is a failure. A kernel that has become smaller passes; --update keeps the gain.
The figures are the compiler's, and no times. Kernels of Thrust and CUB are not ours and not listed.
"""
import argparse
import csv
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = ["registers", "stack", "spilled", "shared"]  # [1], [B], [B], [B]
ROOM = {"registers": lambda known: known + 4, "stack": lambda known: known + known // 8,
        "spilled": lambda known: known, "shared": lambda known: known}

ENTRY = re.compile(r"ptxas info\s*: Compiling entry function '(\S+)' for '(\S+)'")
FUNCTION = re.compile(r"ptxas info\s*: Function properties for (\S+)")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"ptxas info\s*: Used (\d+) registers")
CUMULATIVE = re.compile(r"(\d+) bytes cumulative stack size")
SHARED = re.compile(r"(\d+) bytes smem")


class Fault(Exception):
    """Said in one line; exit code 2."""


def parse(text):
    """[(mangled name, architecture, {column: figure})] of a listing."""
    kernels, name, architecture, function, figures = [], None, None, None, {}
    for line in text.splitlines():
        if found := ENTRY.search(line):
            name, architecture, figures = found[1], found[2], dict.fromkeys(COLUMNS, 0)
        elif found := FUNCTION.search(line):
            function = found[1]
        elif (found := FRAME.search(line)) and name and function == name:
            figures["stack"], figures["spilled"] = int(found[1]), int(found[2]) + int(found[3])
        elif (found := USED.search(line)) and name:
            figures["registers"] = int(found[1])
            if whole := CUMULATIVE.search(line):  # of the functions that it calls as well
                figures["stack"] = max(figures["stack"], int(whole[1]))
            if shared := SHARED.search(line):
                figures["shared"] = int(shared[1])
            kernels.append((name, architecture, figures))
            name = None
    return kernels


def name_unnamed_namespaces(mangled):
    """nvcc's unnamed namespaces (46_GLOBAL__N__95ebeb1a_13_multigrid_cpp_56eba1b2) become the file's name: the numbers change
    from build to build. The file is mostly a batch of one folder."""
    def file_name(found):
        length, rest = int(found[1]), mangled[found.end(1):]
        name = re.match(r"_GLOBAL__N__[0-9a-f]+_\d+_(\w+)_[0-9a-f]+$", rest[:length])
        if not name:
            return found[0]
        return f"{len(name[1])}{name[1]}"
    out, at = "", 0
    for found in re.finditer(r"(?<!\d)(\d+)(?=_GLOBAL__N__)", mangled):
        out += mangled[at:found.start()] + file_name(found)
        at = found.end(1) + int(found[1]) if file_name(found) != found[0] else found.end(1)
    return out + mangled[at:]


def demangle(names):
    done = subprocess.run(["c++filt"], input="\n".join(map(name_unnamed_namespaces, names)), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def without_parameters(name):
    """'void f<A<int>>(int, B)' -> 'f<A<int>>'"""
    depth = 0
    for k in range(len(name) - 1, -1, -1):
        depth += (name[k] == ")") - (name[k] == "(")
        if name[k] == "(" and depth == 0 and k > 0:
            name = name[:k]
            break
    return name.removeprefix("void ")


def short(name):
    """The functor's name; other entry functions than launch()'s keep theirs: 'reduce_partials<SumDirichlet>'."""
    name = without_parameters(name)
    name = re.sub(r"\bmerganser::(gpu::)?", "", name)
    name = re.sub(r"\b(\w+)_\d+_cpp::", r"\1:", name)  # a batch of a folder, whose number says nothing
    name = re.sub(r"\b(\w+)_cpp::", r"\1.cpp:", name)
    name = re.sub(r"\s*>", ">", re.sub(r",\s*", ",", name))
    if found := re.fullmatch(r"run_functor<(.*)>", name):
        name = found[1]
    return name


def collect(texts):
    """{short name: figures}; of a kernel that several objects hold, the greatest of each."""
    listed = [kernel for text in texts for kernel in parse(text)]
    architectures = sorted({architecture for _, architecture, _ in listed})
    if len(architectures) > 1:
        raise Fault(f"listings of several architectures ({', '.join(architectures)}); configure with one, -DCMAKE_CUDA_ARCHITECTURES=90")
    kernels, foreign = {}, 0
    for name, (_, _, figures) in zip(demangle([mangled for mangled, _, _ in listed]), listed):
        if "merganser::" not in without_parameters(name) or re.match(r"(void )?(cub|thrust)::", name):
            foreign += 1
            continue
        known = kernels.setdefault(short(name), dict.fromkeys(COLUMNS, 0))
        for column in COLUMNS:
            known[column] = max(known[column], figures[column])
    return dict(sorted(kernels.items())), (architectures or [""])[0], foreign


def listings_of_build(build):
    """Texts of the listings beside the objects of the GPU half; tests have kernels of their own, which do not count."""
    commands = build / "compile_commands.json"
    if not commands.is_file():
        raise Fault(f"no {commands}; see -h for how to build")
    texts, missing = [], []
    for entry in json.loads(commands.read_text()):
        if "nvcc" not in entry["command"] or f"{ROOT}/tests/" in entry["file"] or "/tests_" in entry["file"]:
            continue
        found = re.search(r" -o (\S+\.o)\b", entry["command"])
        listing = Path(entry["directory"]) / (found[1] + ".kernels")
        if listing.is_file():
            texts.append(listing.read_text())
        else:
            missing.append(entry["file"])
    if missing:
        raise Fault(f"{build} has no listing of {len(missing)} files (the first: {missing[0]}); build all of it with "
                    "-DMERGANSER_KERNEL_RESOURCES=ON")
    return texts


def compiler():
    try:
        said = subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout
    except OSError:
        return "nvcc"
    found = re.search(r"release (\S+),", said)
    return f"nvcc {found[1]}" if found else "nvcc"


def read_table(path):
    if not path.is_file():
        raise Fault(f"no table {path}; --update writes it")
    with open(path, newline="") as file:
        made_with = file.readline().lstrip("# ").strip()
        try:
            return {row["kernel"]: {c: int(row[c]) for c in COLUMNS} for row in csv.DictReader(file)}, made_with
        except (KeyError, TypeError, ValueError) as fault:
            raise Fault(f"{path} is damaged ({fault}); --update writes it anew") from None


def write_table(path, kernels, made_with):
    with open(path, "w", newline="") as file:
        file.write(f"# {made_with}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kernel", *COLUMNS])
        for name, figures in kernels.items():
            writer.writerow([name, *(figures[c] for c in COLUMNS)])


def faults(kernels, table):
    found = []
    for name, figures in kernels.items():
        if name not in table:
            found.append(f"new kernel, not in the table: {name} ({', '.join(f'{c} {figures[c]}' for c in COLUMNS)})")
            continue
        for column in COLUMNS:
            known = table[name][column]
            if figures[column] > ROOM[column](known):
                found.append(f"{name}: {column} {figures[column]}, at most {ROOM[column](known)} (the table says {known})")
    found += [f"in the table, but not in the build: {name}" for name in table if name not in kernels]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    for option in ("check", "update", "list"):
        what.add_argument(f"--{option}", action="store_true")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cuda")
    parser.add_argument("--table", type=Path, default=ROOT / "tools" / "benchmark" / "kernel_resources.csv")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()

    kernels, architecture, foreign = collect([f.read_text() for f in arguments.files] or listings_of_build(arguments.build))
    if not kernels:
        raise Fault("the listings name no kernel of ours")
    made_with = f"{compiler()} {architecture}"
    if arguments.list:
        for name, figures in sorted(kernels.items(), key=lambda item: -item[1]["registers"]):
            print(f"{figures['registers']:4} registers {figures['stack']:5} B stack {figures['spilled']:5} B spilled "
                  f"{figures['shared']:6} B shared  {name}")
        return 0
    if arguments.update:
        write_table(arguments.table, kernels, made_with)
        print(f"{arguments.table}: {len(kernels)} kernels ({foreign} of Thrust and CUB left out)")
        return 0
    table, table_made_with = read_table(arguments.table)
    found = faults(kernels, table)
    if found and table_made_with != made_with:
        print(f"note: the table was made with {table_made_with}, this build with {made_with}")
    for line in found:
        print(line)
    print(f"{len(kernels)} kernels, {len(found)} faults" + ("; where the change is meant: tools/kernel_resources.py --update" if found else ""))
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Fault, OSError) as fault:
        print(f"kernel_resources: {fault}", file=sys.stderr)
        sys.exit(2)
