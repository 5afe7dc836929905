// Which divisor keeps what: the logits of a layer at the start, and what its steps add, over the head dimension.
{
  const DIVISORS = ["nothing", "√d", "d"];
  const STARTS = ["random", "<i>W<sub>Q</sub></i> = 0"];
  const [LEAST, MOST] = [0.01, 100]; // of the axis
  const up = (size) => 100 - (100 * Math.log(size / LEAST)) / Math.log(MOST / LEAST);
  const short = (size) => (size ? size.toPrecision(size < 0.0995 ? 1 : 2) : "0");
  const compared = (ratio) => {
    if (!isFinite(ratio)) return "0 for all";
    if (Math.abs(Math.log(ratio)) < 0.11) return "alike";
    return ratio > 1 ? `${ratio.toFixed(1)} times` : `1/${(1 / ratio).toFixed(1)}`;
  };
  const choice = (act, title, names) =>
    `<p class="acts"><span>${title}</span>${names
      .map((name, i) => `<button type="button" data-act="${act}" value="${i}">${name}</button>`)
      .join("")}<input type="hidden" name="${act}" value="${act === "by" ? 1 : 0}"></p>`;

  explorable(
    "why-training",
    class extends Explorable {
      static title = "Which divisor keeps what";
      static inputs = [
        { name: "steps", label: "steps of training", least: 0, most: 10, step: 1, value: 10 },
        {
          name: "d",
          label: "compare <i>d</i> = 16 with",
          least: 5,
          most: 9,
          step: 1,
          value: 9,
          power: true,
        },
        { name: "by", value: 1 },
        { name: "zero", value: 0 },
      ];

      stage = `<p class="axis">size of the logits over the head dimension <i>d</i>, both axes logarithmic</p><div class="lines"><svg class="graph" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="at"/>${["C0", "C1"].map((hue) => `<path class="${hue}"/><path class="dots ${hue}"/>`).join("")}</svg>
        <p class="sizes" aria-hidden="true">${[100, 10, 1, 0.1, 0.01].map((size) => `<i>${size}</i>`).join("")}</p></div>
        <p class="ends" aria-hidden="true"></p>
        <div class="pair"><p class="of"><span></span><b></b><em></em></p>${["C0", "C1"].map((hue) => `<p class="${hue}"><span></span><b></b><em></em></p>`).join("")}</div>`;

      acts = choice("by", "divided by", DIVISORS) + choice("zero", "queries begin", STARTS);

      by({ value }) {
        this.values = { by: value };
      }

      zero({ value }) {
        this.values = { zero: value };
      }

      draw({ steps, d, by, zero }) {
        const { dims, start, added } = this.data;
        const sizes = [
          dims.map((_, i) => (zero ? 0 : start[by][i])),
          dims.map((_, i) => added[by][zero][i][steps]),
        ];
        const across = dims.map((_, i) => (1000 * i) / (dims.length - 1));
        const here = dims.indexOf(d);
        this.at(".at").setAttribute("d", `M${across[here]} 0V100M0 0V100`);
        const names = ["at the start", `added in ${steps} ${steps === 1 ? "step" : "steps"}`];
        const said = sizes.map((size, row) => {
          const at = size.map((x, i) => `${across[i]} ${up(x).toFixed(2)}`);
          const [line, dots] = this.panel.querySelectorAll(`.graph .C${row}`);
          line.setAttribute("d", size[0] ? `M${at.join("L")}` : "");
          dots.setAttribute("d", size[0] ? at.map((place) => `M${place}h0`).join("") : "");
          const [name, values, verdict] = this.panel.querySelectorAll(`.pair .C${row} > *`);
          name.textContent = names[row];
          values.textContent = `${short(size[0])} → ${short(size[here])}`;
          verdict.textContent = compared(size[here] / size[0]);
          return `${names[row]}: ${values.textContent}, ${verdict.textContent}`;
        });
        this.at(".of b").textContent = `d = 16 → ${d}`;
        this.at(".ends").innerHTML = dims.map((size) => `<i>${size}</i>`).join("");
        for (const button of this.panel.querySelectorAll("button"))
          button.ariaPressed = +button.value === (button.dataset.act === "by" ? by : zero);
        return `From d = 16 to ${d}, divided by ${DIVISORS[by]}. ${said.join(". ")}.`;
      }
    },
  );
}
