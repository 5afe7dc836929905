// The phase plane: where the scores of n keys in d dimensions, divided by d to the power a, freeze.
{
  const KEYS = 14; // octaves across, from 2 keys
  const DIMS = 10; // octaves upwards, from 1 dimension
  const across = (n) => (Math.log2(n) - 1) / (KEYS - 1);
  const upwards = (variance) => Math.max(0, Math.min(1, Math.log2(variance) / DIMS));
  const ticks = (list, at, side) => list.map((x) => `<i data-${side}="${at(x)}">${x}</i>`).join("");

  explorable(
    "why-plane",
    class extends Explorable {
      static title = "The phase plane";
      static inputs = [
        {
          name: "n",
          label: "keys <i>n</i>",
          least: 1,
          most: KEYS,
          step: 0.5,
          value: 9,
          power: true,
        },
        {
          name: "d",
          label: "dimensions <i>d</i>",
          least: 0,
          most: DIMS,
          step: 0.1,
          value: 6,
          power: true,
        },
        {
          name: "a",
          label: "divisor <i>dᵃ</i>, <i>a</i>",
          least: 0,
          most: 0.5,
          step: 0.05,
          value: 0,
        },
        { name: "v", value: 1 },
      ];

      get stage() {
        return `<p class="axis"><span>↑ variance of undivided scores: <i>d</i>, if <i>q</i> and <i>k</i> have variance 1</span></p>
        <div class="plane"><div class="map"><canvas width="66" height="51" aria-hidden="true"></canvas>
        <svg viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true"><path/></svg><em class="frozen">frozen: a few keys take all</em><em>shared: many keys take part</em>${this.data.models
          .slice(0, -1)
          .map(
            ([name, n, d, v]) =>
              `<i class="pin" data-left="${across(n)}" data-bottom="${upwards(v * d)}">${name}</i>`,
          )
          .join("")}<b class="point"></b></div>
        <p class="keys" aria-hidden="true">${ticks([2, 16, 512, 16384], across, "left")}<i>keys →</i></p>
        <p class="dims" aria-hidden="true">${ticks([1, 4, 16, 64, 256, 1024], upwards, "bottom")}</p></div>
        <p class="legend"><i class="border">border</i> <i class="own">your point</i> <i class="dark">a model, frozen</i> <i>shared</i> <span>Both axes are logarithmic.</span></p>
        <p class="found"><b></b> <span></span></p>
        <p class="axis"><span>weights of the 32 largest keys</span></p><svg class="bars" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path/></svg>`;
      }

      get acts() {
        // T5 has the divisor in its weights: its scores are shown undivided.
        const state = ([name, n, d, v]) => [
          name,
          `n=${n}&d=${d}&v=${v}${v * d === 1 ? "&a=0" : ""}`,
        ];
        return `${presets(Object.fromEntries(this.data.models.map(state)))}
        <input type="hidden" name="v" value="1">`;
      }

      prepare() {
        const map = this.at(".map");
        for (const side of ["left", "bottom"])
          for (const mark of this.panel.querySelectorAll(`[data-${side}]`))
            mark.style[side] = `${100 * mark.dataset[side]}%`;
        const drag = (event) => {
          if (!event.buttons) return;
          const box = map.getBoundingClientRect();
          this.values = {
            n: 2 ** (1 + ((KEYS - 1) * (event.clientX - box.left)) / box.width),
            d: 2 ** ((DIMS * (box.bottom - event.clientY)) / box.height) / this.values.v,
          };
        };
        map.addEventListener("pointermove", drag);
        map.addEventListener("pointerdown", (event) => {
          map.setPointerCapture(event.pointerId);
          drag(event);
        });
      }

      /** The mean largest weight of 2^keys keys whose scores have spread σ, between the values of the map. */
      mean(keys, sigma) {
        const { map } = this.data;
        const y = Math.max(0, Math.min(map.length - 1.001, (Math.log2(sigma) + 3) * 4));
        const x = Math.max(0, Math.min(KEYS - 1.001, keys - 1));
        const [i, j] = [Math.floor(y), Math.floor(x)];
        const row = (at) => map[at][j] + (map[at][j + 1] - map[at][j]) * (x - j);
        return (row(i) + (row(i + 1) - row(i)) * (y - i)) / 1000;
      }

      draw({ n, d, a, v }) {
        // The spread of scores whose variance is a power of 2 before they are divided by dᵃ.
        const sigma = (octaves) => v ** a * 2 ** (octaves * (0.5 - a));
        if (this.drawn !== `${a} ${v}`) {
          this.drawn = `${a} ${v}`;
          const canvas = this.at("canvas");
          const { width, height } = canvas;
          const context = canvas.getContext("2d");
          const image = context.createImageData(width, height);
          const colour = getComputedStyle(canvas).color.match(/\d+/g);
          for (let y = 0; y < height; y++)
            for (let x = 0; x < width; x++) {
              const at = 4 * (y * width + x);
              const weight = this.mean(
                1 + ((KEYS - 1) * x) / (width - 1),
                sigma(DIMS * (1 - y / (height - 1))),
              );
              image.data.set([...colour.slice(0, 3), 230 * weight], at);
            }
          context.putImageData(image, 0, 0);
          // The border, where v d^(1 − 2a) = 2 ln n, at the height of v d.
          const border = [];
          for (let x = 0; x <= 1000 && a < 0.5; x += 20) {
            const log =
              Math.log2((2 * Math.LN2 * (1 + (KEYS - 1) * (x / 1000))) / v ** (2 * a)) /
              (1 - 2 * a);
            border.push(`${x} ${(1000 - (1000 * log) / DIMS).toFixed(1)}`);
          }
          this.at(".map path").setAttribute("d", a < 0.5 ? `M${border.join("L")}` : "");
        }
        const point = this.at(".point");
        point.style.left = `${100 * across(n)}%`;
        point.style.bottom = `${100 * upwards(v * d)}%`;

        // A model stands where its undivided scores are, filled if after the division it would begin frozen.
        this.panel.querySelectorAll(".pin").forEach((pin, i) => {
          const [, keys, head, own] = this.data.models[i];
          pin.classList.toggle("frozen", own * head ** (1 - 2 * a) > 2 * Math.log(keys));
        });
        this.at("em.frozen").hidden = a > 0.4;
        for (const button of this.panel.querySelectorAll("button"))
          button.ariaPressed = `${button.value}&`.startsWith(`n=${n}&d=${d}&v=${v}&`);
        this.panel.className = `panel ${{ 0: "C1", 0.5: "C0" }[a] ?? "C3"}`;

        const spread = sigma(Math.log2(v * d));
        if (this.keys?.length !== n) {
          const next = gaussian(1);
          this.keys = Float64Array.from({ length: n }, next).sort().reverse();
        }
        const weights = softmax(this.keys.map((g) => spread * g));
        this.at(".bars path").setAttribute(
          "d",
          bars([...weights.subarray(0, 32)], 0, Math.min(32, n)),
        );
        const mean = this.mean(Math.log2(n), spread);
        const weight = mean < 0.00095 ? `${+(100 * mean).toPrecision(1)}%` : percent(mean);
        const [square, limit] = [spread ** 2, 2 * Math.log(n)].map((x) =>
          x < 1 ? +x.toPrecision(2) : x.toFixed(x < 100 ? 1 : 0),
        );
        const phase = spread ** 2 > 2 * Math.log(n) ? "frozen" : "shared";
        this.at(".found b").textContent = weight;
        this.at(".found span").innerHTML =
          `goes to one of ${n} keys, on average<br>${phase}: the scores have variance ${square}, and 2\u00a0ln\u00a0n is ${limit}`;
        return `${phase}: of ${n} keys in ${d} dimension${d > 1 ? "s" : ""} one gets ${weight} on average; variance ${square}, border ${limit}.`;
      }
    },
  );
}
