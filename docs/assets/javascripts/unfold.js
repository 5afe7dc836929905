// What is folded comes as text (`weave/pages/finish.py`), and becomes elements here: at once where a fold
// opens or a link leads into one, the rest in idle moments, once the reader has begun to do something.
function unfold(fold) {
  const kept = fold.querySelector(":scope > noscript");
  if (kept) kept.outerHTML = kept.textContent;
}
function unfoldAll() {
  for (const { parentElement } of document.querySelectorAll("details > noscript"))
    unfold(parentElement);
}
{
  const target = (hash) => {
    try {
      return document.getElementById(decodeURIComponent(hash.slice(1)));
    } catch {} // a stray % in an address
  };
  // The fold that holds what a link leads to.
  const find = (hash) => {
    if (hash.length < 2 || target(hash)) return;
    for (const kept of document.querySelectorAll("details > noscript"))
      if (kept.textContent.includes(`id="${hash.slice(1)}"`)) return unfold(kept.parentElement);
  };
  const open = () => {
    const isNew = !target(location.hash);
    find(location.hash);
    for (
      let fold = target(location.hash)?.closest("details");
      fold;
      fold = fold.parentElement.closest("details")
    )
      fold.open = true;
    if (isNew) target(location.hash)?.scrollIntoView();
  };
  // Before the fold opens, and before anybody looks for what the link leads to.
  document.addEventListener(
    "click",
    ({ target }) => {
      const fold = target.closest?.("summary")?.parentElement;
      if (fold) unfold(fold);
      const link = target.closest?.("a[href*='#']");
      if (link?.pathname === location.pathname) find(link.hash);
    },
    true,
  );
  document.addEventListener(
    "toggle",
    ({ target }) => target.matches("details") && unfold(target),
    true,
  );
  addEventListener("hashchange", open);
  addEventListener("beforeprint", unfoldAll);

  // search.js marks what it has found; the browser, the words of an address.
  const asked = performance.getEntriesByType("navigation")[0]?.name ?? "";
  if (new URLSearchParams(location.search).has("h") || asked.includes(":~:")) unfoldAll();
  document.querySelectorAll("details[open]").forEach(unfold);
  open();

  // The browser's own search, and a reader who copies the page, find all of it.
  const idle = window.requestIdleCallback ?? setTimeout;
  const next = () => {
    const kept = document.querySelector("details > noscript");
    if (!kept) return;
    unfold(kept.parentElement);
    idle(next);
  };
  const begun = new AbortController();
  const begin = ({ type, movementX, movementY }) => {
    // Some browsers send a move of no distance to a mouse at rest, when what lies below it changes.
    if (type === "mousemove" && movementX === 0 && movementY === 0) return;
    begun.abort();
    idle(next);
  };
  for (const event of ["scroll", "mousemove", "pointerdown", "keydown"])
    addEventListener(event, begin, { signal: begun.signal, passive: true });
}
