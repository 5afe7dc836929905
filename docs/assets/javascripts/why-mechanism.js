// From products to attention. The products of a query and each key are added one after another, as a walk; where the
// walks end are the scores, and softmax makes shares of them. `lift` is how much of a training step has been made.
{
  const row = (
    name,
  ) => `<section class="row ${name}"><p class="title"></p><p class="found"><b></b> <span></span></p>
    <div class="shares"><svg class="bars" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path/>
    <path class="own"/></svg><i aria-hidden="true">100%</i></div></section>`;
  const svg = (name, parts) =>
    `<svg class="${name}" viewBox="0 0 128 64" preserveAspectRatio="none">${parts
      .map((part) => `<path class="${part}"/>`)
      .join("")}</svg>`;
  const line = (sums) => `M${sums.map((sum, m) => `${m},${(-sum).toFixed(1)}`).join("L")}`;
  const dots = (x, sums) => sums.map((sum) => `M${x},${(-sum).toFixed(2)}h0`).join("");
  const root = Array.from({ length: 129 }, (_, m) => Math.sqrt(m));
  // The scores that there is room for: from −LOW to LOW, and higher after the step.
  const LOW = 32;
  const ROOM = 28;
  const AT = 64; // what one guesses about

  explorable(
    "why-mechanism",
    class extends Explorable {
      static title = "From products to attention";
      static inputs = [
        { name: "d", label: "dimensions <i>d</i> =", least: 1, most: 128, step: 1, value: 16 },
        { name: "trained", value: 0 },
      ];
      stage = `<section class="walks"><p class="found"><b></b> <span></span></p><div class="fan" aria-hidden="true">
        ${svg("all", ["grid", "walk", "root"])}<div class="veil"></div>${svg("now", ["front", "before", "best", "dots"])}
        ${svg("divided", ["dots", "best"])}
        <i>40</i><i>20</i><i>−20</i><i class="root">√d</i><i class="root">−√d</i><i class="name">scores</i><i class="by"><em>÷ √d</em>±1</i>
        </div></section><div class="rows">${row("C1")}${row("C0")}</div>`;
      acts = `<p class="acts">${["At the start", "After a training step"]
        .map((name, i) => `<button type="button" data-act="train" value="${i}">${name}</button>`)
        .join("")}<input type="hidden" name="trained" value="0"></p>
        <p class="guess" aria-live="polite"><span>Guess: how many keys take part at <i>d</i> = ${AT}, undivided?</span>
        ${[1, 4, 10, 20].map((n) => `<button type="button" data-act="guess" value="${n}">${n}</button>`).join("")}</p>`;

      prepare() {
        this.at("path.grid").setAttribute(
          "d",
          [40, 20, 0, -20].map((y) => `M0,${-y}h128`).join(""),
        );
        this.at("path.root").setAttribute("d", line(root) + line(root.map((x) => -x)));
        this.walk(0);
        this.start = this.sums[0];
        const [bare, divided] = [1, Math.sqrt(AT)].map((by) => this.shares(AT, by));
        this.answer = `At d = ${AT}, undivided, one key has ${percent(Math.max(...bare))}, ${asIf(bare, "32 keys")}.
          Divided by ${Math.sqrt(AT)}, ${asIf(divided, 32)}.`;
        this.at("[name=d]").addEventListener("input", () => (this.to = undefined)); // the reader's hand comes first
      }

      begin() {
        this.glide("d", 1);
      }

      /** Add up the products, after a share of a step by which Adam moves the query and the first key. */
      walk(lift) {
        const { q, k, step } = this.data;
        const move = lift * step;
        const query = q.map((x, i) => x + move * Math.sign(k[0][i]));
        this.sums = k.map((key, j) => {
          let sum = 0;
          return [
            0,
            ...key.map((y, i) => (sum += query[i] * (j ? y : y + move * Math.sign(q[i])))),
          ];
        });
        this.lift = lift;
        this.at(".walk").setAttribute("d", this.sums.map(line).join(""));
        const high = LOW + ROOM * lift;
        for (const each of this.at(".fan").querySelectorAll("svg"))
          each.setAttribute("viewBox", [0, -high, 128, high + LOW].join(" "));
        this.at(".fan").style.setProperty("--high", high);
      }

      train({ value }) {
        if (+value && this.values.d < AT) this.to = AT; // in few dimensions a step adds little
        this.values = { trained: +value };
      }

      guess({ value }) {
        this.answer = (value > 1 ? `You said ${value}. ` : "Right. ") + this.answer;
        this.to = AT;
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
        const by = Math.sqrt(d);
        const scores = this.sums.map((sums) => sums[d]);
        const best = trained ? 0 : scores.indexOf(Math.max(...scores));
        this.panel.classList.toggle("trained", !!trained);
        for (const button of this.panel.querySelectorAll("[data-act=train]"))
          button.ariaPressed = +button.value === trained;

        const [, , now, divided] = this.at(".fan").children;
        const [front, before, walk, ends] = now.children;
        front.setAttribute("d", `M${d},-99v199`);
        walk.setAttribute("d", line(this.sums[best].slice(0, d + 1)) + dots(d, [scores[best]]));
        before.setAttribute("d", line(this.start.slice(0, d + 1)));
        ends.setAttribute("d", dots(d, scores));
        divided.children[0].setAttribute(
          "d",
          dots(
            64,
            scores.map((score) => score / by),
          ),
        );
        divided.children[1].setAttribute("d", dots(64, [scores[best] / by]));
        this.at(".fan").style.setProperty("--d", d / 128);
        this.at(".fan").style.setProperty("--root", by);

        const added = scores[0] - this.start[d];
        const [size, why] = trained
          ? [
              `+${added.toFixed(1)}`,
              `one step moves query and key together:<br>nearly all of the key’s ${d} products gain`,
            ]
          : [
              `±${by.toFixed(1)}`,
              `= √${d}: each line adds up ${d} products,<br>and their random signs cancel most of it`,
            ];
        this.at(".walks b").textContent = size;
        this.at(".walks span").innerHTML = why;
        const who = trained ? "the trained key" : "one key";
        const found = [...this.panel.querySelectorAll(".row")].map((row, i) => {
          const weights = this.shares(d, i ? by : 1);
          const sorted = [...weights].sort((one, other) => other - one);
          const [every, own] = row.querySelectorAll("path");
          every.setAttribute("d", bars(sorted));
          own.setAttribute("d", trained ? bars([weights[0]], sorted.indexOf(weights[0]), 32) : "");
          const title = i ? `Attention, ÷ √d = ${by.toFixed(1)}` : "Attention, undivided";
          const keys = asIf(weights, 32);
          row.querySelector(".title").textContent = title;
          row.querySelector("b").textContent = percent(weights[best]);
          row.querySelector("span").innerHTML = `to ${who}<br>${keys}`;
          return `${title}: ${percent(weights[best])} to ${who}, ${keys}`;
        });
        const words = `${found.join("; ")}.`;
        if (this.told || d < AT || trained || !this.rest) return words;
        this.told = true;
        if (this.at(".guess :focus")) this.at(".acts :last-of-type").focus();
        this.at(".guess").textContent = this.answer;
        return this.answer + " " + words;
      }
    },
  );
}
