// The script that computed a number, shown in a card beside it: to a mouse that rests on the number
// and to a finger. Without this script the number is a link to the same words.
if (HTMLElement.prototype.showPopover) {
  const numbers = "a.computed";
  const card = Object.assign(document.createElement("div"), { className: "card", popover: "auto" });
  let shown, resting;

  const show = (number) => {
    const id = number.hash.slice(1);
    if (!document.getElementById(id)) unfoldAll();
    const row = document.getElementById(id).closest("li").cloneNode(true);
    row.querySelectorAll("[id]").forEach((part) => part.removeAttribute("id"));
    const code = document.createElement("code");
    code.textContent = number.dataset.value;
    card.hidePopover();
    card.replaceChildren(code, ", computed by ", ...row.childNodes);
    number.after(card); // so that the Tab key and a screen reader come to it next
    shown = number;
    card.showPopover();
    const at = number.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = card;
    const above = at.bottom + height + 8 > innerHeight && at.top > height + 8;
    card.style.left = `${scrollX + Math.max(8, Math.min(at.left - 16, document.body.clientWidth - width - 8))}px`;
    card.style.top = `${scrollY + (above ? at.top - height - 6 : at.bottom + 6)}px`;
  };
  document.addEventListener("click", (event) => {
    const number = event.target.closest?.(numbers);
    if (!number || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    clearTimeout(resting);
    show(number);
  });
  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType !== "mouse") return;
    clearTimeout(resting);
    const number = target.closest(numbers);
    const isOpen = card.matches(":popover-open");
    if (number && !(isOpen && number === shown)) resting = setTimeout(() => show(number), 250);
    else if (isOpen && !number && !card.contains(target))
      resting = setTimeout(() => card.hidePopover(), 400);
  });
}
