// Who gets the attention? The weights of one query, undivided and divided by d to the power a.
{
  // Scores from −1000 to 1000, linear around 0 and logarithmic beyond.
  const place = (score) =>
    Math.max(-1000, Math.min(1000, (1000 * Math.asinh(score)) / Math.asinh(1000))).toFixed(1);
  const row = (name, title) => `<section class="row ${name}"><p class="title">${title}</p>
    <p class="found"><b></b> <span></span></p>
    <div class="shares"><svg class="bars" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path/><path class="own"/></svg>
    <i aria-hidden="true">100%</i><i aria-hidden="true">50%</i></div><p class="axis" aria-hidden="true"></p>
    <svg class="strip" viewBox="-1000 0 2000 40" preserveAspectRatio="none" aria-hidden="true"><path/><path class="own"/></svg>
    <p class="scale" aria-hidden="true">${[-1000, -10, 0, 10, 1000]
      .map((at) => `<i data-left="${0.5 + place(at) / 2000}">${at}</i>`.replace(">-", ">−"))
      .join("")}</p>
    </section>`;

  const NAMES = { 0: "undivided", 0.5: "÷ √d", 1: "÷ d" };

  explorable(
    "why-attention",
    class extends Explorable {
      static title = "Who gets the attention?";
      drawn = -Infinity; // when the reader last drew,
      before = []; // and the weights until then
      stage = `<div class="rows">${row("C1", "Undivided")}${row("C0", "")}</div>`;
      acts = `<p class="acts"><button type="button" data-act="again">Draw again</button></p>`;

      get inputs() {
        const shown = this.data.g.length; // keys, to begin with
        const label = "divide by <i>dᵃ</i>, <i>a</i>";
        return [
          { name: "d", label: "dimensions <i>d</i>", stops: powers(0, 10, 0.1), value: 64 },
          { name: "n", label: "keys <i>n</i>", stops: powers(1, 9, 1), value: shown },
          { name: "a", label, least: 0, most: 1, step: 0.05, value: 0.5 },
          { name: "r", label: "alignment <i>ρ</i>", least: 0, most: 1, step: 0.01, value: 0 },
          { name: "seed", least: 0, most: 1e9, step: 1, value: 0 },
        ];
      }

      draw({ d, n, a, r, seed }) {
        // With |q| = √d a score is √d times a Gaussian number; an aligned key adds ρ|q|² and keeps the rest.
        const next = gaussian(seed);
        const others = Array.from(
          { length: n },
          (_, i) => (seed ? null : this.data.g[i]) ?? next(),
        );
        const own = r ? r * d + Math.sqrt((1 - r * r) * d) * others.pop() : undefined;
        const scores = others.map((g) => Math.sqrt(d) * g);
        if (r) scores.push(own);
        // After a draw the bars move from where they were, if there are as many.
        const time = this.calm ? 1 : Math.min(1, (performance.now() - this.drawn) / 600);
        const found = [...this.panel.querySelectorAll(".row")].map((row, i) => {
          const power = i && a;
          const weights = softmax(scores.map((score) => score / d ** power));
          const top = weights.indexOf(Math.max(...weights));
          const before = time < 1 && this.before[i].length === n ? this.before[i] : weights;
          const heights = weights.map((p, j) => p + (before[j] - p) * (1 - time) ** 2);
          const [first, second] = row.querySelectorAll(".bars path");
          first.setAttribute("d", bars(heights));
          second.setAttribute("d", r ? bars(heights.slice(-1), n - 1, n) : "");
          row.weights = weights;
          const ticks = (list) =>
            list.map((score) => `M${place(score / d ** power)} 0v40`).join("");
          const [all, mine] = row.querySelectorAll(".strip path");
          all.setAttribute("d", ticks(scores));
          mine.setAttribute("d", r ? ticks([own]) : "");
          const name = i ? (NAMES[a] ?? `÷ d^${a}`) : NAMES[0];
          if (i) {
            row.className = `row ${{ 0: "C1", 0.5: "C0", 1: "C2" }[a] ?? "C3"}`;
            const by = +(d ** a).toFixed(d ** a < 100 ? 1 : 0);
            row.firstChild.innerHTML = a
              ? `Divided by ${{ 0.5: "√d", 1: "d" }[a] ?? `d<sup>${a}</sup>`} = ${by}`
              : "Undivided";
          }
          const who = r ? "the aligned key" : `key ${top + 1}`;
          const share = weights[r ? n - 1 : top];
          const keys = asIf(weights, `${n} keys`);
          row.querySelector(".axis").textContent = `keys 1 to ${n}, in one draw`;
          row.querySelector("b").textContent = percent(share);
          row.querySelector("span").innerHTML = `goes to ${who}<br>${keys}`;
          return `${name}: ${percent(share)} of the attention goes to ${who}, ${keys}`;
        });
        if (time < 1) this.frame ??= requestAnimationFrame(() => this.show());
        return `${found.join("; ")}.`;
      }

      again() {
        this.before = [...this.panel.querySelectorAll(".row")].map(({ weights }) => weights);
        this.drawn = performance.now();
        this.values = { seed: this.values.seed + 1 };
      }
    },
  );
}
