// Four divisors, from small heads to large ones: what each leaves of noise and of a match, and one row of keys. Draw 1
// is our row, as it is in a head of 64 and spread like √d in others; whoever draws again gets the numbers of a seed.
{
  const DIVISORS = [
    ["undivided", "C1", () => 1],
    ["÷ log d", "C3", Math.log],
    ["÷ √d", "C0", Math.sqrt],
    ["÷ d", "C2", (d) => d],
  ];
  const short = (x) => String(x < 99.5 ? +x.toFixed(x < 9.95 ? 2 : 1) : Math.round(x));
  const row = ([
    ,
    hue,
  ]) => `<section class="row ${hue}"><p class="title"></p><p class="found"><b></b> <span></span></p>
    <div class="shares"><svg class="bars" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path/>
    <path class="own"/></svg></div></section>`;
  const choice = (name, i) =>
    `<button type="button" data-act="preset" value="match=${i}">${name}</button>`;

  explorable(
    "why-constant",
    class extends Explorable {
      static title = "Which divisor keeps what";

      get inputs() {
        const { stops } = this;
        return [
          { name: "d", label: "dimensions <i>d</i>", stops, value: 64 },
          { name: "match", least: 0, most: 1, step: 1, value: 0 },
          { name: "seed", least: 1, most: 1e9, step: 1, value: 1 },
        ];
      }

      /** The dimensions at which the slider stops, and at which lines are drawn: ten in an octave. */
      get stops() {
        return powers(...this.data.range.map(Math.log2), 0.1);
      }

      get stage() {
        const { range, frozen } = this.data;
        const ends = powers(...range.map(Math.log2), 2);
        return `<p class="title"></p><p class="axis"></p><div class="lines"><svg class="graph" viewBox="0 0 1000 100"
        preserveAspectRatio="none" aria-hidden="true"><path class="cold" d="M0 0V${this.down(frozen, 0)}H1000V0"/><path class="at"/>${DIVISORS.map(
          ([, hue]) => `<path class="${hue}"/><path class="dots ${hue}"/>`,
        ).join("")}</svg>
        <p class="sizes" aria-hidden="true"></p><em>frozen: few keys get nearly all</em>${DIVISORS.map(([name, hue]) => `<i class="name ${hue}">${name}</i>`).join("")}<b class="handle"></b></div>
        <p class="ends" aria-hidden="true">${ends.map((d) => `<i data-left="${this.across(d) / 1000}">${d}</i>`).join("")}</p>
        <div class="rows">${DIVISORS.map(row).join("")}</div>`;
      }

      acts = `<p class="acts">${["Noise", "A match"].map(choice).join("")}<button type="button"
        data-act="again">Draw again</button></p>`;

      prepare() {
        const [least, most] = this.data.range;
        const area = this.at(".lines");
        this.drags(area, (event) => {
          this.values = { d: least * (most / least) ** shareAcross(area, event) };
        });
      }

      /** How far to the right a dimension stands, from 0 to 1000. */
      across(d) {
        const [least, most] = this.data.range;
        return +((1000 * Math.log(d / least)) / Math.log(most / least)).toFixed(1);
      }

      /** How far down a size stands, from 0 to 100. */
      down(size, match) {
        const [low, high] = this.data.sizes[match];
        return (100 - (100 * Math.log(size / low)) / Math.log(high / low)).toFixed(2);
      }

      again() {
        this.values = { seed: this.values.seed + 1 };
      }

      draw({ d, match, seed }) {
        const { rho, row, meant } = this.data;
        const keys = row.length;
        // The query has length √d. One and the same row for all four divisors.
        const drawn = seed > 1 ? row.map(gaussian(seed)) : row;
        const scores = drawn.map((g) => Math.sqrt(d) * g);
        if (match) scores[meant] = rho * d + Math.sqrt(1 - rho * rho) * scores[meant];
        const size = (at, by) => (match ? rho * at : Math.sqrt(at)) / by(at);
        const here = this.across(d);
        this.at(".at").setAttribute("d", `M${here} 0V100`);
        this.at(".handle").style.left = `${here / 10}%`;
        this.panel.classList.toggle("matched", !!match);
        const [low, high] = this.data.sizes[match].map(Math.log10).map(Math.round);
        const sizes = Array.from({ length: high - low + 1 }, (_, i) => +`1e${high - i}`);
        this.at(".sizes").innerHTML = sizes.map((each) => `<i>${each}</i>`).join("");
        const [names, rows] = [".name", ".row"].map((part) => this.panel.querySelectorAll(part));
        const last = this.stops.at(-1);
        const what = match ? "mean" : "spread";
        const found = DIVISORS.map(([name, hue, by], i) => {
          const [line, dot] = this.panel.querySelectorAll(`.graph .${hue}`);
          const climb = size(last, by) / size(this.stops[0], by);
          line.classList.toggle("level", Math.abs(climb - 1) < 1e-9);
          names[i].classList.toggle("falls", climb < 0.999);
          const at = this.stops.map((x) => `${this.across(x)} ${this.down(size(x, by), match)}`);
          line.setAttribute("d", `M${at.join("L")}`);
          dot.setAttribute("d", `M${here} ${this.down(size(d, by), match)}h0`);
          names[i].style.top = `${this.down(size(last, by), match)}%`;

          const weights = softmax(scores.map((score) => score / by(d)));
          const share = percent(match ? weights[meant] : Math.max(...weights));
          const [all, own] = rows[i].querySelectorAll("path");
          all.setAttribute("d", bars(weights));
          own.setAttribute("d", match ? bars([weights[meant]], meant, keys) : "");
          const divided = i ? `${name} = ${short(by(d))}` : name;
          rows[i].querySelector(".title").textContent = divided;
          rows[i].querySelector("b").textContent = share;
          rows[i].querySelector("span").innerHTML =
            `to ${match ? "the match" : "one key"}<br>${what} ${short(size(d, by))}`;
          return `${name}: ${what} ${short(size(d, by))}, ${share}`;
        });
        const title = match
          ? `${keys - 1} keys of noise and a match, d = ${d}`
          : `${keys} keys of noise, d = ${d}`;
        this.at(".title").textContent = title;
        this.at(".axis").textContent =
          `${match ? "mean logit of the match" : "spread of the logits"} over d, both axes logarithmic`;
        return `${title}. ${found.join("; ")} to ${match ? "the match" : "one key"}.`;
      }
    },
  );
}
