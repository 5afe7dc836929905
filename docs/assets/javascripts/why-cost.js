// What does a mistake cost? The factor by which it changes logits, a row of weights, and the loss of right weights.
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
  const row = (
    name,
  ) => `<section class="row ${name}"><p class="title"></p><p class="found"><b></b> <span></span></p>
    <div class="shares"><svg class="bars" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path/></svg>
    <i aria-hidden="true">100%</i><i aria-hidden="true">50%</i></div></section>`;
  const short = (x) => String(+x.toPrecision(3));
  const signed = (x) => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(2)}`;

  explorable(
    "why-cost",
    class extends Explorable {
      static title = "What a mistake costs";
      stage = `<div class="rows">${row("C0")}${row("C1")}</div><p class="costs"></p>`;

      get inputs() {
        const { kinds } = this.data;
        const twice = kinds.indexOf("scaled twice");
        return [
          { name: "d", label: "head size <i>d</i>", stops: powers(4, 8, 1), value: 64 },
          { name: "h", label: "heads <i>h</i>", stops: powers(0, 7, 1), value: 8 },
          { name: "kind", least: 0, most: kinds.length - 1, step: 1, value: twice },
        ];
      }

      get acts() {
        return presets(Object.fromEntries(this.data.kinds.map((name, i) => [name, `kind=${i}`])));
      }

      /** Give what a factor costs a model: between two that were measured, by a straight line in its logarithm. */
      cost(by, factor) {
        const { factor: at } = this.data;
        const i = at.findIndex((each, i) => i && each >= factor);
        const share = Math.log(factor / at[i - 1]) / Math.log(at[i] / at[i - 1]);
        return by[i - 1] + share * (by[i] - by[i - 1]);
      }

      draw({ d, h, kind }) {
        const { kinds, row: scores, factor: at, cost } = this.data;
        const name = kinds[kind];
        const factor = FACTORS[name](d, h);
        const rows = [
          [1, "Right: divided by √d"],
          [factor, `${name}: logits × ${short(factor)}`],
        ];
        const said = rows.map(([by, title], i) => {
          const shown = this.panel.querySelectorAll(".row")[i];
          const weights = softmax(scores.map((score) => score * by));
          const keys = asIf(weights, `${scores.length} keys`);
          shown.querySelector("path").setAttribute("d", bars(weights));
          shown.querySelector(".title").textContent = title;
          shown.querySelector("b").textContent = percent(weights[0]);
          shown.querySelector("span").innerHTML = `goes to one key<br>${keys}`;
          return `${title}, ${percent(weights[0])} goes to one key, ${keys}`;
        });
        const [least, most] = [at[0], at.at(-1)];
        const measured = factor >= least && factor <= most;
        const end = factor < least ? least : most;
        const costs = Object.entries(cost).map(
          ([model, by]) => `${model} ${signed(this.cost(by, measured ? factor : end))}`,
        );
        const ended = measured ? "" : ` (at ${short(end)}, where measuring ended)`;
        const lost = `Loaded into it, right weights lose, in nats a token: ${costs.join("; ")}${ended}.`;
        this.at(".costs").textContent = lost;
        return `${said.join(". ")}. ${lost}`;
      }
    },
  );
}
