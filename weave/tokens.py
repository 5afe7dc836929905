"""What weave looks for in a page's text, outside of code: figures, values, formulas, references."""

import re

MARKS = re.compile(r"\[@(?P<marks>[\w-]+(?:;\s*@?[\w-]+)*)\]")
KEY = re.compile(r"[\w-]+")
TOKEN = re.compile(
    r"""
      ^[ \t]*(?P<fence>`{3,}|~{3,}).*?^[ \t]*(?P=fence)[ \t]*$  # code is left alone: a fence,
    | (?P<ticks>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`)  # a span within a paragraph,
    | ^<!--[ ]cell[ ](?P<cell>[\w-]+)[ ]-->$                    # (but see `lab`)
    | <!--.*?-->                                                # a comment,
    | <(?P<tag>pre|code|script|style)\b.*?</(?P=tag)>           # raw HTML
    | \\(?P<dollar>\$)
    | ^(?P<indent>[ \t]*):::[ ]+(?:claims[ ]+(?P<claims>\S+)|(?P<references>references)
                                   |(?P<figure>\S+))[ \t]*$
    | """
    + MARKS.pattern
    + r"""
    | \{=\ (?P<value>[^{}]+)\}
    | \$\$(?P<display>(?:[^$\\]|\\.)+?)\$\$
    | \$(?![\s$])(?P<inline>(?:[^$\\\n]|\\.|\n(?!\s*\n))+?)(?<!\s)\$(?!\d)(?P<stop>[,.;:!?)’”]*)
    | (?P<stray>\{=(?!\}) | ^[ \t>*+-]*::: | \$\$ | \[@)       # one of the above, misspelt
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
MISSPELT = {
    "{": "a value is written {= snippet.result } or {= snippet.result :.2f }, with the spaces",
    ":": "a figure stands on a line of its own: ::: chapter/snippet",
    "[": "a reference is written [@key], or [@key; key] for several",
    "$": "a formula on lines of its own begins and ends with $$, and holds no $ of its own",
}
VALUE_IN_FORMULA = re.compile(r"\{=\ ([^{}]+)\}")


def line_before(token: re.Match[str]) -> str:
    """Give what stands before a token on its line."""
    return token.string[: token.start()].rpartition("\n")[2]


def in_table(token: re.Match[str]) -> bool:
    """Tell whether a token stands in a table's row."""
    return line_before(token).startswith("|")
