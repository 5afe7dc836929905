// From products to attention. The products of a query and each key are added one after another, as a walk; where the
// walks end are the scores, and softmax makes shares of them. `lift` is how much of a training step has been made.
// Draw 0 is the snippet's; whoever draws again gets the numbers of the seeds 2, 3, and so on.
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
  const highest = (list) => list.indexOf(Math.max(...list));
  const GRID = [40, 20, -20];
  const DRAWS = 60; // as many as a link can ask for
  const LEAST_STACK = 6; // winners on top of each other for which the strip has room from the first
  const GROWS = [600, 200]; // ms in which the lines of a draw grow: of a single one, and of one of many

  /** Round a height up to what the axis shows. */
  const room = (sums) => 4 * Math.ceil(Math.max(...sums.flat().map(Math.abs)) / 4);

  explorable(
    "why-mechanism",
    class extends Explorable {
      static title = "From products to attention";

      get inputs() {
        const { q, at } = this.data;
        const label = "dimensions <i>d</i> =";
        return [
          { name: "d", label, least: 1, most: q.length, step: 1, value: at },
          { name: "trained", least: 0, most: 1, step: 1, value: 0 },
          { name: "draw", least: 0, most: DRAWS - 1, step: 1, value: 0 },
        ];
      }

      stage = `<section class="walks"><p class="found"><b></b> <span></span></p><div class="fan" aria-hidden="true">
        ${svg("all", ["grid", "walk", "root"])}<div class="veil"></div>${svg("now", ["front", "before", "best", "dots"])}
        ${svg("divided", ["dots", "best"])}
        ${GRID.map((y) => `<i class="level">${`${y}`.replace("-", "−")}</i>`).join("")}<i class="root">√d</i><i class="root">−√d</i><i class="name">scores</i><i class="handle"></i><i class="by"><em>÷ √d</em>±1</i>
        </div></section><div class="rows">${row("C1")}${row("C0")}</div><section class="winners" aria-hidden="true"><p></p>
        <svg viewBox="0 0 1000 100" preserveAspectRatio="none"><path/><path class="last"/></svg></section>`;

      get acts() {
        const steps = ["At the start", "After a training step"].map(
          (name, i) => `<button type="button" data-act="train" value="${i}">${name}</button>`,
        );
        return `<p class="acts">${steps.join("")}</p><p class="luck"><span></span>
          <button type="button" data-act="again" value="1">Draw again</button>
          <button type="button" data-act="again" value="10">10 times</button></p>`;
      }

      prepare() {
        const { q } = this.data;
        const most = q.length;
        this.drawn = []; // the query and the keys of each draw
        this.made = {}; // the sums of each draw, before and after a step
        const lines = [0, ...GRID].map((y) => `M0,${-y}h${most}`);
        const root = [0, ...q].map((_, m) => Math.sqrt(m));
        this.at("path.grid").setAttribute("d", lines.join(""));
        this.at("path.root").setAttribute("d", line(root) + line(root.map((x) => -x)));
        this.at(".inputs p").dataset.most = most;
        this.panel.style.setProperty("--most", most);
        this.at("[name=d]").addEventListener("input", () => this.stop()); // the reader's hand comes first

        const fan = this.at(".fan");
        const walks = fan.querySelector(".all");
        const along = (event) =>
          Math.max(0, Math.min(most, Math.round(most * shareAcross(walks, event))));
        this.drags(fan, (event) => {
          this.stop();
          this.values = { d: along(event) };
        });
        this.points(fan, (event) => {
          const { top, height } = walks.getBoundingClientRect();
          const y = this.high - ((event.clientY - top) / height) * (this.high + this.low);
          const away = this.sums.map((sums) => Math.abs(sums[along(event)] - y));
          return away.indexOf(Math.min(...away));
        });
        const bar = (event) => {
          const at = Math.floor(this.sums.length * shareAcross(event.currentTarget, event));
          return Math.max(0, Math.min(this.sums.length - 1, at)); // the browser counts half a pixel beside it, too
        };
        for (const part of this.panel.querySelectorAll(".shares, .winners svg"))
          this.points(part, bar);
      }

      /** Light up the key that a mouse points at, or that a finger taps, in all drawings. */
      points(part, find) {
        const point = (event) => {
          this.pointed = event.buttons ? undefined : find(event);
          this.show();
        };
        part.addEventListener("pointermove", point);
        part.addEventListener("click", point);
        part.addEventListener("pointerleave", () => {
          this.pointed = undefined;
          this.show();
        });
      }

      begin() {
        this.glide("d", 1);
      }

      /** Give the query and the keys of a draw. */
      vectors(draw) {
        const make = () => {
          const { q, k } = this.data;
          const next = gaussian(draw + 1);
          return { q: q.map(next), k: k.map((key) => key.map(next)) };
        };
        return (this.drawn[draw] ??= draw ? make() : this.data);
      }

      /** Add up the products of a draw, after a share of a step by which Adam moves the query and the key that is meant. */
      added(draw, lift) {
        const { q, k } = this.vectors(draw);
        const { step, meant } = this.data;
        const move = lift * step;
        const query = q.map((x, i) => x + move * Math.sign(k[meant][i]));
        return k.map((key, j) => {
          let sum = 0;
          return [
            0,
            ...key.map(
              (y, i) => (sum += query[i] * (j === meant ? y + move * Math.sign(q[i]) : y)),
            ),
          ];
        });
      }

      /** Give the sums of a draw before or after the step, added up once. */
      sumsOf(draw, trained) {
        return (this.made[`${draw} ${trained}`] ??= this.added(draw, trained));
      }

      /** Draw the walks after a share of the step. */
      walk(draw, lift) {
        this.start = this.sumsOf(draw, 0);
        this.sums = lift % 1 ? this.added(draw, lift) : this.sumsOf(draw, lift);
        this.low = room(this.start);
        const more = Math.max(0, room(this.sumsOf(draw, 1)) - this.low);
        this.high = this.low + more * lift;
        [this.seen, this.lift] = [draw, lift];
        this.at(".walk").setAttribute("d", this.sums.map(line).join(""));
        const box = [0, -this.high, this.data.q.length, this.high + this.low].join(" ");
        const fan = this.at(".fan");
        for (const each of fan.querySelectorAll("svg")) each.setAttribute("viewBox", box);
        fan.style.setProperty("--high", this.high);
        fan.style.setProperty("--low", this.low);
        this.panel.querySelectorAll(".level").forEach((label, i) => {
          label.style.setProperty("--y", GRID[i]);
          label.hidden = GRID[i] > this.high || -GRID[i] > this.low;
        });
      }

      train({ value }) {
        this.stop();
        if (+value && this.values.d < this.data.at) this.to = this.data.at; // in few dimensions a step adds little
        this.values = { trained: +value };
      }

      /** Draw all numbers again, once or several times; what comes after the last draw is the first. */
      again({ value }) {
        this.stop();
        if (!this.rest) this.values = { d: this.data.at }; // it was still opening
        const grows = GROWS[+(value > 1)];
        const next = (left) => {
          this.values = { draw: (this.values.draw + (this.calm ? +value : 1)) % DRAWS };
          if (this.calm) return;
          this.grow = { from: performance.now(), grows, after: left > 1 && (() => next(left - 1)) };
        };
        next(+value);
      }

      /** End what moves by itself. */
      stop() {
        this.to = this.grow = this.pointed = undefined;
      }

      /** Give how many of d products are drawn while the lines of a new draw grow. */
      grown(d) {
        if (!this.grow) return d;
        const { from, grows, after } = this.grow;
        const share = this.calm ? 1 : (performance.now() - from) / grows;
        if (share >= 1) {
          this.grow = undefined;
          if (after) after();
        }
        this.change();
        return Math.max(1, Math.round(d * Math.min(1, share)));
      }

      /** Give the shares of attention at d dimensions. */
      shares(d, by) {
        return softmax(this.sums.map((sums) => sums[d] / by));
      }

      draw({ d, trained, draw }) {
        if (this.to) {
          this.at("[name=d]").value = d += this.calm ? this.to - d : Math.ceil((this.to - d) / 6);
          if (d === this.to) this.to = undefined;
          this.change();
        }
        if (this.seen !== draw) this.walk(draw, trained);
        if (this.lift !== trained) {
          const rest = trained - this.lift;
          const far = this.rest && !this.calm && Math.abs(rest) > 0.02;
          this.walk(draw, far ? this.lift + rest / 5 : trained);
          if (this.lift !== trained) this.change();
        }
        const drawn = this.grown(d);
        this.drawWalks(drawn, trained);
        this.say(d, trained);
        const found = this.drawShares(drawn, trained);
        const done = this.grow ? draw : draw + 1; // a draw counts once its lines have grown
        return `${found.join("; ")}. ${this.drawWinners(d, trained, done)}`;
      }

      /** Give the key that it is about at d dimensions: the one that was trained, or the highest. */
      winner(d, trained) {
        return trained ? this.data.meant : highest(this.sums.map((sums) => sums[d]));
      }

      /** Give the key that is in the light: the one that is pointed at, or else the winner. */
      lit(d, trained) {
        return this.pointed ?? this.winner(d, trained);
      }

      /** Draw what changes of the walks: where they are cut, and the one in the light. */
      drawWalks(d, trained) {
        const { q, meant } = this.data;
        const by = Math.sqrt(d);
        const scores = this.sums.map((sums) => sums[d]);
        const lit = this.lit(d, trained);
        this.panel.classList.toggle("trained", !!trained && lit === meant);
        const [, , now, divided] = this.at(".fan").children;
        const [front, before, walk, ends] = now.children;
        front.setAttribute("d", `M${d},-999v1999`);
        walk.setAttribute("d", line(this.sums[lit].slice(0, d + 1)) + dots(d, [scores[lit]]));
        before.setAttribute("d", line(this.start[meant].slice(0, d + 1)));
        ends.setAttribute("d", dots(d, scores));
        const small = scores.map((score) => score / by);
        divided.children[0].setAttribute("d", dots(q.length / 2, small));
        divided.children[1].setAttribute("d", dots(q.length / 2, [small[lit]]));
        this.at(".fan").style.setProperty("--d", d / q.length);
        this.at(".fan").style.setProperty("--root", by);
      }

      /** Say how far the scores stray, or what the step has added. */
      say(d, trained) {
        for (const button of this.panel.querySelectorAll("[data-act=train]"))
          button.ariaPressed = +button.value === trained;
        const { meant } = this.data;
        const gain = this.sums[meant][d] - this.start[meant][d];
        const gains =
          d > 1 ? `nearly all of the key’s ${d} products gain` : "the key’s product gains";
        const adds =
          d > 1
            ? `each line adds up ${d} products,<br>and most of them cancel`
            : "each line is a single product<br>of random size and sign";
        const [size, why] = trained
          ? [`+${gain.toFixed(1)}`, `one step moves query and key together:<br>${gains}`]
          : [`±${Math.sqrt(d).toFixed(1)}`, `= √${d}: ${adds}`];
        this.at(".walks b").textContent = size;
        this.at(".walks span").innerHTML = why;
      }

      /** Draw the shares of attention, a bar for each key, and give what they come to in words. */
      drawShares(d, trained) {
        const { k, meant } = this.data;
        const lit = this.lit(d, trained);
        const best = this.winner(d, trained);
        const name = (key) => (trained && key === meant ? "the trained key" : `key ${key + 1}`);
        return [...this.panel.querySelectorAll(".row")].map((row, i) => {
          const by = i ? Math.sqrt(d) : 1;
          const weights = this.shares(d, by);
          const [every, own] = row.querySelectorAll("path");
          every.setAttribute("d", bars(weights));
          own.setAttribute("d", bars([weights[lit]], lit, k.length));
          const title = i ? `Attention, ÷ √d = ${by.toFixed(1)}` : "Attention, undivided";
          const keys = asIf(weights, k.length);
          row.querySelector(".title").textContent = title;
          row.querySelector("b").textContent = percent(weights[best]);
          const more = lit === best ? keys : `${name(lit)}: ${percent(weights[lit])}`;
          row.querySelector("span").innerHTML = `to ${name(best)}<br>${more}`;
          return `${title}: ${percent(weights[best])} to ${name(best)}, ${keys}`;
        });
      }

      /** Stack up who has won so far: for each draw the key with the highest score. */
      drawWinners(d, trained, draws) {
        const { k, meant } = this.data;
        const best = (draw) => highest(this.sumsOf(draw, trained).map((sums) => sums[d]));
        const won = Array.from({ length: draws }, (_, draw) => best(draw));
        const counts = k.map((_, j) => won.filter((key) => key === j).length);
        const high = 100 / Math.max(LEAST_STACK, ...counts);
        const wide = 1000 / k.length;
        const [w, h] = [0.84 * wide, 0.84 * high].map((size) => size.toFixed(2));
        const cell = (j, level) =>
          `M${(wide * j).toFixed(2)} ${(100 - high * level).toFixed(2)}v-${h}h${w}v${h}z`;
        const stack = (count, j) => Array.from({ length: count }, (_, i) => cell(j, i)).join("");
        const [all, last] = this.panel.querySelectorAll(".winners path");
        all.setAttribute("d", counts.map(stack).join(""));
        last.setAttribute("d", draws ? cell(won.at(-1), counts[won.at(-1)] - 1) : "");

        const times = counted(draws, "draw");
        this.at(".winners p").textContent = `who won, in ${times}`;
        const who = trained ? "the trained key" : `key ${best(0) + 1}`;
        const different = counts.filter((count) => count).length;
        const isMost = (trained ? counts[meant] : different) > draws / 2;
        const found = trained
          ? `${who} won ${counts[meant]}${isMost ? ": no luck" : ""}.`
          : `${different > 1 ? `${different} different keys` : "one key"} won${isMost && different > 1 ? ": luck" : ""}.`;
        const words =
          draws > 1 ? `In ${times} ${found}` : `Draw all numbers again: will ${who} win?`;
        this.at(".luck span").textContent = words;
        return words;
      }
    },
  );
}
