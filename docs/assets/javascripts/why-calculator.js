// A calculator: how widely the logits of attention spread before training, and what follows.
{
  // Var W_Q and Var W_K for width D, h heads of d, and a number s.
  const both = (variance) => [variance, variance];
  const RULES = [
    ["LeCun, 1/width", (D) => both(1 / D)],
    ["Xavier", (D, h, d) => both(2 / (D + h * d))],
    ["Xavier, Q, K, V in one", (D, h, d) => both(2 / (D + 3 * h * d))],
    ["Xavier, each head alone", (D, h, d) => both(2 / (D + d))],
    ["nn.Linear, 1/(3 width)", (D) => both(1 / (3 * D))],
    ["a standard deviation:", (D, h, d, s) => both(s * s)],
    ["T5", (D, h, d) => [1 / (D * d), 1 / D]],
  ];
  // The variance of q·k.
  const NORMS = [
    ["none", (d, q, k) => d * q * k],
    ["RMSNorm", (d) => d],
    ["LayerNorm", (d) => (d * d) / (d - 1)],
    ["length 1", (d) => 1 / d],
  ];
  const SCALES = [
    ["1/√d", (d) => d ** -0.5],
    ["1", () => 1],
    ["1/d", (d) => 1 / d],
    ["8/d", (d) => 8 / d],
    ["1/√width", (d, D) => D ** -0.5],
    ["√d", (d) => d ** 0.5],
    ["a number:", (d, D, x) => x],
  ];

  /** Count the keys of n that share the weight of Gaussian logits of spread s: 1/E Σp². */
  const sharing = (n, s) => {
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

  const short = (x) =>
    x < 0.0995 ? x.toPrecision(2) : x.toFixed(x < 0.1995 ? 3 : x < 9.95 ? 2 : 1);
  const field = (name, label, value, step = 1) =>
    `<label>${label}<input type="number" name="${name}" value="${value}" min="${step}" step="${step}"></label>`;
  const choice = (name, label, list) =>
    `<label>${label}<select name="${name}">${list.map(([text], i) => `<option value="${i}">${text}</option>`).join("")}</select></label>`;
  const place = (s) => Math.max(0, Math.min(1000, 500 + 100 * Math.log2(s)));

  explorable(
    "why-calculator",
    class extends Explorable {
      static title = "Your model at the start";
      static inputs = [
        { name: "n", label: "keys <i>n</i>", least: 1, most: 16, step: 0.5, value: 9, power: true },
        ...Object.entries({ d: 64, H: 12, D: 768, rule: 4, s: 0.02, norm: 0, by: 0, x: 0.125 }).map(
          ([name, value]) => ({ name, value }),
        ),
      ];

      stage = `<div class="form">${field("d", "size of a head", 64)}${field("H", "heads", 12)}${field("D", "width", 768)}
      ${choice("rule", "initialisation", RULES)}${field("s", "standard deviation", 0.02, 0.001)}
      ${choice("norm", "norm on q and k", NORMS)}${choice("by", "scale", SCALES)}${field("x", "scale, as a number", 0.125, 0.001)}</div>
      <p class="found"><b></b> <span></span></p>
      <svg class="gauge" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true"><path class="cold"/><path class="one" d="M500 0v20"/><path class="own"/></svg>
      <p class="ends" aria-hidden="true"><i>1/32: flat</i><i>1</i><i>32: frozen</i></p>
      <ul><li></li><li></li><li></li></ul><pre class="matrix"></pre>`;

      prepare() {
        this.at("[name=rule]").value = 4;
      }

      draw(values) {
        const { n, rule, norm, by, s, x } = values;
        const [d, h, D] = [values.d, values.H, values.D].map((size) => Math.max(1, size || 1));
        const scale = (d) => SCALES[by][1](d, D, x);
        const spread = (d, h) => {
          const [q, k] = RULES[rule][1](D, h, d, s);
          return scale(d) * Math.sqrt(NORMS[norm][1](d, D * q, D * k));
        };
        const sigma = spread(d, h);
        const limit = Math.sqrt(2 * Math.log(n));
        const keys = sharing(n, Math.min(64, sigma)); // beyond, hardly more than one takes part
        for (const [name, other] of [
          ["s", rule === 5],
          ["x", by === 6],
        ])
          this.at(`[name=${name}]`).disabled = !other;
        this.at(".found b").textContent = short(sigma);
        const state =
          sigma > limit ? "frozen" : keys / n > 0.95 ? "flat" : "neither frozen nor flat";
        const share = `${sigma > 64 ? "at most " : ""}${keys.toFixed(keys < 9.95 ? 1 : 0)} of ${n} keys share the weight`;
        this.at(".found span").innerHTML =
          `is the spread of the logits at the start<br>${share}<br>${state}`;
        this.at(".cold").setAttribute(
          "d",
          `M${place(limit).toFixed(1)} 0H1000v20H${place(limit).toFixed(1)}z`,
        );
        this.at(".own").setAttribute("d", `M${place(sigma).toFixed(1)} 0v20`);
        const sizes = [d / 2, 2 * d].map(
          (size) => `${short(spread(size, (h * d) / size))} with heads of ${size}`,
        );
        const words = [
          `A row of ${n} keys freezes at ${short(limit)}, ${short(limit / sigma)} times your spread`,
          `At the same width the spread would be ${sizes.join(" and ")}`,
          `For comparison: scale=${+(scale(d) / sigma).toPrecision(4)} would give a spread of 1`,
        ];
        this.panel.querySelectorAll("li").forEach((item, i) => (item.textContent = words[i]));
        const line = `dot_product_attention(\n    q, k, v, scale=${+scale(d).toPrecision(6)})\n`;
        this.at("pre").textContent = `F.scaled_${line}jax.nn.${line}`;
        return `Spread ${short(sigma)}, ${share}, ${state}. ${words.join(". ")}.`;
      }
    },
  );
}
