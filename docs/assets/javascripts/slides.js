// The keys that turn pages turn slides (weave/pages/slides.py). Without scripts one scrolls.
{
  const STEPS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };
  const slides = [...document.querySelectorAll(".slide")];
  const away = (slide) => Math.abs(slide.getBoundingClientRect().top);

  addEventListener("keydown", (event) => {
    const { key, target } = event;
    const step = key === " " && event.shiftKey ? -1 : STEPS[key];
    const isOthers =
      event.altKey || event.ctrlKey || event.metaKey || target.closest("input, select");
    // Where a slide is higher than the window, its rest has to be seen first.
    const isArrow = key.startsWith("Arrow");
    if (!step || isOthers || (!isArrow && slides[0].offsetHeight > innerHeight)) return;
    event.preventDefault();
    const tops = slides.map(away);
    const now = tops.indexOf(Math.min(...tops));
    slides[now + step]?.scrollIntoView({ behavior: "instant" });
  });
}
