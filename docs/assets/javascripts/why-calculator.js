// A calculator: how widely the logits of attention spread before training, and what follows.
{
  // The root of Var W_Q Var W_K for width D, h heads of d, and a deviation of s.
  const RULES = {
    LeCun: (D) => 1 / D,
    Xavier: (D, h, d) => 2 / (D + h * d),
    "Xavier, fused": (D, h, d) => 2 / (D + 3 * h * d),
    "Xavier, one head": (D, h, d) => 2 / (D + d),
    "nn.Linear": (D) => 1 / (3 * D),
    deviation: (D, h, d, s) => s * s,
    T5: (D, h, d) => 1 / (D * d ** 0.5),
  };
  // The variance of q·k, from that of a coordinate.
  const NORMS = {
    none: (d, v) => d * v * v,
    RMSNorm: (d) => d,
    LayerNorm: (d) => (d * d) / (d - 1),
    "length 1": (d) => 1 / d,
  };
  const SCALES = {
    "1/√d": (d) => d ** -0.5,
    1: () => 1,
    "1/d": (d) => 1 / d,
    "8/d": (d) => 8 / d,
    "1/√width": (d, D) => D ** -0.5,
    "√d": (d) => d ** 0.5,
    number: (d, D, x) => x,
  };
  const grouped = (x) => x.toLocaleString("en");
  // What a field holds: its label, what it must be, the least and the most; and whether it is a whole number.
  const MOST = 2 ** 20;
  const FIELDS = {
    d: ["head size", "a whole number from 1 to a million", 1, MOST, 1],
    H: ["heads", "a whole number from 1 to a million", 1, MOST, 1],
    D: ["width", "a whole number from 1 to a million", 1, MOST, 1],
    n: ["keys", "a whole number from 2 to a million", 2, MOST, 1],
    s: ["deviation", "from 0.000001 to 100", 1e-6, 100],
    x: ["number", "such as 1/√64 or head_dim**-0.5, up to a million, and not 0", -1e6, 1e6],
  };
  // What code calls them, in the field of the scale.
  const named = ({ d, H, D, n }) => ({
    ...{ d, d_k: d, d_head: d, head_dim: d, head_size: d, query_pre_attn_scalar: d },
    ...{ D, d_model: D, embed_dim: D, hidden_size: D, n_embd: D, width: D },
    ...{ H, h: H, num_heads: H, n_head: H, num_attention_heads: H, n },
  });

  /** Count the keys of n that take part, of Gaussian logits of spread s: 1/E Σp². */
  const takingPart = (n, s) => {
    if (s < 0.05) return n / (1 + s * s * (1 - 1 / n));
    const h = Math.min(0.2, 0.4 * s);
    const r = Math.ceil((9 * s) / h);
    const bell = Array.from({ length: 2 * r + 1 }, (_, i) =>
      Math.exp((((i - r) * h) / s) ** 2 / -2),
    );
    const all = bell.reduce((a, b) => a + b);
    let sum = 0;
    for (let t = -r - Math.ceil(5 / h); t * h < 9 * s + Math.log(n) + 12; t++) {
      let [miss, square] = [0, 0];
      for (let i = Math.max(-r, t - Math.ceil(30 / h)); i <= r; i++) {
        const u = h * (i - t);
        const e = u < 4 && Math.exp(u);
        miss += u < 4 ? bell[i + r] * -Math.expm1(-e) : bell[i + r];
        if (e) square += bell[i + r] * e * e * Math.exp(-e);
      }
      sum += (square / all) * Math.max(0, 1 - miss / all) ** (n - 1);
    }
    return 1 / (n * h * sum);
  };

  const short = (x) => {
    if (x < 0.0995 || x > 99999) return x.toPrecision(2);
    return x.toFixed(x < 0.1995 ? 3 : x < 9.95 ? 2 : 1);
  };
  const field = (name) =>
    `<label>${FIELDS[name][0]}<input name="${name}" inputmode="decimal"></label>`;
  const choice = (name, label, list) =>
    `<label class="wide">${label}<select name="${name}">${list.map((text, i) => `<option value="${i}">${text}</option>`).join("")}</select></label>`;
  const DRAWS = 99;
  const place = (s) => Math.max(0, Math.min(1000, 500 + 100 * Math.log2(s))).toFixed(1);

  explorable(
    "why-calculator",
    class extends Explorable {
      static title = "Your model at the start";

      get inputs() {
        const fields = Object.entries(FIELDS).map(([name, [, , least, most, step]]) => {
          return { name, least, most, step };
        });
        const { rules, norms, scales } = this.data;
        const choices = Object.entries({ rule: rules, norm: norms, by: scales }).map(
          ([name, list]) => ({ name, least: 0, most: list.length - 1, step: 1 }),
        );
        return [...fields, ...choices, { name: "seed", least: 1, most: DRAWS, step: 1 }];
      }

      get acts() {
        const keys = { name: "n", label: "keys", least: 1, most: 20, step: 0.5, value: 10 };
        return `${this.slider(keys)}<div class="acts"><button data-act="copy">Copy link</button></div>`;
      }

      get stage() {
        const { models, rules, norms, scales } = this.data;
        const buttons = Object.keys(models).map(
          (name) => `<button data-act="model">${name}</button>`,
        );
        return `<div class="acts models">${buttons.join("")}</div>
      <div class="form">${["d", "H", "D", "n"].map(field).join("")}${choice("rule", "initialisation", rules)}${field("s")}
      ${choice("norm", "norm on q and k", norms)}${choice("by", "scale", scales)}${field("x")}<input type="hidden" name="seed"></div>
      <p class="found"><b></b> <span></span></p>
      <div class="split"><svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path class="C0"/><path class="C1"/></svg><p class="C0"></p><p class="C1"></p><button type="button" data-act="again">Draw again</button></div>
      <div class="gauged"><svg class="gauge" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true"><path class="cold"/><path class="one" d="M500 0v20"/><path class="known"/><path class="named"/><path class="own"/></svg><b class="handle"></b></div>
      <p class="ends" aria-hidden="true"><i>1/32: flat</i><i data-left="0.5">1</i><i data-left="0.635" class="known">models</i><i>32: frozen</i></p>
      <ul><li></li><li></li><li></li><li></li></ul>`;
      }

      prepare() {
        this.last = {};
        const keys = this.at("[type=range]");
        keys.addEventListener("input", () => (this.field("n").value = Math.round(2 ** keys.value)));
        this.fill({ s: 0.02, x: 0.125, seed: 1, ...this.data.at });
        const spreads = Object.values(this.data.models).map((model) => {
          const { d, H, x } = model;
          return this.start({ ...model, x: x && readNumber(x) }).spread(d, H);
        });
        const ticks = spreads.map((s) => `M${place(s)} 8v12`);
        this.at(".gauge .known").setAttribute("d", ticks.join(""));
        // Whose name is pointed at, its tick stands out.
        this.panel.querySelectorAll(".models button").forEach((button, i) => {
          for (const [event, tick] of [
            ["pointerenter", ticks[i]],
            ["focus", ticks[i]],
            ["pointerleave", ""],
            ["blur", ""],
          ])
            button.addEventListener(event, () => this.at(".named").setAttribute("d", tick));
        });
        // The mark is moved by the scale, which multiplies the spread whatever else is chosen.
        const gauge = this.at(".gauged");
        this.drags(gauge, (event) => {
          const share = Math.max(0, Math.min(1, shareAcross(gauge, event)));
          const x = +(2 ** (10 * share - 5) / this.bare).toPrecision(3);
          this.values = { by: this.data.scales.indexOf("number"), x };
        });
      }

      /** Find a field or a choice of the form. */
      field(name) {
        return this.at(`.form [name=${name}]`);
      }

      /** Read what was typed: a number, and whether the field can take it. */
      typed(input) {
        const { name } = input;
        const number = readNumber(this.field(name).value, name === "x" ? named(this.last) : {});
        const value = allowed(input, number);
        return [number, value === number && (name !== "x" || value !== 0)];
      }

      /** What the form says; of a field that says nothing, what it said last. */
      get values() {
        for (const input of this.inputs) {
          const [number, fits] = this.typed(input);
          if (fits) this.last[input.name] = number;
        }
        return { ...this.last };
      }

      set values(values) {
        this.fill(values);
        this.change();
      }

      /** Write values into the form, as they are written where the form can take them so. */
      fill(values) {
        for (const input of this.inputs) {
          const given = `${values[input.name] ?? ""}`;
          const number = readNumber(given);
          const value = allowed(input, number);
          if (value === undefined || (input.name === "x" && value === 0)) continue;
          const field = this.field(input.name);
          // What stands for this number already stays as it was typed.
          if (readNumber(field.value) !== value) field.value = value === number ? given : value;
        }
      }

      model({ textContent }) {
        this.values = this.data.models[textContent];
      }

      again() {
        this.values = { seed: (this.values.seed % DRAWS) + 1 };
      }

      /** Draw a row of 32 logits, ours or another, as they spread with the scale and without it; say what that is. */
      row(seed, scaled, bare) {
        const { row } = this.data;
        const name = seed === 1 ? "Our row" : `Draw ${seed}`;
        const keys = seed === 1 ? row : row.map(gaussian(seed));
        const rows = [
          [`${name}, scaled`, scaled],
          ["Unscaled", bare],
        ];
        return rows.map(([name, spread], i) => {
          const weights = softmax(keys.map((key) => spread * key));
          this.at(`.split path.C${i}`).setAttribute("d", outline(weights));
          const said = `${name}: ${toOne(weights)}`;
          this.at(`.split p.C${i}`).textContent = said;
          return said;
        });
      }

      /** Give the factor on q·k for heads of d, and how widely h of them spread at the start. */
      start({ D, s, x, ...values }) {
        const { rules, norms, scales } = this.data;
        const [rule, norm, by] = [rules[values.rule], norms[values.norm], scales[values.by]];
        const scaled = (d) => SCALES[by](d, D, x);
        const spread = (d, h) =>
          Math.abs(scaled(d)) * Math.sqrt(NORMS[norm](d, D * RULES[rule](D, h, d, s)));
        return { scaled, spread };
      }

      copy(button) {
        const link = new URL(`?${new URLSearchParams(this.values)}#${this.name}`, location).href;
        const done = () =>
          (this.at("[role=status]").textContent = button.textContent = "Link copied");
        const ask = () => prompt("Link", link);
        navigator.clipboard ? navigator.clipboard.writeText(link).then(done, ask) : ask();
      }

      draw(values) {
        const { d, H: h, D, n, seed } = values;
        const { rules, norms, scales } = this.data;
        const [rule, norm, by] = [rules[values.rule], norms[values.norm], scales[values.by]];
        const shown = { s: rule === "deviation", x: by === "number" };
        const flaws = norm === "LayerNorm" && d < 2 ? ["LayerNorm needs heads of 2 or more"] : [];
        for (const input of this.inputs) {
          const [label, what] = FIELDS[input.name] ?? [];
          if (!label) continue;
          const field = this.field(input.name);
          const seen = shown[input.name] ?? true;
          const [, fits] = this.typed(input);
          field.parentElement.hidden = !seen;
          field.ariaInvalid = seen && !fits;
          if (seen && !fits) flaws.push(`${label} must be ${what}`);
        }
        this.at("[type=range]").value = Math.log2(n);
        const wrong = flaws.join("; ");
        this.panel.classList.toggle("wrong", !!wrong);
        for (const button of this.panel.querySelectorAll(".models button"))
          button.ariaPressed = Object.entries(this.data.models[button.textContent]).every(
            ([name, value]) => readNumber(this.field(name).value) === readNumber(`${value}`),
          );
        this.at("[data-act=copy]").textContent = "Copy link";
        this.at(".found b").textContent = "–";
        this.at(".found span").textContent = wrong;
        if (wrong) return wrong;

        const { scaled, spread } = this.start(values);
        const sigma = spread(d, h);
        this.bare = sigma / Math.abs(scaled(d)); // without a scale
        const limit = Math.sqrt(2 * Math.log(n));
        const keys = takingPart(n, Math.min(64, sigma)); // beyond, hardly more than one takes part
        this.at(".found b").textContent = short(sigma);
        const state =
          sigma > limit ? "frozen" : keys / n > 0.95 ? "flat" : "neither frozen nor flat";
        const count = keys < 9.95 ? keys.toFixed(1) : grouped(Math.round(keys));
        const share = `${sigma > 64 ? "at most " : ""}${count} of ${grouped(n)} keys take part`;
        const lines = ["is the spread at the start", share, state];
        this.at(".found span").innerHTML = lines.join("<br>");
        this.at(".cold").setAttribute("d", `M1000 20V0H${place(limit)}v20z`);
        this.at(".own").setAttribute("d", `M${place(sigma)} 0v20`);
        this.at(".handle").style.left = `${place(sigma) / 10}%`;
        const drawn = this.row(seed, Math.sign(scaled(d)) * sigma, this.bare);
        const least = norm === "LayerNorm" ? 2 : 1;
        const sizes = [d / 2, 2 * d].filter((size) => size % 1 === 0 && size >= least);
        const others = sizes.map((size) => short(spread(size, (h * d) / size)));
        const words = [
          `This is ${short(sigma / limit)} times ${short(limit)}, where ${grouped(n)} keys freeze`,
          `With heads of ${sizes.join(" and ")} at the same width: ${others.join(" and ")}${by !== "1/√d" || others.some((other) => other !== short(sigma)) ? "" : ", thanks to 1/√d"}`,
          `scale=${+(scaled(d) / sigma).toPrecision(4)} would give a spread of 1`,
          scaled(d) < 0
            ? "A scale below 0 favours keys that match least"
            : h * d === D
              ? ""
              : `${h} × ${d} = ${grouped(h * d)}, which is not the width ${D}; this may be intended`,
        ];
        this.panel.querySelectorAll("li").forEach((item, i) => (item.textContent = words[i]));
        return `${short(sigma)} ${[lines, ...drawn, ...words].join(". ")}`;
      }
    },
  );
}
