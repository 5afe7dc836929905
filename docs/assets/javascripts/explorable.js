// What the explorables share. Each is an element around a static figure, whose drawing it replaces on the
// screen. It has native inputs, is drawn when one of them changes, and keeps its state in the address:
// `?d=1024#attention` is a view of the element `why-attention`, which stands below a heading of that id.

const SLOW_FRAME = 50; // ms
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

/** Draw the outline of such bars, 1000 wide and 100 high. One above HIGHEST leaves the drawing, as in `beside.py`. */
const HIGHEST = 0.45;
const outline = (heights) => {
  const step = 1000 / heights.length;
  const tops = heights.map(
    (h, i) => `V${(100 - (100 * h) / HIGHEST).toFixed(2)}H${(i + 1) * step}`,
  );
  return `M0 100${tops.join("")}V100`;
};

/** Say which key has the largest weight. */
const toOne = (weights) => {
  const most = Math.max(...weights);
  return `${percent(most)} to key ${weights.indexOf(most) + 1}, ${asIf(weights, weights.length)}`;
};

/** Give a share in percent, to two digits. What is neither none nor all is not said to be so. */
const percent = (share) => {
  const size = 100 * share;
  if (size === 0) return "0%";
  if (size < 0.001) return "<0.001%";
  if (size >= 99.95) return ">99.9%";
  const digits = size < 0.0995 ? 3 : size < 0.995 ? 2 : size < 9.95 || size >= 99.5 ? 1 : 0;
  return `${size.toFixed(digits)}%`;
};

/** Give a number with its noun: 1 product, 2 products. */
const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Give the whole numbers nearest to the powers of 2 from a least to a greatest exponent, each once. */
const powers = (least, most, step) => [
  ...new Set(
    Array.from({ length: Math.floor((most - least) / step + 1e-9) + 1 }, (_, i) =>
      Math.round(2 ** (least + i * step)),
    ),
  ),
];

/** Find the number of a list that is nearest to a value, by their ratio, and give its place. */
const nearest = (list, value) => {
  const away = list.map((each) => Math.abs(Math.log(each / Math.max(value, Number.MIN_VALUE))));
  return away.indexOf(Math.min(...away));
};

/** Give the value of an input that is nearest to what is asked for, in text or as a number; nothing, if that is none.
    An input that is `long` takes a list, of the least and the greatest length that it says. */
const allowed = (input, asked) => {
  const { least, most, step, stops, long } = input;
  if (long) {
    const text = String(asked ?? ","); // two empty items, which are no numbers
    const items = text ? text.split(",").slice(0, long[1]) : [];
    const list = items.map((item) => allowed({ least, most, step }, item));
    return list.length < long[0] || list.includes(undefined) ? undefined : list;
  }
  const number = String(asked ?? "").trim() ? Number(asked) : NaN;
  if (Number.isNaN(number)) return undefined;
  if (stops) return stops[nearest(stops, Math.min(number, Number.MAX_VALUE))];
  const within = Math.max(least, Math.min(most, number));
  return step ? +(least + step * Math.round((within - least) / step)).toPrecision(12) : within;
};

/** Give how far to the right in a part a pointer is: 0 at its left edge, 1 at its right. */
const shareAcross = (part, { clientX }) => {
  const { left, width } = part.getBoundingClientRect();
  return (clientX - left) / width;
};

/** Define an explorable once it is no further than a screen away, or a link is about it: what lies far below must not
    hold up a page that is starting. Each in a task of its own, so that the page can answer in between. */
const explorable = (name, made) => {
  const hash = `#${name.slice(4)}`;
  const near = new IntersectionObserver(
    (seen) => seen.some(({ isIntersecting }) => isIntersecting) && setTimeout(begin),
    { rootMargin: "100%" },
  );
  const follow = ({ target }) => target.closest("a")?.hash === hash && begin();
  const begin = () => {
    near.disconnect();
    document.removeEventListener("click", follow, true);
    if (!customElements.get(name)) customElements.define(name, made);
  };
  document.addEventListener("click", follow, true);
  if (location.hash === hash) setTimeout(begin);
  else for (const each of document.querySelectorAll(name)) near.observe(each);
};

/** Draw buttons that each stand for a state, written as in an address. */
const presets = (states, title = "") =>
  `<p class="acts models">${title && `<span>${title}</span>`}${Object.entries(states)
    .map(
      ([name, state]) =>
        `<button type="button" data-act="preset" value="${state}">${name}</button>`,
    )
    .join("")}</p>`;

// What a reader can take along, below the figure: an address that shows what is shown now, and code that shows it on
// another site.
const HANDED = `<p class="handed">To take away as it is now: <button type="button" data-act="copyLink">copy a link to this
  state</button> or <button type="button" data-act="copyFrame">code to embed it</button>.<input readonly hidden
  aria-label="To copy"></p>`;
const OWN_ADDRESS = document.currentScript.src;

// An explorable gives its `inputs`: each has a name, a value to begin with, and either least, most and step, or `stops`,
// a rising list of numbers; one that is `long` has a list of numbers for its value. One with a label is a slider.
// Nothing else can become a value, whatever an address says.
class Explorable extends HTMLElement {
  others = {}; // the values that no slider shows

