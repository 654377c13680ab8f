#!/usr/bin/env python3
"""Checks the pages: at most 1,500 words a page, as wc -w counts them, and at most 20 words a sentence.

    tools/check_pages.py [ROOT]

Code blocks, tables, headings and the targets of links are no sentences. Generated pages and the notebooks in
tools/benchmark/results/ are left out. Links are checked by tests/cli/test_links.py.
Exit code 1 and one line a fault: the page, and the words and the beginning of a sentence that is too long.
"""
import re
import sys
from pathlib import Path

from check_arrows import tracked_files

MOST_WORDS = 1500
MOST_WORDS_OF_A_SENTENCE = 20
GENERATED = {Path("scenes/REFERENCE.md")}
NOTEBOOKS = Path("tools/benchmark/results")
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
LEFT_OUT = re.compile(r"\s*(?:\||#+\s)")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
ABBREVIATIONS = "".join(rf"(?<!\b{word}\.)" for word in ["Eq", "eq", "Fig", "Sec", "sec", "ch", "al", "cf"])
END = re.compile(rf"(?<=[.?!]){ABBREVIATIONS}[*_)\"]*\s+(?=[A-Z0-9*_`\[(\"])")


def blocks(text):
    """Paragraphs and items of lists, each on one line."""
    block, fenced, after_blank, indent = [], False, True, 0  # indent: of the text of a list's item
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        if line.strip() and not line.startswith(" ") and after_blank:
            indent = 0
        code = fenced or FENCE.match(line) or (line.startswith(" " * (indent + 4)) and after_blank)
        item = not code and ITEM.match(line)
        if item or code or not line.strip() or LEFT_OUT.match(line):
            yield " ".join(block)
            block = []
        if item:
            indent = item.end()
            block.append(line[indent:])
        elif not code and not LEFT_OUT.match(line):
            block.append(line)
        after_blank = bool(code) or not line.strip()
    yield " ".join(block)


def long_sentences(text):
    for block in blocks(text):
        for sentence in END.split(LINK.sub(r"\1", block)):
            if len(sentence.split()) > MOST_WORDS_OF_A_SENTENCE:
                yield " ".join(sentence.split())


def faults_of(page, text):
    words = len(text.split())
    if words > MOST_WORDS:
        yield f"{page}: {words} words, more than {MOST_WORDS}; shorten it or split it by topic"
    for sentence in long_sentences(text):
        yield f"{page}: {len(sentence.split())} words in a sentence, more than {MOST_WORDS_OF_A_SENTENCE}: {sentence[:60]}..."


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    pages = [path for path in tracked_files(root, "*.md") if path not in GENERATED and NOTEBOOKS not in path.parents]
    faults = [fault for page in pages for fault in faults_of(page, (root / page).read_text())]
    for fault in faults:
        print(fault)
    print(f"pages: {len(pages)} pages, {len(faults)} faults")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
