"""What search engines are told, where the site knows its address: JSON-LD, and robots.txt.

The words are those of https://schema.org. Without an address nothing is said: it would not be true.
"""

import json
import re
from collections.abc import Iterable

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

LICENCE = "https://creativecommons.org/licenses/by/4.0/"
LONGEST = 600  # letters of an answer: its first sentences
READ_ON = re.compile(r"\s*Read on:.*", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z√])")


def robots(address: str) -> str:
    """Give robots.txt: everything may be read, and where the list of pages is.

    Args:
        address: of the site, with a slash at its end.
    """
    return f"User-agent: *\nAllow: /\n\nSitemap: {address}sitemap.xml\n"


def with_data(
    html: str, page: Page, sections: Iterable[tuple[str, str, str]], config: MkDocsConfig
) -> str:
    """Give a page that says in JSON-LD what it is.

    Args:
        html: the page within the theme.
        page: the page.
        sections: of the page: anchor, title and text of each.
        config: what mkdocs.yml says; with `site_url`, or nothing is added.
    """
    if not config.site_url:
        return html
    data = faq(page, sections) if "questions-" in page.file.src_uri else article(page, config)
    # "</" would end the script.
    written = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    return html.replace(
        "</head>", f'<script type="application/ld+json">{written}</script>\n</head>', 1
    )


def article(page: Page, config: MkDocsConfig) -> dict[str, object]:
    """Describe a page to learn from."""
    return {
        "@context": "https://schema.org",
        "@type": ["Article", "LearningResource"],
        "headline": str(page.meta.get("title") or page.title),
        "description": page.meta.get("description") or config.site_description,
        "url": page.canonical_url,
        "inLanguage": "en",
        "license": LICENCE,
        "isAccessibleForFree": True,
        "about": "Scaled dot-product attention",
        "isPartOf": {"@type": "WebSite", "name": config.site_name, "url": config.site_url},
    }


def faq(page: Page, sections: Iterable[tuple[str, str, str]]) -> dict[str, object]:
    """Describe a page of questions: each with the first sentences of its answer."""
    entries = []
    for anchor, question, text in sections:
        answer = shortened(READ_ON.sub("", text))
        if anchor and answer:
            entries.append(
                {
                    "@type": "Question",
                    "name": question,
                    "url": f"{page.canonical_url}#{anchor}",
                    "acceptedAnswer": {"@type": "Answer", "text": answer},
                }
            )
    return {"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": entries}


def shortened(text: str) -> str:
    """Give as many sentences of a text as LONGEST allows; one at least."""
    sentences = SENTENCE.split(text.strip())
    kept = sentences[0]
    for sentence in sentences[1:]:
        if len(kept) + len(sentence) >= LONGEST:
            break
        kept += f" {sentence}"
    return kept
