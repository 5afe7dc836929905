"""What search finds, by the words that people type, and what its results show."""

import re

import pytest
from playwright.sync_api import Page

from tests.site.browser import BASE

# What is typed, and the sections of which one has to be among the first six results.
WANTED = {
    "sqrt": {"questions/#why-the-square-root", "scales/#which-dimension-goes-under-the-root"},
    "why sqrt": {"questions/#why-the-square-root", "scales/#which-dimension-goes-under-the-root"},
    "root": {"questions/#why-the-square-root", "scales/#which-dimension-goes-under-the-root"},
    "square root": {"questions/#why-the-square-root", "questions/#the-square-root"},
    "why square root": {"questions/#why-the-square-root", "questions/#the-square-root"},
    "d_k": {"variance/", "questions/#why-they-grow", ""},
    "dk": {"variance/", "questions/#why-they-grow", ""},
    "sqrt(d_k)": {"questions/#why-the-square-root", "questions/#variance-or-standard-deviation"},
    "sqrt(dk)": {"questions/#why-the-square-root", "questions/#variance-or-standard-deviation"},
    "1/sqrt(d)": {"scales/", "training/", "questions/#fixed-head-dimension", ""},
    "1/sqrt(d_k)": {"questions/#qk-norm", "questions/#fixed-head-dimension"},
    "softmax(qk)": {"variance/#what-is-divided-and-by-which-dimension"},
    "softmax(QK^T/sqrt(d_k))V": {"variance/#what-is-divided-and-by-which-dimension"},
    "2x2": {"variance/#puzzle", "questions/#variance-of-2x2"},
    "1.6": {"variance/#puzzle", "questions/#variance-of-2x2"},
    "Frobenius": {"theorem/", "theorem/#what-is-assumed"},
    "GPT-2": {"saturation/#where-models-start-gpt-2-opt-t5", "questions/#unit-variance"},
    "gpt2": {"saturation/#where-models-start-gpt-2-opt-t5", "questions/#unit-variance"},
    "run the code": {"labs/variance/", "labs/saturation/", "labs/scales/", "labs/theorem/"},
    "variance of dot product": {"variance/", "variance/#the-square-term-by-term"},
    "dot product variance": {"variance/", "variance/#the-square-term-by-term"},
    "muP": {"questions/#mup", "training/#what-mup-holds-constant"},
    "8/d": {"questions/#mup", "training/#why-8-over-d"},
    "cosine similarity": {"questions/#cosine-similarity"},
    "temperature": {"saturation/#a-temperature", "questions/#temperature"},
    "vanishing gradient": {"questions/#vanishing-gradients", "saturation/#do-gradients-vanish"},
    "d^(-1/4)": {"questions/#quarter", "scales/#one-quarter-on-each-side"},
    "T5": {"questions/#t5", "scales/#t5-which-has-no-divisor"},
    "RoPE": {"questions/#rope", "theorem/#rotary-embeddings"},
    "Stein": {"theorem/#the-proof-by-steins-identity"},
    "fp16 overflow": {"questions/#half-precision", "questions/#quarter"},
    "log d": {"questions/#why-the-square-root", "scales/"},
    "pretrained model": {"trained/", "trained/#what-another-scale-does-to-a-trained-model"},
    "trained models": {"trained/"},
    "d^5": {"questions/#why-the-square-root", "scales/"},
    "check my model": {"your-model/", "your-model/#script"},
    "logits explode": {"your-model/"},
    "attention is flat": {"your-model/"},
    "calculator": {"your-model/#calculator"},
    "001-17": {"claims/#the-thread-on-the-variance"},
}


@pytest.fixture(scope="module")
def ask(browser, origin):
    """Type something into search, and give the results: address, title and excerpt, best first."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(origin + BASE)

    def results(query: str) -> list[tuple[str, str, str]]:
        box = page.locator("[data-md-component=search-query]")
        for words in ("", query):  # nothing, so that no result of the last query remains
            box.fill(words)
            box.press("Shift")  # Material listens to keys
            page.wait_for_function(FOUND[bool(words)])
        return read(page)

    yield results
    context.close()


FOUND = {
    False: "() => !document.querySelector('.md-search-result__link')",
    True: "() => document.querySelector('.md-search-result__link')",
}


def read(page: Page) -> list[tuple[str, str, str]]:
    """Give what is shown without a click: of each page the sections that fit best."""
    found = page.evaluate(
        """() => [...document.querySelectorAll('.md-search-result__item')].flatMap(item => {
            const links = [...item.querySelectorAll(':scope > a')]
            const score = link => +link.querySelector('article').dataset.mdScore
            const best = Math.max(...links.map(score))
            return links.filter(link => score(link) === best).map(link => [
                link.href,
                link.querySelector('h1, h2').textContent,
                link.querySelector('article').innerText,
            ])
        })"""
    )
    return [(re.sub(r"\?h=[^#]*", "", href).partition(BASE)[2], *rest) for href, *rest in found]


@pytest.mark.parametrize("query", WANTED)
def test_search_leads_to_the_section(ask, query):
    found = [address for address, *_ in ask(query)][:6]
    assert WANTED[query].intersection(found), found


def test_an_excerpt_shows_formulas_as_words(ask):
    shown = {query: " ".join(ask(query)[0]) for query in ("softmax(qk)", "sqrt(dk)", "Frobenius")}
    assert "softmax(QKᵀ/√d_k)V" in shown["softmax(qk)"]
    assert "√d_k" in shown["sqrt(dk)"]
    assert "‖C‖_F²" in shown["Frobenius"]
    assert "<" not in "".join(shown.values())


def test_what_nobody_wrote_is_not_found(ask):
    """The three first results depend on the words: no query of the table leads everywhere."""
    assert not WANTED["2x2"].intersection(address for address, *_ in ask("cosine similarity")[:3])


# What a result leads to, and the folds that it then opens.
OPENED = {
    "theorem/?h=skewness#every-moment": ["Two sums of squares", "Every moment"],
    "theorem/?h=tails#the-whole-law-not-only-its-size": ["Two sums of squares"],
    "theorem/?h=theorem#the-theorem": [],  # stands in the open too
    "theorem/#the-whole-law-not-only-its-size": [],
}


@pytest.mark.parametrize("address", OPENED)
def test_a_result_opens_the_fold_that_holds_it(browser, origin, address):
    page = browser.new_page()
    page.goto(origin + BASE + address)
    if "?h=" in address:
        page.wait_for_selector("article mark", state="attached")
    summaries = page.locator("details[open] > summary").all_text_contents()
    page.close()
    pairs = zip(summaries, OPENED[address], strict=True)
    assert all(text.startswith(start) for text, start in pairs)


# Headings as they are announced: the browser's own names, not ours.
HEADINGS = {
    "": "Why does attention divide by √d?",
    "variance/": "Why is the variance of q⋅k equal to d_k?",
    "scales/": "Why √d, and not log d, d⁵ or a cosine?",
    "questions/": "Why divide by √d_k and not by the variance d_k?",
}


@pytest.mark.parametrize("path", HEADINGS, ids=lambda path: path or "index")
def test_a_heading_is_announced_with_its_formulas(visit, path):
    page = visit(BASE + path).page
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    named = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in tree
        if not node["ignored"]
    ]
    # Chromium puts a space on either side of a formula.
    headings = [
        re.sub(r"\s+(?=[?,])|\s*Link to this section", "", name)
        for role, name in named
        if role == "heading"
    ]
    assert any(name.startswith(HEADINGS[path].strip()) for name in headings), headings
    assert all(name for role, name in named if role == "MathMLMath")
