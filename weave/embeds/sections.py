"""A page's sections: `::: sections questions-why` lists them by their headings, each as a link.

An item has its section's own address on the page that lists it, so that `questions.md#eight` leads
on to the answer, on whichever page it stands by now.
"""

from re import Match

from weave.basics.errors import WeaveError, did_you_mean, read_text
from weave.embeds.embed import Context, block
from weave.project import Project, looks_up
from weave.text.headings import headings


@looks_up("sections")
def sections(project: Project, page: str) -> list[tuple[str, str]]:
    """Give the words and the id of each heading of a page below its title.

    Raises:
        WeaveError: there is no such page.
    """
    path = project.root / "docs" / f"{page}.md"
    if not path.is_file():
        pages = [each.stem for each in path.parent.glob("*.md")]
        raise WeaveError(f"no page is docs/{page}.md{did_you_mean(page, pages)}")
    _, *below = headings(read_text(path, f"docs/{path.name}"))
    return [(heading.words, heading.id) for heading in below]


def weave_sections(match: Match[str], context: Context) -> str:
    """Give the list, in Markdown."""
    page = match["listed_page"]
    items = ""
    for words, id in context.look_up("sections", page):
        if not id:
            mend = f"end it with an address, {{#some-words}}, in docs/{page}.md"
            raise WeaveError(f"'{words}' cannot be listed: {mend}")
        items += f"- [{words}]({context.to_root}{page}.md#{id}){{ #{id} }}\n"
    return context.weave_part(items)


EMBEDS = [block("sections", r"sections[ ]+(?P<listed_page>[\w-]+)", weave_sections)]
