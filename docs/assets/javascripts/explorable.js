// What the explorables share. Each is an element around a static figure, whose drawing it replaces on the
// screen. It has native inputs, is drawn when one of them changes, and keeps its state in the address:
// `?d=1024#attention` is a view of the element `why-attention`, which stands below a heading of that id.

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Give a source of random numbers from 0 to 1, the same for the same seed (mulberry32). */
const uniform = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

/** Give a source of standard Gaussian numbers (Box and Muller). */
const gaussian = (seed) => {
  const next = uniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
};

/** Give softmax weights. */
const softmax = (scores) => {
  const top = scores.reduce((a, b) => Math.max(a, b));
  const powers = scores.map((score) => Math.exp(score - top));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
};

/** Count the keys that take part. */
const takingPart = (weights) => 1 / weights.reduce((sum, weight) => sum + weight * weight, 0);
const asIf = (weights, of) => `as if ${+takingPart(weights).toFixed(1)} of ${of} took part`;

/** Draw bars of heights from 0 to 1 as a path, 1000 wide and 100 high. */
const bars = (heights, from = 0, of = heights.length) => {
  const step = 1000 / of;
  const wide = (step * (of > 99 ? 1 : 0.84)).toFixed(2);
  return heights
    .map((h, i) => `M${((i + from) * step).toFixed(2)} 100v${(-100 * h).toFixed(3)}h${wide}V100`)
    .join("");
};

const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`;

/** Define an explorable in a task of its own, so that a page that is starting up can answer in between. */
const explorable = (name, made) => setTimeout(() => customElements.define(name, made));

/** Draw buttons that each stand for a state, written as in an address. */
const presets = (states) =>
  `<p class="acts models">${Object.entries(states)
    .map(
      ([name, state]) =>
        `<button type="button" data-act="preset" value="${state}">${name}</button>`,
    )
    .join("")}</p>`;

class Explorable extends HTMLElement {
  // An input: its name and value; if a slider, label, least, most and step; `power`, if it slides by powers of 2.
  static inputs = [];

  connectedCallback() {
    if (this.panel) return;
    this.name = this.localName.slice(4);
    this.data = JSON.parse(this.dataset.explore);
    this.calm = calm.matches;
    this.panel = document.createElement("div");
    this.panel.className = "panel";
    this.panel.role = "group";
    this.panel.ariaLabel = this.constructor.title;
    this.panel.innerHTML = `${this.stage}<div class="inputs">${this.constructor.inputs
      .filter(({ label }) => label)
      .map(
        ({
          name,
          label,
          least,
          most,
          step,
          value,
        }) => `<p><label for="${this.name}-${name}">${label}</label><input
        type="range" id="${this.name}-${name}" name="${name}" min="${least}" max="${most}" step="${step}"
        value="${value}"><output for="${this.name}-${name}" aria-live="off"></output></p>`,
      )
      .join("")}${this.acts ?? ""}</div><p role="status"></p>`;
    this.querySelector(".drawing").before(this.panel);
    this.addEventListener("input", () => this.change());
    this.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-act]");
      if (button) this[button.dataset.act](button);
    });
    for (const event of ["hashchange", "popstate"]) addEventListener(event, () => this.read());
    // A link to a view of what is on the page already need not load it again.
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href*='?']");
      if (
        !link ||
        link.pathname !== location.pathname ||
        link.hash !== `#${this.name}` ||
        event.ctrlKey ||
        event.metaKey
      )
        return;
      event.preventDefault();
      history.pushState(null, "", link.href);
      this.read();
    });
    this.classList.add("live");
    this.prepare();
    if (!this.read()) this.begin();
  }

  /** Add what the panel needs beyond its markup. */
  prepare() {}

  /** Show how it begins. */
  begin() {
    this.show();
  }

  /** Slide an input to where it stands, from a value, once; the reader's first touch ends it. */
  glide(name, from, time = 1600) {
    const input = this.at(`[name=${name}]`);
    const to = +input.value;
    let start = calm.matches ? -Infinity : undefined;
    const step = (now) => {
      if (this.rest) return;
      start ??= now;
      const share = Math.min(1, (now - start) / time);
      input.value = to + (from - to) * (1 - share) ** 2;
      this.show();
      if (share < 1) requestAnimationFrame(step);
    };
    step(performance.now());
  }

  /** Find an input, or another part of the panel. */
  at(selector) {
    return this.panel.querySelector(selector);
  }

  get values() {
    const value = (input, { power, value } = {}) =>
      power ? Math.round(2 ** input.value) : +input.value;
    return Object.fromEntries(
      this.constructor.inputs.map((spec) => {
        const input = this.at(`[name=${spec.name}]`);
        return [spec.name, value(input ?? spec, spec)];
      }),
    );
  }

  set values(values) {
    for (const { name, power } of this.constructor.inputs) {
      const input = this.at(`[name=${name}]`);
      if (input && name in values && isFinite(values[name]))
        input.value = power ? Math.log2(values[name]) : values[name];
    }
    this.change();
  }

  /** Take the state that a button stands for. */
  preset({ value }) {
    this.values = Object.fromEntries(new URLSearchParams(value));
  }

  /** Take the state from the address, if it is about this element. */
  read() {
    if (location.hash !== `#${this.name}`) return false;
    this.values = Object.fromEntries(new URLSearchParams(location.search));
    this.show();
    this.panel.scrollIntoView({ behavior: calm.matches ? "auto" : "smooth", block: "nearest" });
    return true;
  }

  /** Draw before the next frame; once it stays so, say it and write it into the address. */
  change() {
    this.frame ??= requestAnimationFrame(() => this.show());
    this.parentElement.classList.add("held");
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.parentElement.classList.remove("held");
      this.at("[role=status]").textContent = this.words;
      history.replaceState(history.state, "", `?${new URLSearchParams(this.values)}#${this.name}`);
    }, 500);
  }

  show() {
    cancelAnimationFrame(this.frame);
    this.frame = undefined;
    const { values } = this;
    for (const input of this.panel.querySelectorAll("[type=range]"))
      input.ariaValueText = input.nextElementSibling.textContent = values[input.name];
    this.words = this.draw(values);
  }
}
