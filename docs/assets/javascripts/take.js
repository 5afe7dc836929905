// A figure as a picture of pixels, painted here from the drawing that lies beside its script, and handed over as a
// file. A page that was opened from a disk may not do that: there the link leads to the drawing.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a.as-png");
  if (!link || location.protocol === "file:") return;
  event.preventDefault();
  const drawing = new Image();
  drawing.src = link.href;
  await drawing.decode();
  const times = 3; // sharp on a slide
  const canvas = document.createElement("canvas");
  canvas.width = times * drawing.width;
  canvas.height = times * drawing.height;
  const paper = canvas.getContext("2d");
  paper.fillStyle = "white";
  paper.fillRect(0, 0, canvas.width, canvas.height);
  paper.drawImage(drawing, 0, 0, canvas.width, canvas.height);
  const picture = await new Promise((done) => canvas.toBlob(done));
  const address = URL.createObjectURL(picture);
  const download = link.href.split("/").at(-1).replace(".svg", ".png");
  Object.assign(document.createElement("a"), { href: address, download }).click();
  URL.revokeObjectURL(address);
});

// On paper all folds are open, unless the reader wants those alone that are open on the screen.
document.addEventListener("click", ({ target }) => {
  const print = target.closest?.("[data-print]")?.dataset.print;
  if (!print) return;
  const { classList } = document.documentElement;
  classList.toggle("prints-open", print === "open");
  addEventListener("afterprint", () => classList.remove("prints-open"), { once: true });
  window.print();
});
