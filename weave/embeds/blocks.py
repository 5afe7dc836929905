"""Blocks of code: each has its end, and is written in the one way in which the tests run it.

pytest-codeblocks runs a block only if its line is ```python and nothing else, and skips any other
spelling without a word. So of all ways to write a block one is allowed.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from weave.basics.errors import did_you_mean
from weave.embeds.embed import Context, Embed, report_flaws

FENCE = re.compile(r"[\s>*+\d.)-]*(?P<ticks>`{3,}|~{3,})")
LANGUAGES = {"python", "text", "shell", "bibtex", "markdown"}
OUTPUT = "<!--pytest-codeblocks:expected-output-->"


class Block(NamedTuple):
    """A block that has begun."""

    line: int
    fence: str  # which ends it, alone on a line
    margin: int  # of its lines, all of them
    is_wrong: bool = False  # which is said once


def flaws(text: str, languages: Collection[str] = LANGUAGES) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with the blocks of a page, each flaw with its line.

    Args:
        text: the page's, from its file's first line on.
        languages: those in which a block may be.
    """
    block: Block | None = None
    latest, waits = "", False  # the language of the last block, and whether its output comes next
    for number, line in enumerate(text.splitlines(), start=1):
        written, fence = line.strip(), FENCE.match(line)
        margin = len(line) - len(line.lstrip())
        info = line[fence.end() :].rstrip() if fence else ""
        if block:
            ends = bool(fence and fence["ticks"].startswith(block.fence))
            flaw = ""
            if ends and (written != block.fence or margin != block.margin):
                flaw = f"before line {number}, '{written}'"
            elif written and margin < block.margin:
                flaw = f"before line {number}, which is indented less"
            if flaw and not block.is_wrong:
                yield block.line, no_end(block, flaw)
                block = block._replace(is_wrong=True)
            if ends:  # and another may begin
                block = Block(number, block.fence, margin) if info in languages else None
        elif fence:
            alone = written == fence["ticks"] + info and written.startswith("```")
            is_misspelt = info not in languages or not alone
            block = Block(number, fence["ticks"], margin, is_misspelt)
            if is_misspelt:
                yield number, misspelt(info, languages)
            elif waits and info != "text":
                yield number, "this would be taken for the output, which is ```text"
            latest, waits = latest if waits else info, False
        elif written == OUTPUT:
            if latest != "python":
                yield number, "an output needs a ```python block before it"
            waits = True
        elif "<!--" in line and ("block" in line or "pytest" in line):
            yield number, f"write {OUTPUT}, alone on a line, and nothing else"
        elif waits and written:
            yield number, "the next block would be the output: put it directly above"
            waits = False
    if block and not block.is_wrong:
        yield block.line, no_end(block, "on this page")
    elif waits:
        yield number, "a block with the output has to follow"


def no_end(block: Block, where: str) -> str:
    """Say that a block is not ended."""
    margin = ", indented as its beginning is" if block.margin else ""
    mend = f"write {block.fence} below it, alone on a line{margin}"
    return f"the block that begins here has no end {where}: {mend}"


def misspelt(info: str, languages: Collection[str]) -> str:
    """Say how the beginning of a block is written."""
    near = did_you_mean(info.strip(), languages)
    return f"a block begins with ``` and its language, alone on a line, else no test sees it{near}"


def report_blocks(context: Context) -> str:
    """Report the blocks of a page that have no end, or that the tests would pass over."""
    return report_flaws(context, lambda text, _: flaws(text))


# It has no token.
EMBEDS = [Embed("blocks", at_end=report_blocks)]
