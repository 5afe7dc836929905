// Mends three things that Material's own markup leaves wanting for someone without a mouse or
// without sight. Nothing here changes what the page shows.
{
  const boxes = ".formula, .md-typeset__scrollwrap, .md-typeset table:not([class]), pre > code";

  // What scrolls sideways must be reachable by keyboard: a tab stop, while it is wider than its box.
  const stop = (box) => {
    const wide = box.scrollWidth > box.clientWidth + 1;
    if (wide && !box.hasAttribute("tabindex")) box.tabIndex = 0;
    if (!wide) box.removeAttribute("tabindex");
  };
  const width = new ResizeObserver((entries) => entries.forEach(({ target }) => stop(target)));

  const mend = () => {
    for (const box of document.querySelectorAll(boxes)) {
      stop(box);
      width.observe(box);
    }
    // Every copy button stands in a landmark, and landmarks need names of their own.
    document.querySelectorAll(".md-code__nav").forEach((nav, i) => (nav.ariaLabel = `Code block ${i + 1}`));
    // The search dialog has no name.
    for (const search of document.querySelectorAll(".md-search[role=dialog]")) search.ariaLabel = "Search";
  };

  // Material adds copy buttons and boxes around tables after this script, as one scrolls, and takes
  // tab stops away again on a touch screen, which may well have a keyboard.
  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true, attributeFilter: ["tabindex"] });
  mend();
}
