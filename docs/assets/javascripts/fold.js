// What is folded opens when a link leads into it, and on paper. (A browser's own search opens it too.)
{
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let folded = target?.closest("details:not([open])");
    if (!folded) return;
    for (; folded; folded = target.closest("details:not([open])")) folded.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  follow();

  // What print.css leaves out stays as it is, and so does what the reader had open.
  const forPaper = "article details:not([open]):not(.snippet *, [data-source] *, .fold, .numbers)";
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll(forPaper)];
    opened.forEach((part) => (part.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((part) => (part.open = false)));
}
