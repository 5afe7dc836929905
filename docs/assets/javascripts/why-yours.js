// The reader's own numbers: two short vectors, product by product, up to their score; and a row of scores, divided,
// capped and masked, with its weights and what a step would change.
{
  const LABELS = {
    ...{ q: "query", k: "key", z: "scores of one query" },
    ...{ by: "divide by", cap: "cap", m: "mask" },
  };
  // The fields that are right only together.
  const TOGETHER = [["q", "k"], ["z", "m"], ["by"], ["cap"]];
  const SEEN = { True: 1, False: 0, true: 1, false: 0 };
  const HIDES = -1e4; // what code adds to a score that may not be seen, or something below
  // What code calls the dimensions of a head.
  const HEADS = "d d_k dk d_head dim_head head_dim head_size attention_head_size depth".split(" ");
  const ROWS = 8; // as many are seen at once

  const short = (x) => {
    const size = Math.abs(x);
    const text = size < 0.001 ? size.toExponential(2).replace(/\.?0*e/, "e") : +size.toPrecision(3);
    const written = size && size < 999.5 ? text : Math.round(size);
    return `${x < 0 ? "−" : ""}${written}`.replace("e-", "e−");
  };
  const change = (x) => (x > 0 ? "+" : "") + short(x);
  const total = (list) => list.reduce((a, b) => a + b, 0);
  /** Write terms as a sum: 3 − 0.5. */
  const summed = (signs, terms) =>
    terms
      .map((term, i) => (i ? (signs[i] < 0 ? "− " : "+ ") : signs[i] < 0 ? "−" : "") + term)
      .join(" ");
  /** Give a share in percent, to three digits. */
  const fine = (share) =>
    share < 0.001 || share >= 0.9995 ? percent(share) : `${(100 * share).toPrecision(3)}%`;
  /** Write a score, of which nothing is known if it came hidden. */
  const scored = (x, isSeen) => (isSeen || x !== HIDES ? short(x) : "−inf");
  const field = (name, empty = "") =>
    `<label class="${name === "by" || name === "cap" ? "" : "wide"}">${LABELS[name]}<input name="${name}"
      placeholder="${empty}" autocomplete="off" autocapitalize="off" spellcheck="false"></label>`;
  const ROW = `<p><span></span><i><svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true"><path/><path class="trained"/></svg></i><b></b><em></em></p>`;

  explorable(
    "why-yours",
    class extends Explorable {
      static title = "Your own numbers";
      last = {}; // what the fields said when they were last right

      get inputs() {
        const { z = this.data.scores } = this.last;
        const vector = { long: [1, 8], least: -30, most: 30 };
        return [
          { name: "q", ...vector },
          { name: "k", ...vector },
          { name: "z", long: [2, 64], least: HIDES, most: -HIDES },
          { name: "by", least: 0.001, most: 1e6 },
          { name: "cap", least: 0, most: 1e4 }, // 0 is none
          { name: "m", long: [0, 64], least: 0, most: 1, step: 1 }, // empty, if all may be seen
          { name: "t", label: "a step for key", least: 1, most: z.length, step: 1, value: 1 },
        ];
      }

      get stage() {
        return `<div class="form">${field("q")}${field("k")}</div>
        <svg class="stack" preserveAspectRatio="none" aria-hidden="true"><path/><path class="down"/><path class="level"/></svg>
        <p class="product"></p>
        <div class="form">${field("z")}${field("by")}${field("cap", "none")}${field("m", "all seen")}</div>
        <p class="told"></p><p class="found"><b></b> <span></span></p>
        <div class="sums keyed"><p class="of"><span>score → logit</span><i></i><b>weight</b><em>step</em></p>
        <div class="all" tabindex="0" role="group" aria-label="The keys"></div></div><p class="moves"></p>`;
      }

      get acts() {
        const { head, cap } = this.data;
        const buttons = presets({
          "14, 10, 12": "z=14,10,12&m=",
          "50, 10, 5": "z=50,10,5&m=",
          undivided: "by=1",
          [`÷ √${head}`]: `by=${Math.sqrt(head)}`,
          [`cap ${cap}`]: `cap=${cap}`,
          "no cap": "cap=0",
        });
        return buttons.replace(
          "</p>",
          '<button type="button" data-act="add">q·k into the row</button></p>',
        );
      }

      prepare() {
        const { q, k, scores: z, by, key, head } = this.data;
        this.fill({ q, k, z, by, cap: 0, m: [], t: key });
        this.heads = Object.fromEntries(HEADS.map((name) => [name, head]));
        this.hint = `As in code: [14., 10.], √${head}, * head_dim**-0.5. Or pull a bar.`;
        this.field("z").addEventListener("input", () => this.mask());
      }

      /** Find a field. */
      field(name) {
        return this.at(`.form [name=${name}]`);
      }

      /** Read a list that was typed: its numbers, or what is wrong. */
      list({ name, long, least, most }) {
        const [items, rows] = splitList(this.field(name).value);
        const names = { inf: Infinity, ...(name === "m" && SEEN) };
        const numbers = items.map((item) =>
          /\d\s+[\d.]|^[-−]\s/.test(item) ? NaN : readNumber(item, names),
        );
        const odd = numbers.findIndex(Number.isNaN);
        if (odd >= 0)
          return {
            flaw: items[odd] ? `“${items[odd].slice(0, 12)}” is no number` : "a number is missing",
          };
        if (numbers.length < long[0] || numbers.length > long[1])
          return { flaw: `${long[0]} to ${long[1]} numbers, not ${numbers.length}` };
        if (name === "m") {
          const adds = numbers.some((number) => number <= HIDES);
          const fits = numbers.every((x) => x === 0 || (adds ? x <= HIDES : x === 1));
          if (!fits) return { flaw: "1 or True if seen, 0 or False if not; or 0 and -inf, to add" };
          return { value: numbers.map((x) => +(adds ? x === 0 : x === 1)), rows };
        }
        const hides = numbers.map((x) => name === "z" && x < HIDES); // as -inf is printed, and -1e9
        if (!numbers.every((x, i) => (x >= least || hides[i]) && x <= most))
          return { flaw: `from ${short(least)} to ${short(most)}` };
        if (!hides.includes(false))
          return { flaw: "all are hidden, and then there are no weights" };
        return { value: numbers.map((x, i) => (hides[i] ? HIDES : x)), hides, rows };
      }

      /** Fill the mask from a row that has one, unless the reader has; with another row it goes again. */
      mask() {
        const { value, hides } = this.list(this.inputs.find(({ name }) => name === "z"));
        const field = this.field("m");
        if (!value || (field.value && field.value !== this.masked)) return;
        this.masked = hides.includes(true) ? hides.map((is) => +!is).join(", ") : "";
        field.value = this.masked;
      }

      /** Read a number that was typed: what to divide by, or the cap. */
      number({ name, least, most }) {
        const typed = this.field(name).value.trim();
        if (name === "cap") {
          const value = /^(none|)$/i.test(typed) ? 0 : readNumber(typed);
          return value >= least && value <= most
            ? { value }
            : { flaw: "a number above 0, such as 50, or nothing" };
        }
        const [, sign, rest] = typed.match(/^(\*|×|scale\s*=|\/|÷)?(.*)$/s);
        const read = readNumber(rest, this.heads);
        const value = !sign || /[/÷]/.test(sign) ? read : 1 / read;
        if (!(value >= least && value <= most))
          return { flaw: "a number above 0, such as √64, or with * before it, to multiply" };
        return { value, grows: value < 1 && !sign, named: Number.isNaN(readNumber(rest)) };
      }

      /** What the fields say; of those that are wrong, what they said last. */
      get values() {
        const inputs = this.inputs.filter(({ label }) => !label);
        const found = Object.fromEntries(
          inputs.map((input) => [input.name, input.long ? this.list(input) : this.number(input)]),
        );
        const { q, k, z, m, by } = found;
        if (q.value && k.value && q.value.length !== k.value.length)
          k.flaw = `${counted(k.value.length, "number")}, and the query has ${q.value.length}`;
        if (
          z.hides?.includes(true) &&
          !m.flaw &&
          (m.value.length || z.hides.length) === z.hides.length
        )
          m.value = z.hides.map((is, i) => +(!is && (m.value[i] ?? 1)));
        if (z.value && m.value?.length)
          if (m.value.length !== z.value.length)
            m.flaw = `${m.value.length} for ${counted(z.value.length, "score")}`;
          else if (!m.value.includes(1)) m.flaw = "hides all keys, and then there are no weights";
        this.flaws = Object.entries(found).filter(([, { flaw }]) => flaw);
        this.grows = by.grows && by.value;
        this.notes = Object.entries(found).flatMap(([name, { rows }]) =>
          rows > 1 ? [`${LABELS[name]}: the first of ${rows} rows. `] : [],
        );
        if (by.named)
          this.notes.push(
            `d is ${this.data.head} here. For another, write it in its place, as in math.sqrt(128).`,
          );
        for (const names of TOGETHER)
          if (names.every((name) => !found[name].flaw))
            for (const name of names) this.last[name] = found[name].value;
        const slider = this.at("[name=t]");
        slider.max = this.last.z.length;
        return { ...this.last, t: +slider.value };
      }

      set values(values) {
        this.fill(values);
        this.change();
      }

      /** Write into the fields what is given of the state, made to fit together. */
      fill(values) {
        const given = Object.fromEntries(
          this.inputs.map((input) => {
            const { name } = input;
            return [name, allowed(input, values[name]) ?? this.last[name]];
          }),
        );
        const least = Math.min(given.q.length, given.k.length);
        const mask = given.m.length ? given.z.map((_, i) => given.m[i] ?? 1) : [];
        const fitted = {
          ...{ q: given.q.slice(0, least), k: given.k.slice(0, least) },
          ...{ z: given.z, m: mask.includes(1) ? mask : [], by: given.by, cap: given.cap },
        };
        const wrong = new Map(this.flaws);
        const write = (x, i) => (x === HIDES && fitted.m[i] === 0 ? "-inf" : x);
        for (const [name, value] of Object.entries(fitted)) {
          const isNew = `${value}` !== `${this.last[name]}` || (wrong.has(name) && name in values);
          if (!isNew) continue; // it stays as it was typed
          this.last[name] = value;
          const list = name === "z" ? value.map(write) : [value].flat();
          this.field(name).value = name === "cap" ? value || "" : list.join(", ");
        }
        if (fitted.m.every((seen, i) => seen === +(fitted.z[i] !== HIDES)))
          this.masked = fitted.m.join(", "); // and not what is being typed, which is none of ours
        const slider = this.at("[name=t]");
        slider.max = fitted.z.length;
        const key = allowed(this.inputs.at(-1), values.t);
        if (key) slider.value = key;
      }

      /** Put the score of the two vectors into the row. */
      add() {
        const { q, k, z, m } = this.values;
        const score = +total(q.map((x, i) => x * k[i])).toPrecision(12);
        this.values = { z: [...z, score], m: m.length ? [...m, 1] : [] };
      }

      /** Give a key the score at which its weight is where its bar is pulled to. */
      pull(own, { clientX, currentTarget }) {
        const { z, by, cap, m } = this.values;
        const rivals = z.filter((_, i) => i !== own && (!m.length || m[i]));
        if (m[own] === 0 || !rivals.length) return;
        const { left, width } = currentTarget.getBoundingClientRect();
        const share = Math.max(0.001, Math.min(0.999, (clientX - left) / width));
        const logits = rivals.map((x) => (cap ? cap * Math.tanh(x / by / cap) : x / by));
        const top = Math.max(...logits);
        const against = top + Math.log(total(logits.map((x) => Math.exp(x - top))));
        const logit = against + Math.log(share / (1 - share));
        const within = Math.max(-0.999, Math.min(0.999, logit / cap));
        const score = by * (cap ? cap * Math.atanh(within) : logit);
        const digit = 10 ** Math.floor(Math.log10(by / 20)); // a finer one would not show
        const rounded = +(digit * Math.round(score / digit)).toPrecision(12);
        const given = Math.max(HIDES, Math.min(-HIDES, rounded));
        this.values = { z: z.map((x, i) => (i === own ? given : x)), m };
      }

      draw({ q, k, z, by, cap, m, t }) {
        const score = this.stack(q, k);
        this.at("[data-act=add]").disabled = z.length === 64;
        for (const input of this.panel.querySelectorAll(".form input")) input.ariaInvalid = "false";
        for (const [name] of this.flaws) this.field(name).ariaInvalid = "true";
        const flaw = this.flaws.map(([name, { flaw }]) => `${LABELS[name]}: ${flaw}`).join(". ");
        const grows = `Divided by ${short(by)}, scores grow. Does your code multiply? Write * before it.`;
        const note = this.notes.join("");
        this.at(".told").textContent = flaw || (this.grows ? grows : note || this.hint);
        this.at(".told").classList.toggle("odd", !!flaw);

        const seen = z.map((_, i) => !m.length || m[i] === 1);
        const logits = (scores) =>
          scores.map((x) => (cap ? cap * Math.tanh(x / by / cap) : x / by));
        const shares = (scores) => softmax(logits(scores).map((x, i) => (seen[i] ? x : -Infinity)));
        const [now, weights, own] = [logits(z), shares(z), t - 1];
        const others = total(weights.filter((_, i) => i !== own));
        // How the weight of the key answers to each score.
        const step = z.map((x, i) => {
          const slope = (cap ? Math.cosh(x / by / cap) ** -2 : 1) / by;
          return weights[own] * (i === own ? others : -weights[i]) * slope;
        });
        const after = shares(z.map((x, i) => x + step[i]));

        const alone = total(seen.map(Number)) === 1;
        const share = (p, i, write = percent) =>
          seen[i] ? (alone ? "100%" : write(Math.max(p, Number.MIN_VALUE))) : "0%";
        this.panel.className = `panel ${by === 1 ? "C1" : "C0"}`;
        const box = this.at(".all");
        if (box.children.length !== z.length) {
          box.innerHTML = ROW.repeat(z.length);
          for (const [i, row] of [...box.children].entries())
            this.drags(row.children[1], (event) => this.pull(i, event));
        }
        [...box.children].forEach((row, i) => {
          const logit = now[i] === z[i] ? "" : ` → ${short(now[i])}`;
          const [text, pulled, weight, moved] = row.children;
          const [bar, mark] = pulled.querySelectorAll("path");
          row.className = i === own ? "own" : "";
          text.textContent = `${i + 1}: ${scored(z[i], seen[i])}${seen[i] ? logit : ", hidden"}`;
          bar.setAttribute("d", `M0 1h${(1000 * weights[i]).toFixed(2)}v18H0z`);
          mark.setAttribute("d", seen[i] ? `M${(1000 * after[i]).toFixed(2)} 0v20` : "");
          weight.textContent = share(weights[i], i);
          moved.textContent = change(step[i]);
        });
        if (this.own !== own) box.scrollTop = (box.scrollHeight * (own - ROWS / 2)) / z.length;
        this.own = own; // a bar that is pulled stays under the hand

        const top = weights.indexOf(Math.max(...weights));
        const count = total(seen.map(Number));
        const keys = asIf(weights, counted(count, "key"));
        this.at(".found b").textContent = share(weights[top], top);
        this.at(".found span").innerHTML = `goes to key ${top + 1}<br>${keys}`;
        const entropy = -total(weights.map((p) => p && p * Math.log(p)));
        const [from, to] = [weights, after].map((all) => share(all[own], own, fine));
        const becomes = from === to ? `stays at ${from}, to three digits` : `from ${from} to ${to}`;
        const steps = seen[own]
          ? `A step for more weight on key ${t} moves its score by ${change(step[own])}, and its weight ${becomes} (the mark).`
          : `Key ${t} is hidden, and no step changes that.`;
        const costs = `Entropy ${entropy.toFixed(3)}, of at most ln ${count} = ${Math.log(count).toFixed(3)}. ${steps}`;
        this.at(".moves").textContent = costs;
        const done = `divided by ${short(by)}` + (cap ? `, capped at ${short(cap)}` : "");
        return (
          flaw ||
          `${note}The vectors have the score ${short(score)}. The row ${z
            .slice(0, ROWS)
            .map((x, i) => scored(x, seen[i]))
            .join(", ")}${z.length > ROWS ? " …" : ""}, ${done}:
          ${share(weights[top], top)} goes to key ${top + 1}, ${keys}. ${costs}`
        );
      }

      /** Draw the products, each from where the one before it ended, and give their sum. */
      stack(q, k) {
        const products = q.map((x, i) => x * k[i]);
        const sums = products.map((_, i) => total(products.slice(0, i + 1)));
        const [high, low] = [Math.max(0, ...sums), Math.min(0, ...sums)];
        const room = 0.04 * (high - low || 1);
        const svg = this.at(".stack");
        svg.setAttribute("viewBox", `0 ${-high - room} ${q.length} ${high - low + 2 * room}`);
        const [up, down, level] = svg.children;
        const bar = (i) =>
          `M${i + 0.08} ${-(sums[i] - products[i])}v${-products[i]}h.84V${-(sums[i] - products[i])}z`;
        const drawn = (kind) => products.map((x, i) => (kind(x) ? bar(i) : "")).join("");
        up.setAttribute(
          "d",
          drawn((x) => x > 0),
        );
        down.setAttribute(
          "d",
          drawn((x) => x < 0),
        );
        level.setAttribute("d", `M0 0H${q.length}M${q.length - 1} ${-sums.at(-1)}h1`);
        const factors = q.map((x, i) => `${short(Math.abs(x))}·${short(Math.abs(k[i]))}`);
        const sizes = products.map((x) => short(Math.abs(x)));
        const said = [summed(products, factors), summed(products, sizes), short(sums.at(-1))];
        if (products.length === 1) said.pop();
        this.at(".product").textContent = `q·k = ${said.join(" = ")}`;
        return sums.at(-1);
      }
    },
  );
}
