"""Reads files of a run that may be cut off, damaged or of another kind; says so in one line, with the remedy (RunError)."""
import csv
import io
import json
import os
import stat
import sys
import zlib

import h5py
import numpy as np

FRONT = 512  # bytes before the HDF5 image of a frame or surface (host/files/sealed_image.h)
SIGNATURE = b"\x89HDF\r\n\x1a\n"
PORTION = 1 << 26  # bytes read at once
MOST_BY_DEFLATE = 1032  # a compressed byte stands for no more bytes than this
DAMAGE = (OSError, KeyError, ValueError, TypeError, RuntimeError, AttributeError, IndexError, MemoryError)  # what h5py makes of it


class RunError(Exception):
    """What is wrong with a file or folder of a run, and what to do about it."""


class NoRows(RunError):
    """A statistics.csv without a finished step."""


def warn(text):
    print(f"warning: {text}", file=sys.stderr)


def run_tool(name, main):
    """Runs a tool; an error is one line on standard error and exit code 2."""
    try:
        main()
    except (RunError, OSError) as error:
        print(f"{name}: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)


def portions(path, remedy):
    """The bytes of a regular file. A FIFO without a writer would hold up a plain open."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise RunError(f"{path} is not a regular file; {remedy}")
            while portion := os.read(descriptor, PORTION):
                yield portion
        finally:
            os.close(descriptor)
    except OSError as error:
        raise RunError(f"cannot read {path} ({error.strerror}); {remedy}") from error


def read_text(path, remedy):
    try:
        return b"".join(portions(path, remedy)).decode()
    except UnicodeDecodeError as error:
        raise RunError(f"{path} is not UTF-8 text (byte {error.start}); {remedy}") from error


def read_json(path, remedy="run the scene again"):
    """The object in a JSON file."""
    text = read_text(path, remedy)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is not whole JSON ({error}); {remedy}") from error
    if not isinstance(value, dict):
        raise RunError(f"{path} holds no JSON object; {remedy}")
    return value


def read_rows(path, remedy):
    """Header and rows of a table of a run, as texts; a row that is still being written is left out."""
    lines = read_text(path, remedy).splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        if len(lines) > 1:
            warn(f"{path}: the last row is cut off and left out; is the run going on?")
        lines.pop()
    try:
        rows = list(csv.reader(io.StringIO("".join(lines), newline="")))
    except csv.Error as error:
        raise RunError(f"{path} is damaged ({error}); run the scene again") from error
    return (rows[0], rows[1:]) if rows else ([], [])


def numbers_of(path, header, rows, gaps=False):
    """The rows as numbers; with gaps, None for an empty cell behind step and time."""
    table = []
    for number, row in enumerate(rows, 2):
        try:
            table.append([None if gaps and v == "" else float({"true": 1, "false": 0}.get(v.lower(), v)) for v in row])
        except ValueError:
            table.append([])
        if len(table[-1]) != len(header) or None in table[-1][:2]:
            raise RunError(f"{path} is damaged: line {number} is not a row of {len(header)} numbers; run the scene again")
    return table


def read_statistics(path, needed=()):
    """{column: values} of a statistics.csv with at least these columns and `time`."""
    remedy = "give the folder that `merganser run -o DIR` wrote"
    header, rows = read_rows(path, remedy)
    table = numbers_of(path, header, rows)
    if not table:
        raise NoRows(f"{path} holds no finished step yet; wait for the run, or run the scene again")
    for name in ("time", *needed):
        if name not in header:
            raise RunError(f"{path} has no column '{name}'; its columns are {', '.join(header)[:200]}; {remedy}")
    values = np.array(table)
    return {name: values[:, i] for i, name in enumerate(header)}


def read_probes(path):
    """{column: (times, values)} of a probes.csv, each at the times at which its probe was due; empty without the file. A value is NaN
    where there was nothing to measure."""
    if not path.exists():
        return {}
    header, rows = read_rows(path, "run the scene again")
    if header and header[:2] != ["step", "time"]:
        raise RunError(f"{path} does not begin with the columns step and time; run the scene again")
    table = numbers_of(path, header, rows, gaps=True)
    due = {name: [(row[1], row[i]) for row in table if row[i] is not None] for i, name in enumerate(header) if i > 1}
    return {name: tuple(np.array(pairs).T) for name, pairs in due.items() if pairs}


def open_image(path, kind, remedy):
    """The HDF5 file of a frame or surface whose checksum fits, or that was written before there were checksums."""
    damaged = lambda how: RunError(f"{path} is no whole {kind} ({how}); {remedy}")
    crc, length, front = 0, 0, None
    for portion in portions(path, remedy):
        if front is None:
            front, portion = portion[:FRONT], portion[FRONT:]
            if front.startswith(SIGNATURE):
                break
        crc, length = zlib.crc32(portion, crc), length + len(portion)
    front = front or b""
    if not front.startswith(SIGNATURE):
        if front != f"merganser {kind} 1\nlength {length}\ncrc32 {crc:08x}\n".encode().ljust(FRONT, b"\n"):
            raise damaged("its header or checksum is wrong")
    try:
        return h5py.File(path, "r")
    except DAMAGE as error:
        raise damaged(error) from error


def read_values(group, name):
    """The numbers of a data set of the file itself, if they are no more than the file can hold."""
    link = group.get(name, getlink=True)
    values = group[name] if isinstance(link, h5py.HardLink) else None
    if not isinstance(values, h5py.Dataset) or values.external or values.is_virtual or values.dtype.kind not in "iuf":
        raise ValueError(f"{name} is no list of numbers")
    if values.nbytes > MOST_BY_DEFLATE * values.id.get_storage_size():
        raise ValueError(f"{name} is longer than the file")
    return values[:]
