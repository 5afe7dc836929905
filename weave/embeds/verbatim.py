"""Code, comments and raw HTML, in which nothing is woven, and the beginnings of folds."""

from re import Match

from weave.embeds.embed import Context, Embed


def weave_dollar(match: Match[str], context: Context) -> str:
    r"""Show a dollar sign that is money, written `\$`."""
    return context.stash("$", r"\$")


FOLD = 'a fold begins with ??? depth "what one gets", or ??? proof "of what"'
# Kinds without `weave_token` leave their tokens as they are.
EMBEDS = [
    Embed(
        "code",
        r"""
          ^[ \t]*(?P<fence>`{3,}|~{3,}).*?^[ \t]*(?P=fence)[ \t]*$
        | (?P<ticks>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`)  # within a paragraph
        """,
    ),
    Embed("raw", r"<!--.*?--> | <(?P<tag>pre|code|script|style)\b.*?</(?P=tag)>"),
    Embed("dollar", r"\\\$", weave_dollar),
    # Its title is woven: this is what stands before it.
    Embed(
        "fold",
        r"^[ \t]*\?\?\?\+?[ ]+(?:depth|proof)[ ]+(?=\"[^\"\n]+\"[ \t]*$)",
        misspelt=(r"^[ \t]*\?\?\?", FOLD),
    ),
]
