"""One stylesheet for a built site, with those rules of the theme and of ours that its pages use.

A rule is left out if it asks for a class, or for a value of one of the theme's attributes, that no
page has and no script names; a custom property or an animation, if nothing uses it. What a page
says in a `style` attribute, which a strict policy forbids, becomes a class.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import tinycss2
from tinycss2 import serialize

from weave import tables
from weave.policy import INLINE

LINKS = re.compile(r'(?:\s*<link rel="stylesheet" href="[^"]*?assets/[^"]+\.css">)+')
LINK = re.compile(r'href="(?P<up>[^"]*?)(?P<file>assets/[^"]+\.css)"')
STYLED = re.compile(r'<(?P<before>[a-z][^<>]*?) style="(?P<style>[^"]*)"(?P<after>[^<>]*)>')
CLASS = re.compile(r'\bclass="')

# What pages have, and what a selector asks for.
HAS = re.compile(r'\b(?:class|dir|data-md-[\w-]+)="([^"]*)"')
ASKS = re.compile(r"\.([a-zA-Z_-][\w-]*)|\[(?:dir|data-md-[\w-]+)=\"?([^\"\]]+)")
BRACKETS = re.compile(r"\([^()]*\)")  # of :not(), and of :is(), which may ask for one of many
WORD = re.compile(r"[\w-]+")
USE = re.compile(r"var\(\s*(--[\w-]+)")


class Stylesheet:
    """The stylesheet of a built site, in place of those that its pages link to."""

    def __init__(self, site: Path) -> None:
        self.site, self.name = site, ""
        self.classes: dict[str, str] = {}  # in place of what pages say in style attributes
        self.has: set[str] = set()
        self.lists: dict[str, None] = {}  # of links to stylesheets

    def note(self, html: str) -> str:
        """Note what a page has, and give it without style attributes."""
        html = STYLED.sub(lambda tag: classed(tag, self.classes), html)
        self.has.update(word for found in HAS.findall(html) for word in found.split())
        self.has.update(word for script in INLINE.findall(html) for word in WORD.findall(script))
        self.lists |= dict.fromkeys(LINKS.findall(html))
        return html

    def write(self) -> None:
        """Write it, now that every page is noted."""
        files = dict.fromkeys(link["file"] for links in self.lists for link in LINK.finditer(links))
        if not files:  # another theme
            return
        text = tables.styled("".join((self.site / file).read_text("utf-8") for file in files))
        text += "".join(f".{name}.{name}{{{style}}}" for style, name in self.classes.items())
        for file in files:
            (self.site / file).unlink()
            (self.site / f"{file}.map").unlink(missing_ok=True)
        for script in self.site.glob("assets/javascripts/*.js"):
            self.has.update(WORD.findall(script.read_text("utf-8")))
        for other in self.site.glob("assets/**/*.css"):  # of a few pages, beside this one
            self.has.update(USE.findall(other.read_text("utf-8")))
        text = slim(text, self.has)
        self.name = f"assets/stylesheets/site.{sha256(text.encode()).hexdigest()[:8]}.css"
        (self.site / self.name).write_text(text, "utf-8")

    def linked(self, html: str) -> str:
        """Give a page that is linked to it."""

        def link(links: re.Match[str]) -> str:
            up = links[0].partition('href="')[2].partition("assets/")[0]
            return f'\n<link rel="stylesheet" href="{up}{self.name}">'

        return LINKS.sub(link, html)


def classed(tag: re.Match[str], classes: dict[str, str]) -> str:
    """Put a class in place of a style attribute."""
    name = classes.setdefault(tag["style"], f"styled-{len(classes)}")
    rest = tag["before"] + tag["after"]
    if CLASS.search(rest):
        return "<" + CLASS.sub(f'class="{name} ', rest, count=1) + ">"
    return f'<{tag["before"]} class="{name}"{tag["after"]}>'


def slim(text: str, has: set[str]) -> str:
    """Leave out what cannot apply, until nothing more is idle."""
    rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    whole = ""
    while text != whole:
        whole, uses = text, has.union(USE.findall(text))
        text = "".join(kept(rules, has, uses, whole))
    return text


def kept(rules: Iterable[Any], has: set[str], uses: set[str], text: str) -> Iterator[str]:
    """Give as text the rules and declarations that may apply to something."""
    for rule in rules:
        if rule.type == "declaration":
            if not rule.name.startswith("--") or rule.name in uses:
                value = " ".join(serialize(rule.value).split())
                yield f"{rule.name}:{value}{'!important' if rule.important else ''};"
            continue
        if rule.type not in {"qualified-rule", "at-rule"}:
            continue
        head = " ".join(serialize(rule.prelude).split())
        inner = tinycss2.parse_blocks_contents(rule.content or [], True, True)
        if rule.type == "qualified-rule":
            head = ",".join(each for each in selectors(rule.prelude) if may_apply(each, has))
        elif rule.at_keyword == "keyframes":
            inner = inner if text.count(head) > 1 else []
        inside = "".join(kept(inner, has, uses, text)).removesuffix(";")
        if inside and rule.type == "at-rule":
            yield f"@{rule.at_keyword} {head}{{{inside}}}"
        elif inside and head:
            yield f"{head}{{{inside}}}"


def selectors(prelude: Iterable[Any]) -> list[str]:
    """Split a list of selectors at its own commas."""
    parts: list[list[Any]] = [[]]
    for token in prelude:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return [" ".join(serialize(part).split()) for part in parts]


def may_apply(selector: str, has: set[str]) -> bool:
    """Tell whether there may be what a selector asks for."""
    while (flat := BRACKETS.sub("", selector)) != selector:
        selector = flat
    return all(word in has for asks in ASKS.findall(selector) for word in asks if word)
