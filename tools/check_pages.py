#!/usr/bin/env python3
"""Checks the length of pages: at most 1,500 words, as wc -w counts them, but for the generated reference.

    tools/check_pages.py [--sentences] [ROOT]

    --sentences   also lists sentences of more than 35 words, which are no fault

Links of pages are checked by tests/cli/test_links.py. Exit code 1 and one line a page where a page is too long.
"""
import argparse
import re
import sys
from pathlib import Path

from check_arrows import tracked_files

MOST_WORDS = 1500
MOST_WORDS_OF_A_SENTENCE = 35
GENERATED = {Path("scenes/REFERENCE.md")}
NOT_PROSE = re.compile(r"^[ \t]*```.*?^[ \t]*```|^\s*\|.*?$|^#.*?$|!?\[([^\]]*)\]\([^)]*\)", re.M | re.S)
# An end of a sentence, of a paragraph or of an item of a list.
END = re.compile(r"(?<=[.:?!])\s+(?=[A-Z*`\[])|\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)")


def long_sentences(text):
    prose = NOT_PROSE.sub(lambda found: found.group(1) or "\n\n" * (not found.group().startswith(("[", "!"))), text)
    return [" ".join(words) for words in map(str.split, END.split(prose)) if len(words) > MOST_WORDS_OF_A_SENTENCE]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", action="store_true")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    pages = [path for path in tracked_files(options.root, "*.md") if path not in GENERATED]
    faults = 0
    for page in pages:
        text = (options.root / page).read_text()
        words = len(text.split())
        if words > MOST_WORDS:
            faults += 1
            print(f"{page}: {words} words, more than {MOST_WORDS}; shorten it or split it by topic")
        if options.sentences:
            for sentence in long_sentences(text):
                print(f"{page}: note: {len(sentence.split())} words: {sentence[:100]}...")
    print(f"pages: {len(pages)} pages, {faults} faults")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
