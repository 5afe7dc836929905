// The phase plane: where the scores of n keys in d dimensions, divided by d to the power a, freeze.
{
  const MARKS = 5; // colours in an octave
  const octaves = ([least, most]) => Math.log2(most / least);
  const ends = (list) => [list[0], list.at(-1)];
  const ticks = (list, side) => list.map(([at, x]) => `<i data-${side}="${at}">${x}</i>`).join("");
  const within = (share) => Math.max(0, Math.min(1, share));
  const rounded = (x) => (x < 1 ? +x.toPrecision(2) : x.toFixed(x < 100 ? 1 : 0));

  // Where a model begins. T5 has the divisor in its weights: its scores are shown undivided.
  const begun = (n, d, v) => `n=${n}&d=${d}&v=${v}${v * d === 1 ? "&a=0" : ""}`;

  /** Give the value at a place between four values that stand one apart, at −1, 0, 1 and 2 (a cubic through them). */
  const cubic = ([a, b, c, d], x) =>
    (-a * x * (x - 1) * (x - 2)) / 6 +
    (b * (x + 1) * (x - 1) * (x - 2)) / 2 -
    (c * (x + 1) * x * (x - 2)) / 2 +
    (d * (x + 1) * x * (x - 1)) / 6;

  explorable(
    "why-plane",
    class extends Explorable {
      static title = "The phase plane";

      // The axes are the snippet's: keys across, dimensions upwards, and the spreads at which the map knows the weight.
      get inputs() {
        const { keys, dims, spreads } = this.data;
        const [least, most] = ends(spreads);
        const stops = powers(Math.log2(dims[0]), Math.log2(dims[1]), 0.1);
        const label = "divisor <i>dᵃ</i>, <i>a</i>";
        return [
          { name: "n", label: "keys <i>n</i>", stops: keys, value: 512 },
          { name: "d", label: "dimensions <i>d</i>", stops, value: 64 },
          { name: "a", label, least: 0, most: 0.5, step: 0.05, value: 0 },
          // Var q · Var k, such that every spread lies on the map.
          { name: "v", least: least ** 2 / dims[0], most: most ** 2 / dims[1], value: 1 },
        ];
      }

      /** How far to the right a number of keys stands, from 0 to 1. */
      across(n) {
        const [least, most] = ends(this.data.keys);
        return Math.log(n / least) / Math.log(most / least);
      }

      /** How far up a variance of undivided scores stands, from 0 to 1. */
      upwards(variance) {
        const [least, most] = this.data.dims;
        return within(Math.log(variance / least) / Math.log(most / least));
      }

      get stage() {
        const { keys, dims, models } = this.data;
        const [wide, high] = [octaves(ends(keys)), octaves(dims)];
        const up = powers(Math.log2(dims[0]), Math.log2(dims[1]), 2);
        // A name for every fourth column, and for the last.
        const named = keys.filter((n, i) => i % 4 === 0 && this.across(n) < 0.8);
        const right = [...named, keys.at(-1)];
        return `<p class="axis"><span>↑ variance of undivided scores: <i>d</i>, if <i>q</i> and <i>k</i> have variance 1</span></p>
        <div class="plane"><div class="map"><canvas width="${MARKS * wide + 1}" height="${MARKS * high + 1}" aria-hidden="true"></canvas>
        <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true"><path/></svg><em class="frozen">frozen: the top keys take all</em><em>shared: many keys take part</em>${models
          .slice(0, -1)
          .map(
            ([name, n, d, v]) =>
              `<button type="button" class="pin" tabindex="-1" data-act="preset" value="${begun(n, d, v)}" data-left="${this.across(n)}" data-bottom="${this.upwards(v * d)}">${name}</button>`,
          )
          .join("")}<b class="point"></b></div>
        <p class="keys" aria-hidden="true">${ticks(
          right.map((n) => [this.across(n), n]),
          "left",
        ).replace("</i>", " keys</i>")}</p>
        <p class="dims" aria-hidden="true">${ticks(
          up.map((d) => [this.upwards(d), d]),
          "bottom",
        )}</p></div>
        <p class="legend"><i class="border">where rows freeze</i> <i class="own">your point</i> <i class="dark">a model, frozen</i> <i class="bright">shared</i> <i class="other">of another variance than the map</i></p>
        <p class="found"><b></b> <span></span></p>
        <p class="axis"><span class="drawn"></span></p><svg class="bars" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path/></svg>`;
      }

      get acts() {
        return presets(
          Object.fromEntries(this.data.models.map(([name, n, d, v]) => [name, begun(n, d, v)])),
        );
      }

      prepare() {
        const { map, dims, keys } = this.data;
        // What is nearly straight between two places of the map: the logarithm of the odds.
        this.odds = map.map((row) => row.map((weight) => Math.log(weight / (1 - weight))));
        // Its colour fades, for a moment, to that of another palette (explorable.css).
        this.at("canvas").addEventListener("transitionend", () => {
          this.drawn = undefined;
          this.show();
        });
        const area = this.at(".map");
        this.drags(
          area,
          (event) => {
            const box = area.getBoundingClientRect();
            const right = within((event.clientX - box.left) / box.width);
            const up = within((box.bottom - event.clientY) / box.height);
            this.values = {
              n: keys[0] * 2 ** (right * octaves(ends(keys))),
              d: (dims[0] * 2 ** (up * octaves(dims))) / this.values.v,
            };
          },
          ".point",
        );
      }

      /** The mean largest weight at a column of the map, for scores of spread σ. */
      mean(column, sigma) {
        const { spreads } = this.data;
        let low = spreads.findLastIndex((spread) => spread <= sigma * (1 + 1e-9));
        low = Math.max(1, Math.min(spreads.length - 3, low));
        const share = Math.log(sigma / spreads[low]) / Math.log(spreads[low + 1] / spreads[low]);
        const four = [-1, 0, 1, 2].map((i) => this.odds[low + i][column]);
        return 1 / (1 + Math.exp(-cubic(four, share)));
      }

      /** Colour the map for scores of variance v that are divided by dᵃ, and draw where rows freeze. */
      paint(v, a) {
        const { keys, dims } = this.data;
        const canvas = this.at("canvas");
        const { width, height } = canvas;
        const context = canvas.getContext("2d");
        const image = context.createImageData(width, height);
        const colour = getComputedStyle(canvas).color.match(/\d+/g).slice(0, 3);
        const columns = keys.map((n) => this.across(n) * (width - 1));
        for (let y = 0; y < height; y++) {
          const sigma = this.spread(dims[0] * 2 ** ((height - 1 - y) / MARKS), v, a);
          const row = keys.map((_, column) => this.mean(column, sigma));
          for (let x = 0; x < width; x++) {
            const right = Math.max(
              1,
              columns.findIndex((column) => column >= x),
            );
            const [one, other] = [columns[right - 1], columns[right]];
            const share = (x - one) / (other - one);
            const weight = row[right - 1] * (1 - share) + row[right] * share;
            image.data.set([...colour, 230 * weight], 4 * (y * width + x));
          }
        }
        context.putImageData(image, 0, 0);

        // Where σ² = 2 ln n. At a = ½ it is v at every height, and the curve, if any, goes straight up.
        const [few, many] = ends(keys);
        const curve = [];
        for (let x = 0; x <= 1000 && a < 0.5; x += 20) {
          const limit = 2 * Math.log(few * (many / few) ** (x / 1000));
          const variance = (limit / v ** (2 * a)) ** (1 / (1 - 2 * a));
          const up = Math.log(variance / dims[0]) / Math.log(dims[1] / dims[0]);
          curve.push(`${x} ${(1000 - 1000 * up).toFixed(1)}`);
        }
        const straight = (1000 * this.across(Math.exp(v / 2))).toFixed(1);
        const path = a < 0.5 ? `M${curve.join("L")}` : straight > 0 ? `M${straight} 0V1000` : "";
        this.at(".map path").setAttribute("d", path);
      }

      /** The spread, after the division by dᵃ, of scores that have a variance of v d before it. */
      spread(variance, v, a) {
        return v ** a * variance ** (0.5 - a);
      }

      draw({ n, d, a, v }) {
        if (this.drawn !== `${a} ${v}`) {
          this.drawn = `${a} ${v}`;
          this.paint(v, a);
        }
        const point = this.at(".point");
        point.style.left = `${100 * this.across(n)}%`;
        point.style.bottom = `${100 * this.upwards(v * d)}%`;

        // A model stands where its undivided scores are, filled if after the division it would begin frozen. Once there is
        // a divisor, the map is that of one variance of q and k: dashed is a model with another.
        this.panel.querySelectorAll(".pin").forEach((pin, i) => {
          const [, keys, head, own] = this.data.models[i];
          pin.classList.toggle("other", a > 0 && own !== v);
          pin.classList.toggle("frozen", own * head ** (1 - 2 * a) > 2 * Math.log(keys));
        });
        this.at("em.frozen").hidden = a > 0.4;
        // The legend names what is drawn.
        const drawn = { border: ".map path:not([d=''])", dark: ".pin.frozen" };
        for (const [name, part] of Object.entries(drawn))
          this.at(`.legend .${name}`).style.visibility = this.at(part) ? "" : "hidden";
        this.panel.className = `panel ${{ 0: "C1", 0.5: "C0" }[a] ?? "C3"}`;

        const spread = this.spread(v * d, v, a);
        if (this.keys?.length !== n) {
          const next = gaussian(1);
          this.keys = Float64Array.from({ length: n }, next).sort().reverse();
        }
        const weights = softmax(this.keys.map((g) => spread * g));
        const most = Math.min(32, n);
        this.at(".bars path").setAttribute("d", bars([...weights.subarray(0, most)], 0, most));
        this.at(".drawn").textContent =
          `one draw: its ${most} largest weights, the first ${percent(weights[0])}`;
        const weight = percent(this.mean(this.data.keys.indexOf(n), spread));
        const [square, limit] = [spread ** 2, 2 * Math.log(n)].map(rounded);
        const phase = spread ** 2 > 2 * Math.log(n) ? "frozen" : "shared";
        this.at(".found b").textContent = weight;
        this.at(".found span").innerHTML =
          `goes to one of ${n} keys, on average<br>${phase}: the scores have variance ${square}, and 2\u00a0ln\u00a0n is ${limit}`;
        return `${phase}: of ${n} keys in ${counted(d, "dimension")} one gets ${weight} on average; variance ${square}, freezing variance ${limit}.`;
      }
    },
  );
}
