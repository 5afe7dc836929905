"""Say how far the runs have come: on a terminal in one line that counts, else in a line for ten."""

import sys
from collections.abc import Mapping
from typing import Any

from weave.basics.log import log

FEW = 3  # runs that are named once they have ended
LINES_OF = 10  # runs, where no terminal shows one line that changes
CLEAR = "\x1b[2K"  # the line at hand


def say(state: Mapping[str, Any]) -> None:
    """Say how far the runs have come; called whenever one has ended, and in the end once more.

    Args:
        state: of the runner.
    """
    done, left = state["done"], len(state["runs"]) + len(state["queued"])
    if not done or not log.isEnabledFor(20):  # a quiet build
        return
    text = f"running {len(done)} of {len(done) + left}"
    if len(done) > LINES_OF / 2:
        text += f", {state['seconds'] * left / len(done):.0f} s left"
    is_terminal = sys.stderr.isatty()
    if state["is over"]:
        if is_terminal:
            sys.stderr.write(CLEAR)
        what = ", ".join(sorted(done)) if len(done) <= FEW else f"{len(done)} snippets and labs"
        log.info("ran %s in %.1f s", what, state["seconds"])
    elif is_terminal and left:
        # The next line, whoever writes it, begins where this one does.
        sys.stderr.write(f"{CLEAR}{text}\r")
        sys.stderr.flush()
    elif left and len(done) % LINES_OF == 0:
        log.info(text)
