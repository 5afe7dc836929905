// From products to attention. The products of a query and each key are added one after another, as a walk; where the
// walks end are the scores, and softmax makes shares of them. `lift` is how much of a training step has been made.
{
  const row = (
    name,
  ) => `<section class="row ${name}"><p class="title"></p><p class="found"><b></b> <span></span></p>
    <div class="shares"><svg class="bars" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path/>
    <path class="own"/></svg><i aria-hidden="true">100%</i></div></section>`;
  const svg = (name, parts) =>
    `<svg class="${name}" preserveAspectRatio="none">${parts
      .map((part) => `<path class="${part}"/>`)
      .join("")}</svg>`;
  const line = (sums) => `M${sums.map((sum, m) => `${m},${(-sum).toFixed(1)}`).join("L")}`;
  const dots = (x, sums) => sums.map((sum) => `M${x},${(-sum).toFixed(2)}h0`).join("");
  const GUESSES = [1, 4, 10, 20];
  const GRID = [40, 20, -20];

  /** Round a height up to what the axis shows. */
  const room = (sums) => 4 * Math.ceil(Math.max(...sums.flat().map(Math.abs)) / 4);

  explorable(
    "why-mechanism",
    class extends Explorable {
      static title = "From products to attention";

      get inputs() {
        const most = this.data.q.length;
        return [
          { name: "d", label: "dimensions <i>d</i> =", least: 1, most, step: 1, value: most / 8 },
          { name: "trained", least: 0, most: 1, step: 1, value: 0 },
        ];
      }

      stage = `<section class="walks"><p class="found"><b></b> <span></span></p><div class="fan" aria-hidden="true">
        ${svg("all", ["grid", "walk", "root"])}<div class="veil"></div>${svg("now", ["front", "before", "best", "dots"])}
        ${svg("divided", ["dots", "best"])}
        ${GRID.map((y) => `<i class="level">${`${y}`.replace("-", "−")}</i>`).join("")}<i class="root">√d</i><i class="root">−√d</i><i class="name">scores</i><i class="by"><em>÷ √d</em>±1</i>
        </div></section><div class="rows">${row("C1")}${row("C0")}</div>`;

      get acts() {
        const steps = ["At the start", "After a training step"].map(
          (name, i) => `<button type="button" data-act="train" value="${i}">${name}</button>`,
        );
        const guesses = GUESSES.map(
          (n) => `<button type="button" data-act="guess" value="${n}">${n}</button>`,
        );
        return `<p class="acts">${steps.join("")}</p>
        <p class="guess" aria-live="polite"><span>Guess: how many keys take part at <i>d</i> = ${this.data.at}, undivided?</span>
        ${guesses.join("")}</p>`;
      }

      prepare() {
        const { q, k, at } = this.data;
        const lines = [0, ...GRID].map((y) => `M0,${-y}h${q.length}`);
        const root = [0, ...q].map((_, m) => Math.sqrt(m));
        this.at("path.grid").setAttribute("d", lines.join(""));
        this.at("path.root").setAttribute("d", line(root) + line(root.map((x) => -x)));
        this.start = this.added(0);
        this.low = room(this.start);
        this.more = Math.max(0, room(this.added(1)) - this.low);
        this.at(".fan").style.setProperty("--low", this.low);
        this.at(".inputs p").dataset.most = q.length;
        this.panel.style.setProperty("--most", q.length);
        this.walk(0);

        const by = Math.sqrt(at);
        const [bare, divided] = [1, by].map((each) => this.shares(at, each));
        this.right = GUESSES[nearest(GUESSES, takingPart(bare))];
        this.answer = `At d = ${at}, undivided, one key has ${percent(Math.max(...bare))}, ${asIf(bare, `${k.length} keys`)}.
          Divided by ${+by.toFixed(1)}, ${asIf(divided, k.length)}.`;
        this.at("[name=d]").addEventListener("input", () => (this.to = undefined)); // the reader's hand comes first
      }

      begin() {
        this.glide("d", 1);
      }

      /** Add up the products, after a share of a step by which Adam moves the query and the first key. */
      added(lift) {
        const { q, k, step } = this.data;
        const move = lift * step;
        const query = q.map((x, i) => x + move * Math.sign(k[0][i]));
        return k.map((key, j) => {
          let sum = 0;
          return [
            0,
            ...key.map((y, i) => (sum += query[i] * (j ? y : y + move * Math.sign(q[i])))),
          ];
        });
      }

      /** Draw the walks after a share of the step. */
      walk(lift) {
        this.sums = this.added(lift);
        this.lift = lift;
        this.at(".walk").setAttribute("d", this.sums.map(line).join(""));
        const high = this.low + this.more * lift;
        const box = [0, -high, this.data.q.length, high + this.low].join(" ");
        for (const each of this.at(".fan").querySelectorAll("svg"))
          each.setAttribute("viewBox", box);
        this.at(".fan").style.setProperty("--high", high);
        this.panel.querySelectorAll(".level").forEach((label, i) => {
          label.style.setProperty("--y", GRID[i]);
          label.hidden = GRID[i] > high;
        });
      }

      train({ value }) {
        if (+value && this.values.d < this.data.at) this.to = this.data.at; // in few dimensions a step adds little
        this.values = { trained: +value };
      }

      guess({ value }) {
        this.answer = (+value === this.right ? "Right. " : `You said ${value}. `) + this.answer;
        this.to = this.data.at;
        this.values = { trained: 0 };
      }

      /** Give the shares of attention at d dimensions. */
      shares(d, by) {
        return softmax(this.sums.map((sums) => sums[d] / by));
      }

      draw({ d, trained }) {
        if (this.to) {
          this.at("[name=d]").value = d += this.calm ? this.to - d : Math.ceil((this.to - d) / 6);
          if (d === this.to) this.to = undefined;
          this.change();
        }
        if (this.lift !== trained) {
          const rest = trained - this.lift;
          this.walk(
            this.rest && !this.calm && Math.abs(rest) > 0.02 ? this.lift + rest / 5 : trained,
          );
          if (this.lift !== trained) this.change();
        }
        const { q, k, at } = this.data;
        const by = Math.sqrt(d);
        const scores = this.sums.map((sums) => sums[d]);
        const best = trained ? 0 : scores.indexOf(Math.max(...scores));
        this.panel.classList.toggle("trained", !!trained);
        for (const button of this.panel.querySelectorAll("[data-act=train]"))
          button.ariaPressed = +button.value === trained;

        const [, , now, divided] = this.at(".fan").children;
        const [front, before, walk, ends] = now.children;
        front.setAttribute("d", `M${d},-999v1999`);
        walk.setAttribute("d", line(this.sums[best].slice(0, d + 1)) + dots(d, [scores[best]]));
        before.setAttribute("d", line(this.start[0].slice(0, d + 1)));
        ends.setAttribute("d", dots(d, scores));
        const small = scores.map((score) => score / by);
        divided.children[0].setAttribute("d", dots(q.length / 2, small));
        divided.children[1].setAttribute("d", dots(q.length / 2, [small[best]]));
        this.at(".fan").style.setProperty("--d", d / q.length);
        this.at(".fan").style.setProperty("--root", by);

        const gain = scores[0] - this.start[0][d];
        const gains =
          d > 1 ? `nearly all of the key’s ${d} products gain` : "the key’s product gains";
        const adds =
          d > 1
            ? `each line adds up ${d} products,<br>and most of them cancel`
            : "each line is a single product<br>of random size and sign";
        const [size, why] = trained
          ? [`+${gain.toFixed(1)}`, `one step moves query and key together:<br>${gains}`]
          : [`±${by.toFixed(1)}`, `= √${d}: ${adds}`];
        this.at(".walks b").textContent = size;
        this.at(".walks span").innerHTML = why;
        const who = trained ? "the trained key" : "one key";
        const found = [...this.panel.querySelectorAll(".row")].map((row, i) => {
          const weights = this.shares(d, i ? by : 1);
          const sorted = [...weights].sort((one, other) => other - one);
          const [every, own] = row.querySelectorAll("path");
          every.setAttribute("d", bars(sorted));
          own.setAttribute(
            "d",
            trained ? bars([weights[0]], sorted.indexOf(weights[0]), k.length) : "",
          );
          const title = i ? `Attention, ÷ √d = ${by.toFixed(1)}` : "Attention, undivided";
          const keys = asIf(weights, k.length);
          row.querySelector(".title").textContent = title;
          row.querySelector("b").textContent = percent(weights[best]);
          row.querySelector("span").innerHTML = `to ${who}<br>${keys}`;
          return `${title}: ${percent(weights[best])} to ${who}, ${keys}`;
        });
        const words = `${found.join("; ")}.`;
        if (this.told || d < at || trained || !this.rest) return words;
        this.told = true;
        if (this.at(".guess :focus")) this.at(".acts :last-of-type").focus();
        this.at(".guess").textContent = this.answer;
        return this.answer + " " + words;
      }
    },
  );
}
