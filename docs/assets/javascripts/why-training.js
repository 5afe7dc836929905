// Which divisor keeps what: the logits of a layer at the start, and what its steps add, over the head dimension.
{
  const short = (size) => (size ? size.toPrecision(size < 0.0995 ? 1 : 2) : "0");
  const compared = (ratio) => {
    if (!isFinite(ratio)) return "0 for all";
    if (Math.abs(Math.log(ratio)) < 0.11) return "alike";
    return ratio > 1 ? `${ratio.toFixed(1)} times` : `1/${(1 / ratio).toFixed(1)}`;
  };
  const choice = (name, title, names) =>
    presets(Object.fromEntries(names.map((each, i) => [each, `${name}=${i}`])), title);

  explorable(
    "why-training",
    class extends Explorable {
      static title = "Which divisor keeps what";

      get inputs() {
        const { dims, added, divisors, starts } = this.data;
        const most = added[0][0][0].length - 1;
        const label = `from <i>d</i> = ${dims[0]} to`;
        return [
          { name: "steps", label: "training steps", least: 0, most, step: 1, value: most },
          { name: "d", label, stops: dims.slice(1), value: dims.at(-1) },
          { name: "by", least: 0, most: divisors.length - 1, step: 1, value: 1 },
          { name: "zero", least: 0, most: starts.length - 1, step: 1, value: 0 },
        ];
      }

      get stage() {
        const [low, high] = this.data.sizes.map(Math.log10).map(Math.round);
        const sizes = Array.from({ length: high - low + 1 }, (_, i) => +`1e${high - i}`);
        return `<p class="axis">size of the logits over the head dimension <i>d</i>, both axes logarithmic</p><div class="lines"><svg class="graph" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="at"/>${["C0", "C1"].map((hue) => `<path class="${hue}"/><path class="dots ${hue}"/>`).join("")}</svg>
        <b class="handle"></b><p class="sizes" aria-hidden="true">${sizes.map((size) => `<i>${size}</i>`).join("")}</p></div>
        <p class="ends" aria-hidden="true">${this.data.dims.map((size) => `<i data-left="${this.across(size) / 1000}">${size}</i>`).join("")}</p>
        <div class="pair"><p class="of"><span></span><b></b><em></em></p>${["C0", "C1"].map((hue) => `<p class="${hue}"><span></span><b></b><em></em></p>`).join("")}</div>`;
      }

      /** Give the markup of a slider; what plays the steps stands before theirs. */
      slider(input) {
        const play = `<button type="button" data-act="play"></button>`;
        return (input.name === "steps" ? play : "") + super.slider(input);
      }

      get acts() {
        const { divisors, starts } = this.data;
        return choice("by", "divided by", divisors) + choice("zero", "queries begin", starts);
      }

      /** How far to the right a head dimension stands, from 0 to 1000. */
      across(size) {
        const [least, most] = [this.data.dims[0], this.data.dims.at(-1)];
        return +((1000 * Math.log(size / least)) / Math.log(most / least)).toFixed(1);
      }

      /** How far down a size stands, from 0 to 100. */
      down(size) {
        const [low, high] = this.data.sizes;
        return (100 - (100 * Math.log(size / low)) / Math.log(high / low)).toFixed(2);
      }

      prepare() {
        const { dims } = this.data;
        const plot = this.at(".lines");
        this.drags(plot, (event) => {
          this.values = { d: dims[0] * (dims.at(-1) / dims[0]) ** shareAcross(plot, event) };
        });
        // A hand on anything else ends what plays.
        for (const event of ["pointerdown", "input", "click"])
          this.panel.addEventListener(event, ({ target }) => {
            if (!target.closest("[data-act=play]")) this.stop();
          });
      }

      /** Take the steps one after another, from where they stand, or from 0; or pause. */
      play() {
        const { most } = this.inputs[0];
        if (this.playing) return this.stop();
        if (this.calm) {
          this.values = { steps: most };
          return;
        }
        if (this.values.steps === most) this.values = { steps: 0 };
        this.playing = setInterval(() => {
          const { steps } = this.values;
          if (steps < most) this.values = { steps: this.calm ? most : steps + 1 };
          else this.stop();
        }, 3000 / most);
        this.show();
      }

      stop() {
        if (!this.playing) return;
        clearInterval(this.playing);
        this.playing = undefined;
        this.show();
      }

      draw({ steps, d, by, zero }) {
        const { dims, divisors, start, added } = this.data;
        const sizes = [
          dims.map((_, i) => (zero ? 0 : start[by][i])),
          dims.map((_, i) => added[by][zero][i][steps]),
        ];
        const across = dims.map((size) => this.across(size));
        const here = dims.indexOf(d);
        this.at(".at").setAttribute("d", `M${across[here]} 0V100M0 0V100`);
        this.at(".handle").style.left = `${across[here] / 10}%`;
        const play = this.at("[data-act=play]");
        play.textContent = this.playing ? "Pause" : "Train";
        // At once there is only the end, and nothing to do there.
        play.disabled = this.calm && steps === this.inputs[0].most;
        this.classList.toggle("playing", !!this.playing);
        const names = ["at the start", `added in ${counted(steps, "step")}`];
        const said = sizes.map((size, row) => {
          const at = size.map((x, i) => `${across[i]} ${this.down(x)}`);
          const [line, dots] = this.panel.querySelectorAll(`.graph .C${row}`);
          line.setAttribute("d", size[0] ? `M${at.join("L")}` : "");
          dots.setAttribute("d", size[0] ? at.map((place) => `M${place}h0`).join("") : "");
          const [name, values, verdict] = this.panel.querySelectorAll(`.pair .C${row} > *`);
          name.textContent = names[row];
          values.textContent = `${short(size[0])} → ${short(size[here])}`;
          verdict.textContent = compared(size[here] / size[0]);
          return `${names[row]}: ${values.textContent}, ${verdict.textContent}`;
        });
        this.at(".of b").textContent = `d = ${dims[0]} → ${d}`;
        return `From d = ${dims[0]} to ${d}, divided by ${divisors[by]}. ${said.join(". ")}.`;
      }
    },
  );
}
