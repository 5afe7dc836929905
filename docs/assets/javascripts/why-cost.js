// What does a mistake cost? The measured loss of right weights over the factor on their logits, with a line to drag.
{
  // What the code multiplies q·k by, over 1/√d, for heads of d of which there are h.
  const FACTORS = {
    "times √d": (d) => d,
    "no scale": (d) => d ** 0.5,
    "1/√heads": (d, h) => (d / h) ** 0.5,
    "one fourth root": (d) => d ** 0.25,
    "log₂e too much": () => Math.LOG2E,
    "1/8, typed": (d) => d ** 0.5 / 8,
    "1/√width": (d, h) => h ** -0.5,
    "scaled twice": (d) => d ** -0.5,
  };
  const OWN = -1; // no kind: a factor that the reader drags to
  // A curve's colour and mark, as in the static figure.
  const CURVES = [
    ["C3", "M0-5.5L5.5 0 0 5.5-5.5 0z"],
    ["C2", "M0-5L5 4H-5z"],
    ["C1", "M-4-4h8v8h-8z"],
    ["C0", "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z"],
  ];
  const TICKS = { 0.25: "¼", 0.5: "½" };
  const short = (x) => String(+x.toPrecision(3));
  const signed = (x) => {
    const size = Math.abs(x).toFixed(2);
    return `${size === "0.00" ? "" : x < 0 ? "−" : "+"}${size}`;
  };
  const mark = (shape, x = 0, y = 0) => `<svg x="${x}%" y="${y}%"><path d="${shape}"/></svg>`;

  explorable(
    "why-cost",
    class extends Explorable {
      static title = "What a mistake costs";

      /** The factors that one can drag to: 32 in an octave, of those that were measured. */
      get stops() {
        const { factor: at } = this.data;
        const count = Math.round(32 * Math.log2(at.at(-1) / at[0]));
        return Array.from({ length: count + 1 }, (_, i) => +short(at[0] * 2 ** (i / 32)));
      }

      get inputs() {
        const { kinds } = this.data;
        const often = kinds.indexOf("1/√width");
        return [
          { name: "times", label: "factor", stops: this.stops, value: 1 },
          { name: "d", label: "head size <i>d</i>", stops: powers(4, 8, 1), value: 64 },
          { name: "h", label: "heads <i>h</i>", stops: powers(0, 7, 1), value: 8 },
          { name: "kind", least: OWN, most: kinds.length - 1, step: 1, value: often },
        ];
      }

      get acts() {
        return presets(Object.fromEntries(this.data.kinds.map((name, i) => [name, `kind=${i}`])));
      }

      /** How far to the right a factor stands, from 0 to 1. */
      across(factor) {
        const { factor: at } = this.data;
        return Math.log(factor / at[0]) / Math.log(at.at(-1) / at[0]);
      }

      /** How high a loss stands, in decades: the axis is straight up to `linear`, and logarithmic beyond. */
      height(loss) {
        const { linear, decades } = this.data;
        return loss < linear ? (decades * loss) / linear : decades + Math.log10(loss / linear);
      }

      /** Which loss stands at a height. */
      loss(height) {
        const { linear, decades } = this.data;
        return height < decades ? (linear * height) / decades : linear * 10 ** (height - decades);
      }

      /** How far down a height stands, from 0 to 100. */
      down(height) {
        const [low, high] = this.data.losses.map((loss) => this.height(loss));
        return (100 * (high - height)) / (high - low);
      }

      /** How high a curve stands: between two points that were measured, on the straight line that is drawn. */
      on(by, factor) {
        const { factor: at } = this.data;
        const i = at.findIndex((each, i) => i && each >= factor);
        const [from, to] = [by[i - 1], by[i]].map((loss) => this.height(loss));
        return from + ((to - from) * Math.log(factor / at[i - 1])) / Math.log(at[i] / at[i - 1]);
      }

      get stage() {
        const { factor: at, cost, error, ticks } = this.data;
        const x = (factor) => (1000 * this.across(factor)).toFixed(1);
        const y = (loss) => this.down(this.height(loss)).toFixed(2);
        const curves = Object.entries(cost).map(([name, by], row) => {
          const [hue, shape] = CURVES[row];
          const bars = at.map((factor, i) => {
            const off = error[name][i];
            return `M${x(factor)} ${y(by[i] - off)}V${y(by[i] + off)}`;
          });
          const points = at.map((factor, i) => `${x(factor)} ${y(by[i])}`);
          const marks = at.map((factor, i) => mark(shape, x(factor) / 10, y(by[i])));
          return [
            `<path class="errors ${hue}" d="${bars.join("")}"/><path class="curve ${hue}" d="M${points.join("L")}"/>`,
            `<g class="${hue}">${marks.join("")}</g>`,
          ];
        });
        const grid = ticks.map((loss) => `M0 ${y(loss)}H1000`).join("");
        const legend = Object.keys(cost).map(
          (name, row) =>
            `<span class="${CURVES[row][0]}"><svg viewBox="-7 -7 14 14" aria-hidden="true"><path d="${CURVES[row][1]}"/></svg> ${name} <b></b></span>`,
        );
        const ends = [0.25, 0.5, 1, 2, 4].map(
          (factor) => `<i data-left="${this.across(factor)}">${TICKS[factor] ?? factor}</i>`,
        );
        return `<p class="title"></p><p class="losing"></p><p class="costs">${legend.join("")}</p>
          <p class="axis">loss grows by (nats a token), over the factor on all logits</p>
          <div class="lines"><svg class="graph" aria-hidden="true">
          <svg viewBox="0 0 1000 100" preserveAspectRatio="none"><path class="grid" d="${grid}"/>${curves.map(([lines]) => lines).join("")}<path class="at"/></svg>
          ${curves.map(([, marks]) => marks).join("")}
          ${CURVES.map(([hue, shape]) => `<g class="rides ${hue}">${mark(shape)}</g>`).join("")}</svg>
          <b class="grip" aria-hidden="true"></b>
          <p class="sizes" aria-hidden="true">${ticks.map((loss) => `<i data-bottom="${1 - y(loss) / 100}">${loss}</i>`).join("")}</p></div>
          <p class="ends" aria-hidden="true">${ends.join("")}</p>
          <div class="split"><svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path class="C0"/><path class="C1"/></svg><p class="C0"></p><p class="C1"></p></div>`;
      }

      prepare() {
        for (const button of this.panel.querySelectorAll("[data-act=preset]"))
          button.insertAdjacentHTML("beforeend", "<small></small>");
        const lines = this.at(".lines");
        const [least, most] = [this.stops[0], this.stops.at(-1)];
        this.drags(lines, (event) => {
          const times = least * (most / least) ** shareAcross(lines, event);
          this.values = { kind: OWN, times };
        });
        // The slider stands where the line stands; who moves it has a factor of their own.
        this.at("[name=times]").addEventListener("input", () => (this.others.kind = OWN));
        this.at(".inputs p").after(this.at(".split"));
      }

      draw({ d, h, kind, times }) {
        const { kinds, row: scores, factor: at, cost } = this.data;
        const own = kind === OWN;
        const factor = own ? times : FACTORS[kinds[kind]](d, h);
        const end = Math.max(at[0], Math.min(at.at(-1), factor));
        const place = this.across(end);
        this.at("[name=times]").value = nearest(this.stops, end);

        const all = `all logits × ${short(factor)}`;
        const title = own ? `Your own factor: ${all}` : `${kinds[kind]}: ${all}`;
        this.at(".title").textContent = title;
        const losing =
          end === factor
            ? "What that costs right weights, in nats a token:"
            : `Measured from ${short(at[0])} to ${short(at.at(-1))}; at ${short(end)} right weights lose:`;
        this.at(".losing").textContent = losing;
        this.panel.classList.toggle("beyond", end !== factor);
        const costs = Object.entries(cost).map(([model, by], row) => {
          const height = this.on(by, end);
          const ride = this.at(`.rides.${CURVES[row][0]} svg`);
          ride.setAttribute("x", `${(100 * place).toFixed(2)}%`);
          ride.setAttribute("y", `${this.down(height).toFixed(2)}%`);
          const grown = signed(this.loss(height));
          this.at(`.costs .${CURVES[row][0]} b`).textContent = grown;
          return `${model} ${grown}`;
        });
        this.at(".at").setAttribute("d", `M${(1000 * place).toFixed(1)} 0V100`);
        const grip = this.at(".grip");
        grip.style.left = `${100 * place}%`;
        grip.style.translate = `${-100 * place}%`; // at either end it stays above the plot
        const [before, after] = factor < end ? "← " : factor > end ? [" ", "→"] : "‹›";
        grip.textContent = `${before} × ${short(factor)} ${after}`.trim();

        // Our row, the keys in their order: as it should be, and the outline of what the factor makes of it.
        const rows = [
          ["right", 1],
          ["here", factor],
        ].map(([name, by], row) => {
          const weights = softmax(scores.map((score) => score * by));
          this.at(`.split path.C${row}`).setAttribute("d", outline(weights));
          const said = `${name}: ${toOne(weights)}`;
          this.at(`.split p.C${row}`).textContent = said;
          return said;
        });
        this.panel.querySelectorAll("[data-act=preset] small").forEach((small, i) => {
          small.textContent = `× ${short(FACTORS[kinds[i]](d, h))}`;
        });
        return `${title}. ${losing} ${costs.join("; ")}. A row, ${rows.join(". ")}.`;
      }
    },
  );
}
