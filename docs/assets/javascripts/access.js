// Mends what Material's own markup leaves wanting for someone without a mouse or without sight.
// Nothing here changes what the page shows.
{
  const boxes = ".formula, .md-typeset__scrollwrap, .md-typeset__table > table, pre > code";

  // What scrolls sideways must be reachable by keyboard: a tab stop, while it is wider than its box.
  // All boxes are measured before one is changed: a change would have the page laid out anew.
  const stop = (entries) => {
    const wide = entries.map(({ target }) => target.scrollWidth > target.clientWidth + 1);
    entries.forEach(({ target }, i) => {
      if (wide[i] && !target.hasAttribute("tabindex")) target.tabIndex = 0;
      if (!wide[i]) target.removeAttribute("tabindex");
    });
  };
  const width = new ResizeObserver(stop);
  const observe = (part) => {
    if (part.matches(boxes)) width.observe(part);
    part.querySelectorAll(boxes).forEach((box) => width.observe(box));
  };

  // Every copy button stands in a landmark, and landmarks need names of their own.
  let buttons = 0;
  const name = (part) =>
    part
      .querySelectorAll(".md-code__nav")
      .forEach((nav) => (nav.ariaLabel ??= `Code block ${++buttons}`));

  // Material adds copy buttons, and boxes around tables, after this script, as one scrolls; and takes
  // tab stops away again on a touch screen, which may well have a keyboard.
  new MutationObserver((changes) => {
    const lost = changes.filter(({ type }) => type === "attributes");
    if (lost.length) stop(lost);
    for (const { addedNodes } of changes)
      for (const part of addedNodes)
        if (part instanceof Element) {
          observe(part);
          name(part.parentElement ?? part);
        }
  }).observe(document.querySelector("article, main") ?? document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["tabindex"],
  });
  observe(document.body);
  name(document.body);

  // The search dialog has no name.
  for (const search of document.querySelectorAll(".md-search[role=dialog]"))
    search.ariaLabel = "Search";
}
