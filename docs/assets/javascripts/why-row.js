// One real row: the weights of one query in three trained heads, its scores divided by d to the power a.
{
  const at = (weight) => (1000 * weight).toFixed(2);

  explorable(
    "why-row",
    class extends Explorable {
      static title = "One real row";

      get inputs() {
        const label = "divide by <i>dᵃ</i>, <i>a</i>";
        return [
          { name: "a", label, least: 0, most: 1, step: 0.05, value: 0.5 },
          { name: "head", least: 0, most: this.data.heads.length - 1, step: 1, value: 0 },
        ];
      }

      get stage() {
        return `<p class="title"></p><p class="found"><b></b> <span></span></p><div class="sums keyed">${this.data.words
          .map(
            (
              word,
            ) => `<p><span>${word}</span><svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">
            <path/><path class="trained"/></svg><b></b></p>`,
          )
          .join(
            "",
          )}</div><p class="legend"><i class="now"></i> <i class="trained">as trained, divided by √d</i></p>`;
      }

      get acts() {
        const heads = this.data.heads.map(([name], i) => [`head ${name}`, `head=${i}`]);
        const scales = { undivided: "a=0", "÷ √<i>d</i>": "a=0.5", "÷ <i>d</i>": "a=1" };
        return presets(Object.fromEntries(heads)) + presets(scales);
      }

      draw({ a, head }) {
        const { d, words, heads } = this.data;
        const [name, scores] = heads[head];
        const divided = (power) => softmax(scores.map((score) => score / d ** power));
        const [weights, trained] = [divided(a), divided(0.5)];
        this.panel.querySelectorAll(".sums p").forEach((row, i) => {
          const [now, then] = row.querySelectorAll("path");
          now.setAttribute("d", `M0 1h${at(weights[i])}v18H0z`);
          then.setAttribute("d", `M${at(trained[i])} 0v20`);
          row.lastChild.textContent = percent(weights[i]);
        });
        this.panel.className = `panel ${{ 0: "C1", 0.5: "C0", 1: "C2" }[a] ?? "C3"}`;
        const by = a
          ? `divided by ${{ 0.5: "√d", 1: "d" }[a] ?? `d^${a}`} = ${+(d ** a).toFixed(1)}`
          : "undivided";
        const top = weights.indexOf(Math.max(...weights));
        const keys = asIf(weights, `${words.length} keys`);
        const [title, goes] = [
          `Head ${name}, ${by}${a === 0.5 ? ", as trained" : ""}`,
          `goes to “${words[top]}”`,
        ];
        this.at(".title").textContent = title;
        this.at(".now").textContent = `now, ${by}`;
        this.at(".found b").textContent = percent(weights[top]);
        this.at(".found span").innerHTML = `${goes}<br>${keys}`;
        return `${title}: ${percent(weights[top])} of the attention ${goes}, ${keys}.`;
      }
    },
  );
}
