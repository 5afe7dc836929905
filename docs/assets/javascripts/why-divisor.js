// What a divisor and five measures do about the logit of one query and one key that every step raises.
{
  const [FIRST, MOST] = [16, 4096]; // steps
  // Those that are drawn; the slider stops at each.
  const STEPS = Array.from({ length: 81 }, (_, i) => Math.round(FIRST * 2 ** (i / 10)));
  const [LOW, HIGH] = [0.1, 1e5]; // logits on the axis
  const across = (step) => ((1000 * Math.log(step / FIRST)) / Math.log(MOST / FIRST)).toFixed(1);
  const up = (logit) => (100 - (100 * Math.log(logit / LOW)) / Math.log(HIGH / LOW)).toFixed(2);
  const short = (x) =>
    x.toLocaleString("en", {
      maximumSignificantDigits: 3,
      notation: x < 1e6 ? "standard" : "compact",
      compactDisplay: "long",
    });
  const HUES = ["C1", "C0", "C4", "C2", "C3", "C5"];

  /** Give q·k after 0, 1, 2, … steps that move all coordinates by `rate`, towards a larger logit. */
  const climb = (start, rate, { norm, decay = 0, clip = Infinity }) => {
    const [q, k] = start.map((vector) => Float64Array.from(vector));
    const products = new Float64Array(MOST + 1);
    let [qq, kk, qk] = [1, 1, 0];
    for (let step = 0; step <= MOST; step++) {
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
      static inputs = [
        { name: "steps", label: "steps", least: 4, most: 12, step: 0.1, value: 9, power: true },
        {
          name: "a",
          label: "÷ <i>dᵃ</i>, exponent <i>a</i>",
          least: 0,
          most: 1,
          step: 0.05,
          value: 0.5,
        },
        { name: "times", label: "rate, × ", least: 0, most: 6, step: 1, value: 0, power: true },
        { name: "by", value: 0 },
      ];

      stage = `<p class="title"></p><p class="found"><b></b> <span></span></p>
        <p class="axis">logit over steps, both axes logarithmic; dotted: undivided</p><div class="lines"><svg class="graph" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="at"/><path class="bare"/>${HUES.map(
          (hue) => `<path class="faint ${hue}"/>`,
        ).join("")}<path class="now"/><path class="dots"/></svg>
        <p class="sizes" aria-hidden="true">${["10⁵", "10⁴", 1000, 100, 10, 1, 0.1].map((size) => `<i>${size}</i>`).join("")}</p></div>
        <p class="ends" aria-hidden="true">${[16, 64, 256, 1024, 4096].map((step) => `<i>${step}</i>`).join("")}</p>`;

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
        return `${presets(Object.fromEntries(this.measures.map((name, i) => [name, `by=${i}`])))}
        <input type="hidden" name="by" value="0">`;
      }

      prepare() {
        this.runs = {};
        this.at("[for$=times]").textContent += this.data.rate;
        this.panel.querySelectorAll("button").forEach((button, i) => {
          button.classList.add(HUES[i]);
        });
      }

      /** Give what `climb` gives, computed once. */
      run(rate, measure = {}) {
        const { start } = this.data;
        return (this.runs[JSON.stringify([rate, measure])] ??= climb(start, rate, measure));
      }

      draw({ steps, a, times, by }) {
        const { start, rate: one, decay, cap, clip } = this.data;
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
        const line = (logit, last = MOST) => {
          const points = STEPS.filter((step) => step <= last && logit(step) <= HIGH).map(
            (step) => `${across(step)} ${up(logit(step))}`,
          );
          return points.length ? `M${points.join("L")}` : "";
        };
        const draw = (part, path) => this.at(part).setAttribute("d", path);
        this.panel.querySelectorAll(".faint").forEach((path, i) => {
          path.setAttribute("d", line(logits[i]));
        });
        const logit = logits[by](steps);
        const place = `${across(steps)} ${up(logit)}`;
        draw(
          ".bare",
          line((step) => free[step]),
        );
        draw(".now", line(logits[by], steps));
        draw(".dots", logit <= HIGH ? `M${place}h0` : "");
        // Back to the step at which the same logit is reached without a divisor.
        const undivided = free.findIndex((product) => product >= free[steps] / s);
        const back = by || logit > HIGH ? "" : `M${place}H${across(Math.max(FIRST, undivided))}`;
        draw(".at", `M${across(steps)} 0V100${back}`);

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
        const title = `${divisor}${measure}, ${steps} steps of ${short(rate)}`;
        this.at(".title").textContent = title;
        this.at(".found b").innerHTML = short(logit).replace("million", "<small>million</small>");
        this.at(".found span").textContent = verdict;
        for (const button of this.panel.querySelectorAll("button"))
          button.ariaPressed = button.value === `by=${by}`;
        this.panel.className = `panel ${HUES[by]}`;
        return `${title}: ${short(logit)}; ${verdict}.`;
      }
    },
  );
}
