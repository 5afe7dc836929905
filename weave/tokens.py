"""What weave looks for in a page's text: figures, values and formulas, outside of code."""

import re

TOKEN = re.compile(
    r"""
      ^[ \t]*(?P<fence>`{3,}|~{3,}).*?^[ \t]*(?P=fence)[ \t]*$  # code is left alone: a fence,
    | (?P<ticks>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`)  # a span within a paragraph,
    | ^<!--[ ]cell[ ](?P<cell>[\w-]+)[ ]-->$                    # (but see `lab`)
    | <!--.*?-->                                                # a comment,
    | <(?P<tag>pre|code|script|style)\b.*?</(?P=tag)>           # raw HTML
    | \\(?P<dollar>\$)
    | ^(?P<indent>[ \t]*):::[ ]+(?P<figure>\S+)[ \t]*$
    | \{=\ (?P<value>[^{}]+)\}
    | \$\$(?P<display>(?:[^$\\]|\\.)+?)\$\$
    | \$(?![\s$])(?P<inline>(?:[^$\\\n]|\\.|\n(?!\s*\n))+?)(?<!\s)\$(?!\d)(?P<stop>[,.;:!?)’”]*)
    | (?P<stray>\{=(?!\}) | ^[ \t>*+-]*::: | \$\$)             # one of the above, misspelt
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
MISSPELT = {
    "{": "a value is written {= snippet.result } or {= snippet.result :.2f }, with the spaces",
    ":": "a figure stands on a line of its own: ::: chapter/snippet",
    "$": "a formula on lines of its own begins and ends with $$, and holds no $ of its own",
}
VALUE_IN_FORMULA = re.compile(r"\{=\ ([^{}]+)\}")
