#!/usr/bin/env python3
"""Every member of a class with save(StateArchive&, ...) is written there or stands in unsaved_members.txt with a reason.

A member that is added or renamed is in neither, so this test names it. That the reasons hold is what
tests/scenes/resumed_scenes_test.cpp shows: it loads checkpoints into simulations whose members hold other values.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = pathlib.Path(__file__).with_name("unsaved_members.txt")


def block(text, start):
    """The text from a brace to the one that closes it."""
    depth = 0
    for k in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[k], 0)
        if depth == 0:
            return text[start:k + 1]
    return text[start:]


def members(body):
    """Names with a trailing underscore that a class declares outside of its functions."""
    flat, depth = "", 0
    for char in body:
        depth += char == "{"
        if depth == 1 and char not in "{}":
            flat += char
        if char == "}":
            depth -= 1
            flat += ";" if depth == 1 else ""
    return set(re.findall(r"\b(\w+_)\b(?=\s*(?:;|=|,|$))", re.sub(r"\([^()]*\)", "()", flat)))


def saved_text(name, body, texts):
    """The bodies of its functions that write a checkpoint."""
    found = [block(body, m.end() - 1) for m in re.finditer(r"\bsave\(StateArchive[^)]*\)\s*const\s*(?:override\s*)?\{", body)]
    for text in texts:
        found += [block(text, m.end() - 1) for m in re.finditer(rf"\b{name}::save\([^)]*\)\s*const\s*\{{", text)]
    return "\n".join(found)


def unsaved_members():
    files = [path for folder in ("solvers", "host/simulation") for path in sorted((ROOT / folder).rglob("*"))
             if path.suffix in (".h", ".cpp")]
    texts = [re.sub(r"//[^\n]*", "", path.read_text()) for path in files]
    unsaved = {}
    for text in texts:
        for match in re.finditer(r"\b(?:class|struct)\s+(\w+)(?:\s+final)?(?:\s*:\s*[^{;]*)?\s*\{", text):
            body = block(text, match.end() - 1)
            if not re.search(r"\bsave\((?:StateArchive|\) const)", body):
                continue
            saved = saved_text(match.group(1), body, texts)
            missing = {name for name in members(body) if not re.search(rf"\b{name}\b", saved)}
            if missing:
                unsaved.setdefault(match.group(1), set()).update(missing)
    return unsaved


def table():
    """Reasons, and the members of each class by its lines `Class reason: members`."""
    reasons, listed = set(), {}
    for line in TABLE.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        head, _, names = line.partition(":")
        if head.startswith("= "):
            reasons.add(head[2:])
            continue
        name, reason = head.split()
        if reason not in reasons:
            sys.exit(f"{TABLE.name}: '{reason}' is none of its reasons")
        listed.setdefault(name, []).extend(names.split())
    return listed


def main():
    unsaved, listed, wrong = unsaved_members(), table(), []
    for name in sorted(set(unsaved) | set(listed)):
        found, told = unsaved.get(name, set()), listed.get(name, [])
        wrong += [f"{name}::{m} is not in its save() and has no reason in {TABLE.name}" for m in sorted(found - set(told))]
        wrong += [f"{TABLE.name}: {name}::{m} is saved, or there is none" for m in sorted(set(told) - found)]
        wrong += [f"{TABLE.name}: {name}::{m} stands there twice" for m in sorted(set(told)) if told.count(m) > 1]
    if len(unsaved) < 20:
        wrong.append(f"only {len(unsaved)} classes with a state were found")
    print("\n".join(wrong) or f"{sum(map(len, unsaved.values()))} members of {len(unsaved)} classes have a reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
