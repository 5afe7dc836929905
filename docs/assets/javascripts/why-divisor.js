// What a divisor and five measures do about the logit of one query and one key that every step raises.
{
  const short = (x) =>
    x.toLocaleString("en", {
      maximumSignificantDigits: 3,
      notation: x < 1e6 ? "standard" : "compact",
      compactDisplay: "long",
    });
  /** Write a power of ten as an axis does. */
  const power = (n) =>
    n < 4 ? `${10 ** n}` : `10${[...`${n}`].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
  const HUES = ["C1", "C0", "C4", "C2", "C3", "C5"];

  /** Give q·k after 0, 1, 2, …, `last` steps that move all coordinates by `rate`, towards a larger logit. */
  const climb = (start, last, rate, { norm, decay = 0, clip = Infinity }) => {
    const [q, k] = start.map((vector) => Float64Array.from(vector));
    const products = new Float64Array(last + 1);
    let [qq, kk, qk] = [1, 1, 0];
    for (let step = 0; step <= last; step++) {
      const move = step && rate;
      const back = qk > clip ? Math.sqrt(clip / qk) : 1;
      // With a norm, what lies along q or k changes nothing.
      const [alongQ, alongK] = norm ? [qk / qq, qk / kk] : [0, 0];
      qq = kk = qk = 0;
      for (let i = 0; i < q.length; i++) {
        const x = back * q[i];
        const y = back * k[i];
        q[i] = x + move * (Math.sign(y - alongQ * x) - decay * x);
        k[i] = y + move * (Math.sign(x - alongK * y) - decay * y);
        qq += q[i] * q[i];
        kk += k[i] * k[i];
        qk += q[i] * k[i];
      }
      products[step] = norm ? (q.length * qk) / Math.sqrt(qq * kk) : qk;
    }
    return products;
  };

  explorable(
    "why-divisor",
    class extends Explorable {
      static title = "A logit that every step raises";

      get inputs() {
        const label = "÷ <i>dᵃ</i>, exponent <i>a</i>";
        return [
          { name: "steps", label: "steps", stops: this.stops, value: 512 },
          { name: "a", label, least: 0, most: 1, step: 0.05, value: 0.5 },
          { name: "times", label: "rate, × ", stops: powers(0, 6, 1), value: 1 },
          { name: "by", least: 0, most: this.measures.length - 1, step: 1, value: 0 },
        ];
      }

      /** The steps at which the slider stops, and which are drawn: ten in an octave. */
      get stops() {
        return powers(...this.data.steps.map(Math.log2), 0.1);
      }

      /** How far to the right a step stands, from 0 to 1000. */
      across(step) {
        const [first, last] = this.data.steps;
        return ((1000 * Math.log(step / first)) / Math.log(last / first)).toFixed(1);
      }

      /** How far down a logit stands, from 0 to 100. */
      down(logit) {
        const [low, high] = this.data.logits;
        return (100 - (100 * Math.log(logit / low)) / Math.log(high / low)).toFixed(2);
      }

      get stage() {
        const [first, last] = this.data.steps;
        const [low, high] = this.data.logits.map(Math.log10);
        const sizes = Array.from({ length: Math.round(high - low) + 1 }, (_, i) =>
          power(Math.round(high) - i),
        );
        const ends = powers(Math.log2(first), Math.log2(last), 2);
        return `<p class="title"></p><p class="found"><b></b> <span></span></p>
        <p class="axis">logit over steps, both axes logarithmic; dotted: undivided</p><div class="chart"><div class="lines"><svg class="graph" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="at"/><path class="back"/><path class="bare"/>${HUES.map(
          (hue) => `<path class="faint ${hue}"/>`,
        ).join("")}<path class="now"/><path class="dots"/></svg>
        <b class="grip" aria-hidden="true"></b>
        <p class="sizes" aria-hidden="true">${sizes.map((size) => `<i>${size}</i>`).join("")}</p></div>
        <div class="lift" aria-hidden="true"><b class="reach">↕</b></div></div>
        <p class="ends" aria-hidden="true">${ends.map((step) => `<i data-left="${this.across(step) / 1000}">${step}</i>`).join("")}</p>`;
      }

      get measures() {
        const { decay, cap, clip } = this.data;
        return [
          "none",
          "QK-norm",
          "norm + gain",
          `soft cap ${cap}`,
          `QK-clip ${clip}`,
          `decay ${decay}`,
        ];
      }

      get acts() {
        return presets(Object.fromEntries(this.measures.map((name, i) => [name, `by=${i}`])));
      }

      prepare() {
        this.runs = {};
        this.at("[for$=times]").textContent += this.data.rate;
        this.panel.querySelectorAll("button").forEach((button, i) => {
          button.classList.add(HUES[i]);
        });
        // The line's dot is dragged along it, and its beginning up and down, by another exponent.
        const [lines, lift] = [this.at(".lines"), this.at(".lift")];
        const [first, last] = this.data.steps;
        this.drags(lines, (event) => {
          this.values = { steps: first * (last / first) ** shareAcross(lines, event) };
        });
        const beginning = ({ clientY }) => {
          const { bottom, height } = lift.getBoundingClientRect();
          const [low, high] = this.data.logits;
          const logit = low * (high / low) ** ((bottom - clientY) / height);
          const d = this.data.start[0].length;
          this.values = { a: this.values.a + Math.log(this.begun / logit) / Math.log(d) };
        };
        this.drags(lift, beginning, ".reach");
      }

      /** Give what `climb` gives, computed once. */
      run(rate, measure = {}) {
        const { start, steps } = this.data;
        return (this.runs[JSON.stringify([rate, measure])] ??= climb(
          start,
          steps[1],
          rate,
          measure,
        ));
      }

      draw({ steps, a, times, by }) {
        const { start, rate: one, decay, cap, clip } = this.data;
        const [first, end] = this.data.steps;
        const [, high] = this.data.logits;
        const d = start[0].length;
        const s = d ** a;
        const rate = one * times;
        const free = this.run(rate);
        const normed = this.run(rate, { norm: true });
        const clipped = this.run(rate, { clip: clip * s });
        const decayed = this.run(rate, { decay });
        const gain = (step) => 1 + rate * step;
        const logits = [
          (step) => free[step] / s,
          (step) => normed[step] / s,
          (step) => (gain(step) ** 2 * normed[step]) / s,
          (step) => cap * Math.tanh(free[step] / s / cap),
          (step) => clipped[step] / s, // before it is clipped
          (step) => decayed[step] / s,
        ];
        const line = (logit, last = end) => {
          const points = this.stops
            .filter((step) => step <= last && logit(step) <= high)
            .map((step) => `${this.across(step)} ${this.down(logit(step))}`);
          return points.length ? `M${points.join("L")}` : "";
        };
        const draw = (part, path) => this.at(part).setAttribute("d", path);
        this.panel.querySelectorAll(".faint").forEach((path, i) => {
          path.setAttribute("d", line(logits[i]));
        });
        const logit = logits[by](steps);
        const place = `${this.across(steps)} ${this.down(logit)}`;
        draw(
          ".bare",
          line((step) => free[step]),
        );
        draw(".now", line(logits[by], steps));
        draw(".dots", logit <= high ? `M${place}h0` : "");
        // Back to the step at which the same logit is reached without a divisor.
        const undivided = free.findIndex((product) => product >= free[steps] / s);
        const back =
          by || logit > high ? "" : `M${place}H${this.across(Math.max(first, undivided))}`;
        draw(".back", back);
        draw(".at", `M${this.across(steps)} 0V100`);
        const grip = this.at(".grip");
        grip.style.left = `${this.across(steps) / 10}%`;
        grip.style.translate = `${-this.across(steps) / 10}%`; // at either end it stays above the plot
        grip.textContent = `‹ ${counted(steps, "step")} ›`;
        this.begun = logits[by](first);
        this.at(".reach").style.top = `${this.down(this.begun)}%`;

        const verdict = [
          a
            ? `in ${short(steps / undivided)} times as many steps as without a divisor (${undivided})`
            : "nothing divides it, nothing holds it",
          `at most ${short(d / s)}, whatever the weights do`,
          `at most ${short(d / s)} × ${short(gain(steps))}², for the gains grow too`,
          `at most ${cap}; before the cap it is ${short(free[steps] / s)}`,
          logit > clip
            ? short(logit) === short(clip)
              ? "held there by the clip"
              : `then the clip takes it back to ${clip}, after each step`
            : `below ${clip} the clip does nothing`,
          `at most ${short(d / decay ** 2 / s)}: no weight passes 1/λ\u00a0=\u00a0${short(1 / decay)}`,
        ][by];
        const divisor = a ? `÷ ${{ 0.5: "√d", 1: "d" }[a] ?? `d^${a}`} = ${short(s)}` : "undivided";
        const measure = by ? `, ${this.measures[by]}` : a ? " alone" : "";
        // Which measure, its button says too; on a phone there is no room for both.
        const title = `logit after ${steps} steps of ${short(rate)}, ${divisor}`;
        this.at(".title").textContent = title;
        this.at(".found b").innerHTML = short(logit).replace(" million", "<small> million</small>");
        this.at(".found span").textContent = verdict;
        this.panel.className = `panel ${HUES[by]}`;
        return `${title}${measure}: ${short(logit)}; ${verdict}.`;
      }
    },
  );
}
