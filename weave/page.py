"""Find figures, values and formulas in a page, in one pass, and put in what they stand for.

The pass is a preprocessor, so every token still has its line, and what it puts in (stashed HTML,
or Markdown for the code) goes through the rest of Python-Markdown untouched. Code in fences and
spans is left alone; code by mere indentation is not used here.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from weave import bibliography, claims, formulas, glossary, references, values
from weave.errors import WeaveError, did_you_mean
from weave.result import Result
from weave.runner import ROOT, Runner
from weave.site import Place, make_files, place_of
from weave.snippet import Snippet
from weave.tokens import KEY, MISSPELT, TOKEN, VALUE_IN_FORMULA, in_table, line_before

# MkDocs counts the warnings of loggers under its own name: `mkdocs build --strict` fails on them.
log = logging.getLogger("mkdocs.weave")


class Weave(Extension):
    """The extension, with its options and their defaults."""

    def __init__(self, **options: Any) -> None:
        self.config = {
            "root": [str(ROOT), "The project's folder: holds docs/ and snippets/."],
            "time_limit": [60, "Seconds after which a snippet is stopped."],
        }
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Python-Markdown's name)
        """Join Python-Markdown: after it has normalised white space (30), before fences (25)."""
        root = Path(self.getConfig("root"))
        make_files(root / "docs", root / "snippets")
        runner = Runner(root, float(self.getConfig("time_limit")))
        md.preprocessors.register(PageWeaver(md, runner), "weave", 28)
        # After classes are known (attr_list, 8), before the anchors are collected (5) and the
        # links resolved (0).
        md.treeprocessors.register(glossary.Marker(md, root / "docs"), "glossary", 6)


class PageWeaver(Preprocessor):
    """Weaves one page."""

    def __init__(self, md: Markdown, runner: Runner) -> None:
        super().__init__(md)
        self.md: Markdown = md
        self.runner = runner
        self.root = runner.folder.parent
        self.results: Mapping[str, Result | WeaveError] = {}
        self.place = Place("", 0)
        self.line = 0
        self.within = ""  # the snippet whose caption, or the claim whose text is being woven
        self.own: dict[str, Any] = {}  # the numbers of that claim
        self.cell: tuple[str, int] | None = None  # of a notebook: its id, and the line above it
        self.shown: set[str] = set()
        self.marked: Counter[str] = Counter()

    def run(self, lines: list[str]) -> list[str]:
        """Replace every token of the page. A mistake is logged and shown in the token's place."""
        text = "\n".join(lines)
        self.place = place_of(self.md, text)
        self.results = self.runner.run_all(self.snippets_in(text))

        def replace(token: re.Match[str]) -> str:
            self.line = text.count("\n", 0, token.start()) + 1
            return self.replace(token)

        return TOKEN.sub(replace, text).split("\n")

    def snippets_in(self, text: str) -> set[str]:
        """Collect the snippets that a page needs, so that they run at the same time."""
        wanted: set[str] = set()
        expressions: list[str] = []
        modules = claims.modules(self.root)
        for token in TOKEN.finditer(text):
            if token["figure"]:
                wanted.add(token["figure"])
            elif token["claims"]:
                wanted.add(f"claims/{token['claims']}")
            elif token["marks"]:
                wanted.update(modules[k] for k in KEY.findall(token["marks"]) if k in modules)
            elif token["value"]:
                expressions.append(token["value"])
            else:
                expressions += VALUE_IN_FORMULA.findall(token["display"] or token["inline"] or "")
        for expression in expressions:
            with suppress(WeaveError):  # reported where the token is replaced
                wanted.update(values.parse(expression, self.place.chapter).snippets.values())
        return wanted

    def replace(self, token: re.Match[str]) -> str:
        """Give what a token stands for; code stands for itself."""
        try:
            if token["dollar"]:
                return self.stash("$")
            if token["cell"]:
                self.cell = token["cell"], self.line
                return ""
            if token["figure"]:
                return self.figure(token["figure"], token["indent"])
            if token["claims"]:
                return self.claims(token["claims"])
            if token["references"]:
                return self.bibliography()
            if token["marks"]:
                return self.marks(KEY.findall(token["marks"]), in_table(token))
            if token["value"]:
                return self.value(token["value"])
            if token["display"]:
                return self.display(token)
            if token["stray"]:
                raise WeaveError(MISSPELT[token["stray"].strip(" \t>*+-")[0]])
            if token["inline"]:
                mathml = self.formula(token["inline"], display=False)
                # A full stop must not begin the next line.
                stop = token["stop"]
                return self.stash(
                    f'<span class="formula">{mathml}{stop}</span>' if stop else mathml
                )
        except WeaveError as error:
            blocks = ("figure", "claims", "references", "display")
            return self.report(error, block=any(token[kind] for kind in blocks))
        return token[0]

    def display(self, token: re.Match[str]) -> str:
        """Put in a formula that stands on lines of its own, in a box that scrolls on a phone."""
        indent = line_before(token)
        if indent.strip() or token.string[token.end() :].partition("\n")[0].strip():
            raise WeaveError("$$…$$ shares a line with text; give it lines of its own, or use $…$")
        mathml = self.formula(token["display"], display=True)
        # A paragraph of its own, whatever stands on the lines above and below.
        return "\n\n" + indent + self.stash(f'<div class="formula">{mathml}</div>') + "\n\n"

    def stash(self, html: str) -> str:
        """Hide finished HTML from the rest of Python-Markdown."""
        placeholder: str = self.md.htmlStash.store(html)
        return placeholder

    def result(self, name: str) -> Result:
        """Give a snippet's result, or raise what went wrong with it."""
        result = self.results[name] if name in self.results else self.runner.run(name)
        if isinstance(result, WeaveError):
            raise result
        return result

    def value(self, text: str) -> str:
        """Put in a computed number, marked with the snippet that it comes from."""
        expression = values.parse(text, self.place.chapter, self.own)
        printed = self.printed(expression)
        source = ", ".join(sorted(expression.snippets.values())) or "its check"
        title = escape(f"{expression.text}, computed by {source}")
        return self.stash(
            f'<data class="computed" title="{title}" value="{escape(printed)}">'
            f"{values.as_html(printed)}</data>"
        )

    def printed(self, expression: values.Value) -> str:
        """Evaluate and format an expression."""
        results = {name: self.result(name).results for name in expression.snippets.values()}
        return expression.print(results, self.own)

    def formula(self, tex: str, display: bool) -> str:
        """Convert a formula, with the computed numbers in it put in first."""
        tex = VALUE_IN_FORMULA.sub(
            lambda found: values.as_tex(
                self.printed(values.parse(found[1], self.place.chapter, self.own))
            ),
            tex,
        )
        return formulas.to_mathml(tex, display)

    def figure(self, name: str, indent: str) -> str:
        """Put in a figure with its caption, and the code of both cells."""
        if name in self.shown:
            raise WeaveError(f"figure '{name}' stands on this page already; link to it instead")
        result = self.result(name)
        snippet = self.runner.find(name)
        if not snippet.draw:
            raise WeaveError(f"'{name}' has one cell, which computes: there is no figure to show")
        self.shown.add(name)
        chapter, _, stem = name.partition("/")
        drawing = with_alternative(result.svg, snippet.alternative)
        anchor = stem if chapter == self.place.chapter else f"{chapter}-{stem}"
        self.within = f"snippets/{name}.py:1: "
        caption = TOKEN.sub(self.replace, snippet.caption)
        self.within = ""
        blocks = [
            self.stash(
                f'<div class="snippet"><figure id="figure-{anchor}">'
                f'<div class="drawing">{drawing}</div><figcaption>'
            ),
            caption,
            self.stash("</figcaption></figure>"),
            self.stash("<div data-search-exclude>"),
            code_block(snippet.compute.code),
            self.stash("<details><summary>How it is drawn</summary>"),
            code_block(snippet.draw.code),
            self.links(snippet),
            self.stash("</details></div></div>"),
        ]
        text = "\n\n".join(blocks)
        return "\n" + re.sub(r"^(?=.)", indent, text, flags=re.MULTILINE) + "\n"

    def links(self, snippet: Snippet) -> str:
        """Link to the script, and to the modules that have to lie beside it to run it."""
        folder = f"snippets/{snippet.path.parent.name}"
        files = [f"{folder}/{path.name}" for path in (snippet.path, *snippet.modules())]
        script, *modules = (f"[{file}]({self.place.to_root}{file})" for file in files)
        return f"{script}, which needs {' and '.join(modules)} beside it" if modules else script

    def marks(self, keys: list[str], in_table: bool) -> str:
        """Refer to works, or to claims: in a table by their verdicts, in the text by number."""
        works, modules = bibliography.works(self.root), claims.modules(self.root)
        for key in keys:
            if key not in works and key not in modules:
                hint = did_you_mean(key, [*works, *modules])
                raise WeaveError(f"no work in docs/references.bib and no claim is '{key}'{hint}")
        if not works.keys().isdisjoint(keys) and not modules.keys().isdisjoint(keys):
            raise WeaveError("works and claims in one reference; write [@work] [@claim]")
        places = {key: self.anchor(key) for key in keys}
        if keys[0] in works:
            return bibliography.cite(places, works, self.place.to_root)
        verdicts = {key: self.ledger(modules[key])[key]["verdict"] for key in keys}
        return claims.refer(places, verdicts, self.place.to_root, in_table)

    def anchor(self, key: str) -> str:
        """Give a reference the id to come back to. To a row of claims one comes back as a whole."""
        if self.within:
            return ""
        self.marked[key] += 1
        return f"#{references.anchor(key, self.marked[key])}"

    def ledger(self, name: str) -> dict[str, Any]:
        """Give the claims of a source, as its snippet judged them."""
        try:
            rows: dict[str, Any] = self.result(name).results.claims
        except AttributeError as error:
            raise WeaveError(f"snippets/{name}.py: {error}") from None
        return rows

    def claims(self, module: str) -> str:
        """Put in the table of a source's claims."""
        name = f"claims/{module}"
        rows = self.ledger(name)
        back = self.links_back(rows, "Explained in", tables=False)
        woven = {}
        for key, claim in rows.items():
            self.within = f"snippets/{name}.py:{claim['line']}: {key}: "
            self.own = claim["values"]
            woven[key] = claim | {
                part: TOKEN.sub(self.replace, claim[part])
                for part in ("quote", "place", "needs", "reading", "text")
            }
            woven[key]["back"] = back[key]
        self.within, self.own = "", {}
        return claims.table(module, woven)

    def bibliography(self) -> str:
        """Put in the list of works."""
        works = bibliography.works(self.root)
        return bibliography.listing(works, self.links_back(works, "Cited in"))

    def links_back(self, keys: Iterable[str], words: str, tables: bool = True) -> dict[str, str]:
        """Give the links to the places that refer to claims or works, by key."""
        found = references.mentions(self.root)
        return {
            key: TOKEN.sub(
                self.replace, references.links_back(found.get(key, []), self.place, words, tables)
            )
            for key in keys
        }

    def report(self, error: WeaveError, block: bool) -> str:
        """Log a mistake with its page and line, and show it in its place on the page."""
        line = self.line + error.line
        if self.cell:  # of a notebook, whose lines nobody counts
            name, begins = self.cell
            where = f"{self.place.page}, cell '{name}', line {line - begins - 1}"
        else:
            where = f"{self.place.page}:{self.place.first_line + line}"
        message = f"{self.within}{error}"
        log.warning("%s: %s", where, message)
        return self.stash(mistake(where, message, block))


def with_alternative(svg: str, text: str) -> str:
    """Put the text alternative into the SVG, where a screen reader finds it and no pointer does."""
    name = svg.partition('aria-labelledby="')[2].partition('"')[0]
    return svg.replace(">", f'><desc id="{name}">{escape(" ".join(text.split()))}</desc>', 1)


def code_block(code: str, language: str = "python") -> str:
    """Fence code with more backticks than it holds."""
    longest = max(map(len, re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def mistake(where: str, message: str, block: bool) -> str:
    """Show a mistake in its place on the page."""
    tag = "div" if block else "strong"
    return (
        f'<{tag} class="weave-error"><b>{escape(where)}</b> <code>{escape(message)}</code></{tag}>'
    )
