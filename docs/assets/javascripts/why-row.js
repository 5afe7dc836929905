// Real rows: to which keys a word of a sentence attends in a trained head, its scores divided by d to the power a.
{
  const at = (weight) => (1000 * weight).toFixed(2);

  /** Draw an arc, left of a list of words, from a word to one of them, as a path: 100 wide, and 1 high for each word. */
  const arc = (from, to, keys) => {
    const [start, end] = [from + 0.5, to + 0.5];
    if (from === to)
      return `M100 ${start - 0.25}C72 ${start - 0.5} 72 ${end + 0.5} 100 ${end + 0.25}`;
    const out = (100 - 128 * Math.sqrt(Math.abs(to - from) / keys)).toFixed(1);
    return `M100 ${start}C${out} ${start} ${out} ${end} 100 ${end}`;
  };

  explorable(
    "why-row",
    class extends Explorable {
      static title = "Real rows of attention";

      get inputs() {
        const label = "divide by <i>dᵃ</i>, <i>a</i>";
        const { heads, asked, words, asks } = this.data;
        return [
          { name: "a", label, least: 0, most: 1, step: 0.05, value: 0.5 },
          { name: "head", least: 0, most: heads.length - 1, step: 1, value: 0 },
          { name: "sentence", least: 0, most: asked.length - 1, step: 1, value: 0 },
          { name: "word", least: 1, most: words[0].length - 2, step: 1, value: asks[0] },
        ];
      }

      get stage() {
        const { asked, words } = this.data;
        const keys = words[0].length;
        return `<select class="asked" aria-label="Sentence">${asked
          .map((text, i) => `<option value="${i}">${text}</option>`)
          .join("")}</select>
          <p class="title"></p><p class="found"><b></b> <span></span></p>
          <div class="sums keyed"><svg class="arcs" viewBox="0 0 100 ${keys}" preserveAspectRatio="none" aria-hidden="true">${"<path/>".repeat(keys)}</svg>${words[0]
            .map(
              (_, i) => `<p>${
                i && i < keys - 1
                  ? `<button type="button" data-act="ask" value="${i}"></button>`
                  : "<span></span>"
              }<svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
                <path/><path class="trained"/></svg><b></b></p>`,
            )
            .join("")}</div>
          <p class="legend"><i class="now">now</i> <i class="trained">as trained, divided by √d</i></p>`;
      }

      get acts() {
        const little = `<svg class="bars" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"><path/></svg>`;
        const heads = this.data.heads.map((name, i) => [
          `${little}<span>head </span>${name}`,
          `head=${i}`,
        ]);
        const scales = { undivided: "a=0", "÷ √<i>d</i>": "a=0.5", "÷ <i>d</i>": "a=1" };
        return presets(scales) + presets(Object.fromEntries(heads));
      }

      prepare() {
        const select = this.at("select");
        select.addEventListener("input", () => {
          this.values = { sentence: select.value, word: this.data.asks[select.value] };
        });
      }

      /** Let another word ask. */
      ask({ value }) {
        this.values = { word: value };
      }

      draw({ a, head, sentence, word }) {
        const { d, heads, scores, words } = this.data;
        const all = words[sentence];
        const divided = (of, power) =>
          softmax(scores[sentence][of][word - 1].map((score) => score / 100 / d ** power));
        const [weights, trained] = [divided(head, a), divided(head, 0.5)];
        this.at("select").value = sentence;
        this.panel.querySelectorAll(".arcs path").forEach((path, i) => {
          path.setAttribute("d", arc(word, i, all.length));
          path.setAttribute("stroke-width", (16 * weights[i]).toFixed(2));
        });
        this.panel.querySelectorAll(".sums p").forEach((row, i) => {
          const [now, then] = row.querySelectorAll("path");
          now.setAttribute("d", `M0 1h${at(weights[i])}v18H0z`);
          then.setAttribute("d", `M${at(trained[i])} 0v20`);
          row.firstChild.textContent = all[i];
          row.firstChild.ariaPressed = row.firstChild.value && i === word;
          row.lastChild.textContent = percent(weights[i]);
        });
        this.panel.querySelectorAll(".acts .bars path").forEach((path, i) => {
          path.setAttribute("d", bars(divided(i, a)));
        });
        this.panel.className = `panel ${{ 0: "C1", 0.5: "C0", 1: "C2" }[a] ?? "C3"}`;
        const by = a
          ? `divided by ${{ 0.5: "√d", 1: "d" }[a] ?? `d^${a}`} = ${+(d ** a).toFixed(1)}`
          : "undivided";
        const top = weights.indexOf(Math.max(...weights));
        const keys = asIf(weights, `${all.length} keys`);
        const [title, goes] = [
          `“${all[word]}” in head ${heads[head]}, ${by}`,
          `${a === 0.5 ? "as trained, goes" : "goes"} to “${all[top]}”`,
        ];
        this.at(".title").textContent = title;
        this.at(".found b").textContent = percent(weights[top]);
        this.at(".found span").innerHTML = `${goes}<br>${keys}`;
        return `${title}: ${percent(weights[top])} of the attention ${goes}, ${keys}.`;
      }
    },
  );
}
