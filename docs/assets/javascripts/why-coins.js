// Coins to toss: d of them are a walk, a step to the right for heads and to the left for tails, and where walks end
// they heap up.
{
  const MOST = 2000; // walks
  const DRAWN = 30; // of them, the last
  const signed = (x) => (x > 0 ? `+${x}` : `${x}`.replace("-", "−"));

  explorable(
    "why-coins",
    class extends Explorable {
      static title = "The sum of coins";
      walks = [];

      get inputs() {
        const [least, most] = this.data.range;
        return [
          { name: "d", label: "coins <i>d</i>", least, most, step: least, value: this.data.at },
          { name: "count", least: 1, most: MOST, step: 1, value: 1 },
          { name: "seed", least: 1, most: 1e9, step: 1, value: 1 },
        ];
      }

      /** The sum at the right edge: four times the widest spread. */
      get edge() {
        return 4 * Math.sqrt(this.data.range[1]);
      }

      get stage() {
        const ends = [-3, -2, -1, 0, 1, 2, 3].map((i) => (i * this.edge) / 4);
        return `<p class="title"></p><p class="found"><b></b> <span></span></p>
        <p class="axis">heads: a step to the right, tails: a step to the left</p><div class="tosses"><div class="within"></div>
        <svg class="walks" preserveAspectRatio="none" aria-hidden="true"><path class="before"/><path class="root"/><path class="last"/></svg>
        <svg class="bars" viewBox="${-this.edge} 0 ${2 * this.edge} 100" preserveAspectRatio="none" aria-hidden="true"><path/><path class="law"/></svg>
        <i>−√d</i><i>√d</i><b class="handle"></b></div>
        <p class="ends" aria-hidden="true">${ends
          .map((x) => `<i data-left="${0.5 + x / this.edge / 2}">${signed(x)}</i>`)
          .join("")}</p><p class="axis">where the walks end; the curve: the exact chances</p>`;
      }

      get acts() {
        const sizes = powers(...this.data.range.map(Math.log2), 2);
        const views = sizes.map((d) => [`${d} coins`, `d=${d}`]);
        return `<p class="acts"><button type="button" data-act="once"></button><button type="button"
        data-act="often">100 times</button><button type="button" data-act="anew">Start again</button></p>${presets(Object.fromEntries(views))}`;
      }

      prepare() {
        const most = this.data.range[1];
        // How far a walk strays: by √m in m steps.
        const side = (sign) => {
          const at = Array.from({ length: most + 1 }, (_, m) => `${sign * Math.sqrt(m)} ${m}`);
          return `M${at.join("L")}`;
        };
        this.at(".root").setAttribute("d", side(1) + side(-1));
        const area = this.at(".tosses");
        this.drags(area, (event) => {
          const sum = (shareAcross(area, event) - 0.5) * 2 * this.edge;
          this.values = { d: sum ** 2 };
        });
      }

      once() {
        this.toss({ count: this.values.count + 1 });
      }

      often() {
        this.toss({ count: this.values.count + 100 });
      }

      anew() {
        this.landed = 0;
        this.toss({ count: 1, seed: this.values.seed + 1 });
      }

      /** Take a state whose walks come one after another, where nothing speaks against motion. */
      toss(values) {
        this.comes = !this.calm;
        this.fallen = 0;
        this.values = values;
      }

      stop() {
        this.comes = false;
      }

      /** Give a walk: the sums of its coins. */
      walk() {
        const sums = new Int16Array(this.data.range[1] + 1);
        for (let m = 1; m < sums.length; m++) sums[m] = sums[m - 1] + (this.next() < 0.5 ? 1 : -1);
        return sums;
      }

      /** Let some of the walks land that are still to come; the last of them is seen as it falls. */
      fall(count, d) {
        const rest = count - this.landed;
        if (!this.comes || this.calm || rest < 1) this.landed = count;
        else if (rest > 1) this.landed += Math.min(rest - 1, Math.ceil(rest / 30));
        else if (this.fallen < d) this.fallen += Math.ceil(d / 30);
        else this.landed = count;
        this.comes = this.landed < count;
        if (this.comes) this.change();
      }

      draw({ d, count, seed }) {
        if (seed !== this.seed) {
          this.seed = seed;
          this.walks = [];
          this.next = uniform(seed);
        }
        while (this.walks.length < count) this.walks.push(this.walk());
        this.fall(count, d);
        const landed = this.walks.slice(0, this.landed);
        const last = this.walks[Math.min(this.landed, count - 1)];
        const coins = this.comes && this.landed === count - 1 ? Math.min(this.fallen, d) : d;

        // Downwards in the upper half, coin by coin: each line is as long as it can be, and cut at d.
        const line = (sums) => {
          const at = Array.from(sums, (sum, m) => `${sum} ${m}`);
          return `M${at.join("L")}`;
        };
        const [before, , path] = this.at(".walks").children;
        const drawn = landed.slice(-DRAWN);
        if (drawn.at(-1) !== this.drawn) before.setAttribute("d", drawn.map(line).join(""));
        this.drawn = drawn.at(-1);
        path.setAttribute("d", line(last.subarray(0, coins + 1)));
        this.at(".walks").setAttribute("viewBox", `${-this.edge} 0 ${2 * this.edge} ${d}`);

        // Their ends, two apart, and the chances of each, out of as many.
        const heap = Array(d + 1).fill(0);
        for (const sums of landed) heap[(d + sums[d]) / 2]++;
        const law = [0.5 ** d];
        for (let i = 1; i <= d; i++) law.push((law[i - 1] * (d - i + 1)) / i);
        const most = Math.max(10, ...heap, landed.length * law[d / 2]) * 1.05;
        const high = (number) => ((100 * number) / most).toFixed(2);
        const [bins, curve] = this.at(".bars").children;
        bins.setAttribute(
          "d",
          heap.map((n, i) => (n ? `M${2 * i - d - 0.8} 100v-${high(n)}h1.6V100` : "")).join(""),
        );
        const at = law.map((p, i) => [2 * i - d, 100 - high(p * landed.length)]);
        const seen = at.filter(([, y]) => y < 99.8).map(([x, y]) => `${x} ${y.toFixed(2)}`);
        curve.setAttribute("d", seen.length ? `M${seen.join("L")}` : "");

        const root = Math.sqrt(d);
        const right = 50 + (50 * root) / this.edge;
        this.at(".within").style.inset = `0 ${100 - right}%`;
        const [minus, plus] = this.at(".tosses").querySelectorAll("i");
        minus.style.left = `${100 - right}%`;
        plus.style.left = this.at(".handle").style.left = `${right}%`;

        const squares = landed.reduce((sum, sums) => sum + sums[d] ** 2, 0);
        const spread = landed.length ? Math.sqrt(squares / landed.length).toFixed(1) : "?";
        const sums = counted(landed.length, "sum");
        const heads = (coins + last[coins]) / 2;
        const by = `${landed.length > 1 ? "spread" : "size"} of ${sums}; √${d} = ${+root.toFixed(1)}`;
        this.at(".title").textContent = `The sum of ${d} coins, tossed ${counted(count, "time")}`;
        this.at(".found b").textContent = spread;
        this.at(".found span").innerHTML =
          `${by}<br>the last: ${counted(heads, "head")}, ${counted(coins - heads, "tail")}, sum ${signed(last[coins])}`;
        this.at("[data-act=once]").textContent = `Toss ${d} coins`;
        for (const button of this.panel.querySelectorAll("[data-act=once], [data-act=often]"))
          button.disabled = count === MOST;
        return `${d} coins: ${spread} is the ${by}.`;
      }
    },
  );
}