  connectedCallback() {
    if (this.panel) return;
    this.name = this.localName.slice(4);
    this.data = JSON.parse(this.dataset.explore);
    this.panel = document.createElement("div");
    this.panel.className = "panel";
    this.panel.role = "group";
    this.panel.ariaLabel = this.constructor.title;
    const sliders = this.inputs.filter(({ label }) => label);
    this.panel.innerHTML = `${this.stage}<div class="inputs">${sliders.map((input) => this.slider(input)).join("")}${this.acts ?? ""}</div><p role="status"></p>`;
    for (const { name, label, value } of this.inputs) if (!label) this.others[name] = value;
    this.querySelector(".drawing").before(this.panel);
    this.addEventListener("input", () => this.change());
    this.addEventListener("click", ({ target }) => {
      const button = target.closest("[data-act]");
      if (button) this[button.dataset.act](button);
    });
    // A swipe that scrolls the page may begin on what it would change: then nothing has changed.
    let before;
    this.panel.addEventListener("pointerdown", () => {
      before = this.values;
      this.moved = false;
    });
    this.panel.addEventListener("input", () => (this.moved = true));
    this.panel.addEventListener("pointercancel", () => {
      if (!this.moved) return;
      this.values = before;
      this.show();
      this.settle();
    });
    // Back and forward bring back what was shown at an address; one that has kept nothing of this leaves it as it is.
    addEventListener("popstate", () => {
      if (this.parentElement.classList.contains("held")) this.settle(); // what moved belongs to the address that was left
      this.restore();
    });
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
      // What Back is to bring back; and the others stay as they are.
      for (const each of document.querySelectorAll("[data-explore].live")) each.keep();
      history.pushState({ ...history.state, [this.name]: undefined }, "", link.href);
      this.read();
    });
    for (const side of ["left", "bottom"])
      for (const mark of this.panel.querySelectorAll(`[data-${side}]`))
        mark.style[side] = `${100 * mark.dataset[side]}%`;
    const fold = this.querySelector("details");
    const offer = () => fold.querySelector("summary").insertAdjacentHTML("afterend", HANDED);
    fold?.addEventListener("toggle", offer, { once: true });
    this.classList.add("live");
    this.prepare();
    if (!this.restore() && !this.read()) this.begin();
  }

  /** Give the markup of a slider. */
  slider({ name, label, least, most, step, stops, value }) {
    const id = `${this.name}-${name}`;
    const [from, to, by, at] = stops
      ? [0, stops.length - 1, 1, nearest(stops, value)]
      : [least, most, step, value];
    return `<p><label for="${id}">${label}</label><input type="range" id="${id}" name="${name}" min="${from}"
      max="${to}" step="${by}" value="${at}"><output for="${id}" aria-live="off"></output></p>`;
  }

  /** Add what the panel needs beyond its markup. */
  prepare() {}

  /** Let a part be moved by a mouse, and by a finger. Where only what is across counts, a finger moves it sideways, and
      scrolls the page upwards; where both count, it holds the `grip`: elsewhere it scrolls the page, or taps.
      A button within the part stays a button. */
  drags(part, moveTo, grip) {
    let held; // the pointer that drags
    const move = (event) => {
      this.moved = true;
      moveTo(event);
    };
    part.classList.add("drags", grip ? "freely" : "across");
    const button = ({ target }) => target.closest("[data-act]");
    part.addEventListener("pointerdown", (event) => {
      const mouse = event.pointerType === "mouse";
      if (button(event) || event.button || (!mouse && grip && !event.target.closest(grip))) return;
      held = event.pointerId;
      part.setPointerCapture(held);
      if (mouse || grip) move(event); // a finger may be about to scroll
    });
    part.addEventListener("pointermove", (event) => {
      if (event.pointerId === held) move(event);
    });
    part.addEventListener("lostpointercapture", () => (held = undefined));
    part.addEventListener("click", (event) => button(event) || move(event));
  }

  /** Show how it begins. */
  begin() {
    this.show();
  }

  /** Slide an input to where it stands, from a value, once. The reader's first touch ends it, and so does a machine that
      cannot draw it smoothly: it would only be held up. */
  glide(name, from, time = 1600) {
    const input = this.at(`[name=${name}]`);
    const to = +input.value;
    let start = calm.matches ? -Infinity : undefined;
    let [last, slow] = [Infinity, 0];
    const step = (now) => {
      if (this.rest) return;
      start ??= now;
      slow += now - last > SLOW_FRAME;
      last = now;
      const share = slow > 1 ? 1 : Math.min(1, (now - start) / time);
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

  /** Tell whether the reader wants nothing to move by itself. */
  get calm() {
    return calm.matches;
  }

  /** End what moves by itself. */
  stop() {}

  get values() {
    const value = ({ name, label, stops }) => {
      if (!label) return this.others[name];
      const at = +this.at(`[name=${name}]`).value;
      return stops ? stops[at] : at;
    };
    return Object.fromEntries(this.inputs.map((input) => [input.name, value(input)]));
  }

  /** Take over what is given of the state, as far as the inputs allow it. */
  set values(values) {
    for (const input of this.inputs) {
      const { name, label, stops } = input;
      const value = allowed(input, values[name]);
      if (value === undefined) continue;
      if (label) this.at(`[name=${name}]`).value = stops ? stops.indexOf(value) : value;
      else this.others[name] = value;
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
    this.stop();
    this.values = Object.fromEntries(new URLSearchParams(location.search));
    this.show();
    this.parentElement.classList.remove("held"); // what is above has to have its height
    if (window === top) this.reveal(); // in a frame it would scroll the page around it
    return true;
  }

  /** Bring it onto the screen, with its caption where both fit; and again when fonts, folds or pictures come late and
      move it, until the reader does something. */
  reveal() {
    const loaded = document.readyState === "complete";
    let [aim, nearest] = [scrollY, Infinity];
    const place = () => {
      const header = document.querySelector(".md-header")?.offsetHeight ?? 0;
      const figure = this.querySelector("figure");
      const whole = header + figure.offsetHeight > innerHeight ? this.panel : figure;
      const { top, bottom, height } = whole.getBoundingClientRect();
      // What its style sheet wants to be seen above it, as far as there is room.
      const above = Number.parseFloat(getComputedStyle(this.panel).scrollMarginTop);
      const least = Math.max(header, Math.min(above, innerHeight - height));
      const away = Math.min(top - least, Math.max(0, bottom - innerHeight));
      const behavior = loaded && !calm.matches ? "smooth" : "instant";
      [aim, nearest] = [scrollY + away, Infinity];
      if (Math.abs(away) > 1) scrollTo({ top: aim, behavior });
    };
    // Some ways of scrolling send nothing else: whoever is a screen further off than before has gone elsewhere.
    const leave = () => {
      const off = Math.abs(scrollY - aim);
      if (off > nearest + innerHeight) end();
      nearest = Math.min(nearest, off);
    };
    const late = new ResizeObserver(place);
    late.observe(document.querySelector("article"));
    addEventListener("load", place);
    addEventListener("scroll", leave, { passive: true });
    const end = () => {
      late.disconnect();
      removeEventListener("load", place);
      removeEventListener("scroll", leave);
    };
    for (const event of ["wheel", "touchstart", "pointerdown", "keydown", "popstate"])
      addEventListener(event, end, { once: true, passive: true });
    setTimeout(end, 5000);
    place();
  }

  /** Draw before the next frame; once it stays so, say it and write it into the address. */
  change() {
    this.frame ??= requestAnimationFrame(() => this.show());
    this.parentElement.classList.add("held");
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.settle();
      this.keep(this.state);
    }, 500);
  }

  /** Say what is shown now, as it stays so. */
  settle() {
    clearTimeout(this.rest);
    this.parentElement.classList.remove("held");
    this.at("[role=status]").textContent = this.words;
  }

  /** Take what was shown when this address was left, if that was kept. */
  restore() {
    const value = history.state?.[this.name];
    if (value === undefined) return false;
    this.stop();
    this.preset({ value });
    this.show();
    return true;
  }

  /** Keep what is shown with the address, and a new address with it, unless it is kept already. */
  keep(address) {
    const now = `${new URLSearchParams(this.values)}`;
    if (history.state?.[this.name] !== now)
      history.replaceState({ ...history.state, [this.name]: now }, "", address);
  }

  /** Write the state as an address does. */
  get state() {
    return `?${new URLSearchParams(this.values)}#${this.name}`;
  }

  copyLink() {
    this.hand(new URL(this.state, location).href, "The link");
  }

  copyFrame() {
    const page = new URL(`../../embed/${this.dataset.embed}/${this.state}`, OWN_ADDRESS);
    const { title } = this.constructor;
    this.hand(
      `<iframe src="${page.href.replaceAll("&", "&amp;")}" title="${title.replaceAll('"', "&quot;")}" width="100%" height="${this.querySelector("figure").offsetHeight + 40}" style="border: 0" loading="lazy"></iframe>`,
      "The code",
    );
  }

  /** Hand over a text: copied, where the browser lets us, and selected in a field in any case. */
  async hand(text, what) {
    const field = this.querySelector(".handed input");
    field.hidden = false;
    field.value = text;
    field.select();
    try {
      await navigator.clipboard.writeText(text);
      this.at("[role=status]").textContent = `${what} is copied.`;
    } catch {
      this.at("[role=status]").textContent = `${what} is in the field, selected.`;
    }
  }

  show() {
    cancelAnimationFrame(this.frame);
    this.frame = undefined;
    const { values } = this;
    for (const input of this.panel.querySelectorAll("[type=range]"))
      input.ariaValueText = input.nextElementSibling.textContent = values[input.name];
    for (const button of this.panel.querySelectorAll("[data-act=preset]"))
      button.ariaPressed = [...new URLSearchParams(button.value)].every(
        ([name, value]) => `${values[name]}` === value,
      );
    this.words = this.draw(values);
  }
}
