"""docs/DEPLOY.md: its blocks, by their heading. `sh` says on which machines each is run."""

import pathlib
import re

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "DEPLOY.md"
ONE_MACHINE = "One machine"
BLOCK = re.compile(r"^```sh ((?:one|[a-c])(?: [a-c])*)( line by line)?\n(.*?)^```$", re.M | re.S)


def blocks_of(text):
    """heading → [(machines, scripts, on one machine after the other?)]"""
    parts = re.split(r"^##? (.+)$", text, flags=re.M)
    blocks = {title: [(names.split(), script.splitlines() if by_line else [script], bool(by_line))
                      for names, by_line, script in BLOCK.findall(body)]
              for title, body in zip(parts[1::2], parts[2::2])}
    fences, named = len(re.findall(r"^```\w", text, re.M)), sum(map(len, blocks.values()))
    if fences != named:
        raise AssertionError(f"{fences} blocks on the page, of which {named} name their machines")
    return blocks


def one_machine():
    """Its scripts."""
    return ["\n".join(scripts) for _, scripts, _ in blocks_of(FILE.read_text())[ONE_MACHINE]]


class ThreeMachines:
    """Each block is to be called."""

    def __init__(self):
        self.blocks = blocks_of(FILE.read_text())
        del self.blocks[ONE_MACHINE]
        self.left = {(title, number) for title, blocks in self.blocks.items() for number in range(len(blocks))}

    def block(self, title, number):
        self.left.discard((title, number))
        return self.blocks[title][number]
