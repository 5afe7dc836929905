"""Turn a TeX formula into MathML when the page is made."""

import re
from html import escape

from math_core import LatexError, LatexToMathML

from weave.errors import WeaveError

CONVERTER = LatexToMathML(fancy_error=False)
POSITION = re.compile(r"^(\d+): ")


def to_mathml(tex: str, display: bool) -> str:
    """Convert a formula; its TeX stays readable in the attribute `alttext`.

    Args:
        tex: what stood between the dollar signs.
        display: whether it stands on lines of its own.

    Raises:
        WeaveError: the converter does not know something in it; gives the line within `tex`.
    """
    try:
        mathml = CONVERTER.convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        message = str(error)
        position = POSITION.match(message)
        line = tex.count("\n", 0, int(position[1])) if position else 0
        reason = POSITION.sub("", message).strip()
        raise WeaveError(f"formula '{' '.join(tex.split())}': {reason}", line) from None
    return mathml.replace("<math", f'<math alttext="{escape(" ".join(tex.split()))}"', 1)
