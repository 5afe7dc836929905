// Copied text keeps its formulas as TeX, which weave leaves in `alttext`; the browser alone would
// copy "dk" for d with the index k.

document.addEventListener("copy", (event) => {
  const selection = getSelection();
  if (!selection.rangeCount) return;
  const text = document.createElement("div");
  text.append(selection.getRangeAt(0).cloneContents());
  const formulas = text.querySelectorAll("math[alttext]");
  if (!formulas.length) return;
  for (const formula of formulas) {
    const mark = formula.getAttribute("display") === "block" ? "$$" : "$";
    formula.replaceWith(mark + formula.getAttribute("alttext") + mark);
  }
  // Only what stands in the page has lines and paragraphs.
  text.style = "position: fixed; left: -200vw";
  document.body.append(text);
  event.clipboardData.setData("text/plain", text.innerText);
  text.remove();
  event.preventDefault();
});
