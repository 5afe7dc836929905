// What a claim's mark or a computed number leads to, shown in a card beside it: to a mouse that rests
// on it, to a finger, and to the Enter key. Without this script each is a link to the same words.
if (HTMLElement.prototype.showPopover) {
  const marks = "a.claim[aria-label], a.computed";
  const card = Object.assign(document.createElement("div"), { className: "card", popover: "auto" });
  const pages = new Map(); // other pages that marks lead to, each fetched once
  let shown, resting;

  // The row on this page, or on another, with links that can be followed from here.
  const rowOf = async ({ href, hash, pathname }) => {
    let page = document;
    if (pathname !== location.pathname) {
      if (!pages.has(pathname))
        pages.set(
          pathname,
          fetch(pathname).then((answer) => answer.text()),
        );
      page = new DOMParser().parseFromString(await pages.get(pathname), "text/html");
      page.head.prepend(Object.assign(page.createElement("base"), { href }));
    }
    const id = hash.slice(1);
    if (!page.getElementById(id)) unfoldAll();
    const row = page.getElementById(id).closest("li, tr").cloneNode(true);
    row.querySelectorAll("details, .back").forEach((part) => part.remove());
    row.querySelectorAll("[id]").forEach((part) => part.removeAttribute("id"));
    row.querySelectorAll("a").forEach((link) => (link.href = link.href));
    return row;
  };

  const show = async (mark) => {
    const row = await rowOf(mark);
    const parts = [...(row.cells ?? [row])].flatMap((cell) => [...cell.childNodes]);
    if (mark.dataset.value) {
      const code = Object.assign(document.createElement("code"), {
        textContent: mark.dataset.value,
      });
      parts.unshift(code, ", computed by ");
    } else {
      const { href } = row.querySelector("a.claim") ?? mark;
      const all = { href, className: "more", textContent: "All checks ›" };
      parts.push(Object.assign(document.createElement("a"), all));
    }
    card.hidePopover();
    card.replaceChildren(...parts);
    mark.after(card); // so that the Tab key and a screen reader come to it next
    shown = mark;
    card.showPopover();
    const at = mark.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = card;
    const above = at.bottom + height + 8 > innerHeight && at.top > height + 8;
    card.style.left = `${scrollX + Math.max(8, Math.min(at.left - 16, document.body.clientWidth - width - 8))}px`;
    card.style.top = `${scrollY + (above ? at.top - height - 6 : at.bottom + 6)}px`;
  };
  card.addEventListener("toggle", ({ newState }) => {
    if (shown.matches(".claim")) shown.ariaExpanded = String(newState === "open");
  });

  // If the row cannot be had, the link is followed.
  const tryTo = (mark) => show(mark).catch(() => location.assign(mark.href));
  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.(marks);
    if (!mark || card.contains(mark) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    clearTimeout(resting);
    tryTo(mark);
  });
  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType !== "mouse") return;
    clearTimeout(resting);
    const mark = target.closest(marks);
    const isOpen = card.matches(":popover-open");
    if (mark && !card.contains(mark) && !(isOpen && mark === shown))
      resting = setTimeout(() => show(mark).catch(() => {}), 250);
    else if (isOpen && !mark && !card.contains(target))
      resting = setTimeout(() => card.hidePopover(), 400);
  });
}
