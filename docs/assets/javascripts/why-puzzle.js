// The 1.6 puzzle: np.var of the product of two random arrays, one draw after the other.
{
  const MOST = 20000; // draws
  const FEW = 40; // draws that lie there as dots, one upon the other; more of them are bars

  explorable(
    "why-puzzle",
    class extends Explorable {
      static title = "The 1.6 puzzle";
      inputs = [
        { name: "guess", label: "your guess", least: 0, most: 8, step: 0.1, value: 2 },
        { name: "n", label: "rows <i>n</i>", least: 2, most: 8, step: 1, value: 2 },
        { name: "m", label: "columns <i>m</i>", least: 2, most: 8, step: 1, value: 2 },
        { name: "d", label: "terms <i>d</i>", least: 1, most: 8, step: 1, value: 2 },
        { name: "ddof", least: 0, most: 1, step: 1, value: 0 },
        { name: "count", least: 0, most: MOST, step: 1, value: 0 },
        { name: "seed", least: 1, most: 1e9, step: 1, value: 1 },
      ];

      stage = `<div class="puzzle"><pre class="matrix" tabindex="0" role="group" aria-label="The product of the last draw"></pre>
        <p class="found"><b></b> <span></span></p></div>
        <div class="heap"><svg class="bars" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path/><path class="dots"/><path class="law"/></svg>
        ${["guess", "bare", "right", "mean"].map((name) => `<i class="mark ${name}"></i>`).join("")}<b class="dot"></b></div>
        <p class="ends" aria-hidden="true"></p><p class="answer"></p><p class="legend"></p>`;

      acts = `<p class="acts"><button type="button" data-act="once">Draw once</button><button type="button"
        data-act="often">1000 times</button><button type="button" data-act="anew">Start again</button></p>${presets(
          {
            "2×2": "n=2&m=2&d=2",
            "8×8": "n=8&m=8&d=2",
            "ddof=0": "ddof=0",
            "ddof=1, without the bias": "ddof=1",
          },
        )}`;

      once() {
        this.values = { count: this.values.count + 1 };
        this.falls = true;
      }

      often() {
        this.values = { count: this.values.count + 1000 };
      }

      anew() {
        this.values = { count: 0, seed: this.values.seed + 1 };
      }

      /** Draw Q and K, and keep their product and the variance of its entries about their own mean. In plain loops:
          20,000 draws of 8×8 took twice as long with arrays that functions filled. */
      product(n, m, d) {
        const [q, k] = [new Float64Array(n * d), new Float64Array(d * m)];
        for (const all of [q, k]) for (let i = 0; i < all.length; i++) all[i] = this.next();
        this.last = new Array(n * m);
        let mean = 0;
        for (let i = 0; i < n; i++)
          for (let j = 0; j < m; j++) {
            let sum = 0;
            for (let l = 0; l < d; l++) sum += q[i * d + l] * k[l * m + j];
            this.last[i * m + j] = sum;
            mean += sum / (n * m);
          }
        let squares = 0;
        for (const x of this.last) squares += (x - mean) ** 2;
        return squares / (n * m);
      }

      draw({ guess, n, m, d, ddof, count, seed }) {
        const source = `${n} ${m} ${d} ${seed}`;
        if (source !== this.source || count < this.drawn.length) {
          this.source = source;
          this.drawn = [];
          this.next = gaussian(seed);
        }
        while (this.drawn.length < count) this.drawn.push(this.product(n, m, d));
        const size = n * m;
        const more = size / (size - ddof);
        const right = d * (1 - 1 / size) * more;
        const latest = this.drawn.at(-1) * more;
        const mean = (this.drawn.reduce((a, b) => a + b, 0) / count) * more;

        // The heap, from 0 to some times d, and the exact law over it where it is known, to the same scale.
        const { shape, times, below } = this.data;
        const end = times * d;
        const few = count <= FEW;
        const heap = below.map(() => 0);
        const places = this.drawn.map((v) => {
          const bin = Math.floor((v * more * heap.length) / end);
          return bin < heap.length ? [bin + 0.5, heap[bin]++ + 0.5] : [heap.length, 0];
        });
        const known = count && `${[n, m, d]}` === `${shape}` && !ddof;
        const law = known ? below.map((share, i) => count * (share - (below[i - 1] ?? 0))) : [];
        const top = Math.max(few ? 8 : 1, ...heap, ...law) * 1.05;
        const across = (bins) => (1000 * bins) / heap.length;
        const [bins, dots, line] = this.panel.querySelectorAll(".bars path");
        const point = ([x, y]) => `${across(x)} ${(100 - (100 * y) / top).toFixed(2)}`;
        bins.setAttribute("d", few ? "" : bars(heap.map((h) => h / top)));
        const lying = few ? places.slice(0, -1).filter(([, y]) => y) : [];
        dots.setAttribute("d", lying.map((place) => `M${point(place)}h0`).join(""));
        this.at(".heap").style.setProperty("--top", top);
        line.setAttribute("d", known ? `M${law.map((h, i) => point([i + 0.5, h])).join("L")}` : "");

        const marks = { guess, bare: count && d, right: count && right, mean: count && mean };
        for (const [name, value] of Object.entries(marks)) {
          const mark = this.at(`.mark.${name}`);
          mark.hidden = !value;
          mark.style.left = `${(100 * Math.min(value, end)) / end}%`;
        }
        const dot = this.at(".dot");
        dot.hidden = !count;
        dot.style.left = `${(100 * Math.min(latest, end)) / end}%`;
        dot.style.bottom = `${few && count ? (100 * places.at(-1)[1]) / top : 0}%`;
        if (this.falls && !this.calm)
          dot.animate(
            { bottom: ["105%", dot.style.bottom] },
            { duration: 450, easing: "cubic-bezier(0.5, 0, 1, 0.7)" },
          );
        this.falls = false;

        // What the guess gets: the share of all draws that is smaller.
        const share = (limit) => {
          const part = this.drawn.filter((v) => v * more < limit).length / count;
          return { 0: "none", 1: "all" }[part] ?? percent(part);
        };
        const asked =
          known && guess !== this.data.observed
            ? `, and ${share(this.data.observed)} below the ${this.data.observed} of our question`
            : "";
        const draws = counted(count, "draw");
        const sign = latest < guess ? "less" : "more";
        const answer =
          count > 9
            ? `You guessed ${guess}: ${share(guess)} of ${draws} are below it${asked}. ${count === MOST ? "That is enough" : `Their mean is ${mean.toFixed(2)}`}.`
            : count &&
              `You guessed ${guess}: this draw is ${Math.abs(latest - guess).toFixed(2)} ${sign}. Draw more.`;
        this.at(".answer").textContent = answer || "";
        for (const button of this.panel.querySelectorAll("[data-act=once], [data-act=often]"))
          button.disabled = count === MOST;
        this.at("[data-act=anew]").disabled = !count;

        const entry = (x) => x.toFixed(2).padStart(6).replace("-", "−");
        const row = (i) =>
          this.last
            .slice(i * m, (i + 1) * m)
            .map(entry)
            .join(" ");
        this.at(".matrix").hidden = !count;
        this.at(".matrix").textContent = count
          ? Array.from({ length: n }, (_, i) => row(i)).join("\n")
          : "";
        this.at(".found b").textContent = count ? latest.toFixed(2) : "?";
        const call = `np.var${ddof ? "(ddof=1)" : ""} of ${count ? "this" : "a"} ${n}×${m} product`;
        this.at(".found span").textContent = count
          ? call
          : `${call} of random numbers. Move your guess, then draw.`;
        this.at(".ends").innerHTML = [0, 1, 2, 3, 4].map((i) => `<i>${(i * end) / 4}</i>`).join("");
        this.at(".legend").innerHTML = count
          ? `<i class="last">last draw</i> <i class="guess">guess ${guess}</i> <i class="bare">d = ${d}</i> ${
              known ? `<i class="law">exact distribution</i> ` : ""
            }<i class="right">exact mean${ddof ? "" : " d(1 − 1/nm)"} = ${right.toFixed(2)}</i> <i class="mean">mean of ${draws} ${mean.toFixed(2)}</i>`
          : `<i class="guess">guess ${guess}</i>`;
        return count
          ? `${call} is ${latest.toFixed(2)}. ${answer} The exact mean is ${right.toFixed(2)}.`
          : call;
      }
    },
  );
}
