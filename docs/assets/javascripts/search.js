// The search box. Material's own search puts pages before sections, joins words by "or", and asks for
// its index as each page loads. So its box is taken over before its script finds it; find.js searches.
// (Zensical has another box, and keeps it.)

// Asked for when a reader reaches for search; by scripts, since a page opened from a disk can ask for
// nothing else.
let sections;
const base = new URL("../../", document.currentScript.src);
const script = (name) =>
  new Promise((onload, onerror) => {
    const src = new URL(name, base);
    document.head.append(Object.assign(document.createElement("script"), { src, onload, onerror }));
  });
function load() {
  sections ??= Promise.all([script("assets/javascripts/find.js"), script("search/index.js")]).then(
    () => prepare(SECTIONS),
  );
  return sections;
}

const box = document.querySelector("[data-md-component=search]");
if (box) {
  const isOpen = document.getElementById("__search");
  const input = box.querySelector("input");
  const [said, list] = box.querySelector(".md-search-result").children;
  box.removeAttribute("data-md-component"); // Material's script looks for these two
  box.querySelector("form").removeAttribute("name");
  said.role = "status";
  list.role = "list";
  said.textContent = "Type to search";

  const show = async () => {
    const query = input.value;
    const all = await load().catch(() => {
      said.textContent = "The list of what the site says did not load";
    });
    if (!all || query !== input.value) return; // typed on meanwhile
    const asked = understood(all, query);
    const { typed, taken, offered, instead } = asked;
    const { results, missing } = find(all, asked);
    const quoted = (words) => words.map((word) => `“${word}”`).join(", ");
    const not = missing.length ? `Nothing found for ${quoted(missing)}` : "";
    const count = `${results.length} section${results.length === 1 ? "" : "s"}`;
    const corrected = taken.length ? `Shown for ${quoted(taken)}: ` : "";
    said.textContent = !typed.length
      ? "Type to search"
      : not && results.length
        ? `${not}. For the rest, ${count}`
        : not || corrected + count;
    if (offered.length) {
      const offer = Object.assign(document.createElement("button"), {
        type: "button",
        textContent: `Did you mean ${quoted(offered)}?`,
        onclick: () => {
          input.value = instead;
          input.focus();
          show();
        },
      });
      said.append(". ", offer);
    }
    list.replaceChildren(...results.slice(0, 20).map((section) => result(section, typed)));
  };

  const open = (yes) => isOpen.checked !== yes && isOpen.click();
  isOpen.addEventListener("change", () => (isOpen.checked ? input.focus() : input.blur()));
  input.addEventListener("focus", () => {
    open(true);
    show();
  });
  input.addEventListener("input", show);
  box.addEventListener("reset", () => {
    input.focus();
    setTimeout(show);
  });
  box.addEventListener("submit", (event) => {
    event.preventDefault();
    show().then(() => (list.querySelector("a") ?? said.querySelector("button"))?.click());
  });
  list.addEventListener("click", () => open(false));
  box.addEventListener(
    "focusout",
    ({ relatedTarget: to }) => to && !box.contains(to) && open(false),
  );

  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isOpen.checked) {
      const stops = [input, ...said.querySelectorAll("button"), ...list.querySelectorAll("a")];
      const step = { ArrowDown: 1, ArrowUp: -1 }[key];
      if (key === "Escape") open(false);
      else if (step) stops.at((stops.indexOf(target) + step) % stops.length).focus();
      else return;
    } else if (
      "/sf".includes(key) &&
      !target.closest("input, select, textarea, [contenteditable]")
    ) {
      input.focus();
      input.select();
    } else return;
    event.preventDefault();
  });
}

{
  const typed = new URLSearchParams(location.search).get("h");
  if (typed) load().then(() => mark(typed.split(" ")));
}
