"""Code, comments and raw HTML, in which nothing is woven, and the beginnings of folds."""

from re import Match

from weave.embeds.embed import Context, Embed


def weave(match: Match[str], context: Context) -> str:
    """Leave it as it is."""
    return match[0]


def dollar(match: Match[str], context: Context) -> str:
    r"""Show a dollar sign that is money, written `\$`."""
    return context.stash("$", r"\$")


FOLD = 'a fold begins with ??? depth "what one gets", or ??? proof "of what"'
EMBEDS = [
    Embed(
        "code",
        r"""
          ^[ \t]*(?P<fence>`{3,}|~{3,}).*?^[ \t]*(?P=fence)[ \t]*$
        | (?P<ticks>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`)  # within a paragraph
        """,
        weave,
    ),
    Embed("raw", r"<!--.*?--> | <(?P<tag>pre|code|script|style)\b.*?</(?P=tag)>", weave),
    Embed("dollar", r"\\\$", dollar),
    # Its title is woven: this is what stands before it.
    Embed(
        "fold",
        r"^[ \t]*\?\?\?\+?[ ]+(?:depth|proof)[ ]+(?=\"[^\"\n]+\"[ \t]*$)",
        weave,
        misspelt=(r"^[ \t]*\?\?\?", FOLD),
    ),
]
