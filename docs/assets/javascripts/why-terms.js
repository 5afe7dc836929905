// Three terms: the mean square of q·k for C = ρR(θ), and the one that was published.
{
  const ROWS = [
    ["C4", "baseline<br><i>d</i>"],
    ["C1", "middle term<br><i>ρ</i>²<i>d</i> cos 2<i>θ</i>"],
    ["C0", "last term<br><i>ρ</i>²<i>d</i>² cos² <i>θ</i>"],
    ["sum", "mean square"],
    ["ghost", "as published (dashed)"],
  ];
  // How far to the right d stands, from 0 to 1000, and how far down a root mean square; what is below the axis lies on it.
  const [LEAST, MOST] = [2, 256];
  const across = (d) => (1000 * Math.log(d / LEAST)) / Math.log(MOST / LEAST);
  const down = (size) => 100 - (100 * Math.log(Math.max(1, size))) / Math.log(MOST);
  const marks = powers(1, 8, 0.25);
  const short = (x) =>
    x
      .toFixed(Math.abs(x) < 99.95 ? 1 : 0)
      .replace(/^-0\.0$/, "0.0")
      .replace("-", "−");

  explorable(
    "why-terms",
    class extends Explorable {
      static title = "Three terms";
      inputs = [
        { name: "d", label: "dimensions <i>d</i>", stops: powers(1, 8, 1), value: 64 },
        { name: "r", label: "correlation <i>ρ</i>", least: 0, most: 1, step: 0.01, value: 0.3 },
        { name: "t", label: "angle <i>θ</i>", least: 0, most: 180, step: 1, value: 0 },
      ];

      stage = `<div class="terms"><div class="dial"><svg class="turn" viewBox="-110 -110 220 220" aria-hidden="true">
        <circle r="100"/><path class="query"/><path class="key"/><circle class="grip" r="14"/>
        <text x="84" y="-14">q</text><text class="name">k</text></svg><b class="reach"></b></div>
        <div><p class="axis">root mean square over <i>d</i><span>, both axes logarithmic</span></p>
        <div class="lines"><svg class="graph" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="first C4"/><path class="last C0"/><path class="printed"/><path class="now"/></svg><b class="handle"></b>
        <p class="sizes" aria-hidden="true"><i>256</i><i>64</i><i>16</i><i>4</i><i>≤ 1</i></p></div>
        <p class="ends" aria-hidden="true">${powers(1, 7, 2)
          .map((d) => `<i data-left="${across(d) / 1000}">${d}</i>`)
          .join("")}</p></div>
        <div class="sums">${ROWS.map(
          ([
            hue,
            name,
          ]) => `<p class="${hue}"><span>${name}</span><svg viewBox="0 0 1000 20" preserveAspectRatio="none"
          aria-hidden="true"><path class="ghostly"/><path/></svg><b></b></p>`,
        ).join("")}</div></div><p class="size"></p>`;

      acts = presets({
        "our key": "t=0&r=0.3&d=64",
        "<i>ρ</i> = 0.1": "t=0&r=0.1&d=64",
        copy: "t=0&r=1&d=64",
        "45°": "t=45&r=1&d=4",
        "90°": "t=90&r=1&d=4",
      });

      prepare() {
        const dial = this.at(".dial");
        this.drags(
          dial,
          (event) => {
            const box = dial.getBoundingClientRect();
            const x = event.clientX - box.left - box.width / 2;
            const y = box.top + box.height / 2 - event.clientY;
            const t = Math.abs((Math.atan2(y, x) * 180) / Math.PI);
            this.values = { t, r: (2.2 * Math.hypot(x, y)) / box.width };
          },
          ".reach",
        );
        const plot = this.at(".lines");
        this.drags(plot, (event) => {
          this.values = { d: LEAST * (MOST / LEAST) ** shareAcross(plot, event) };
        });
      }

      draw({ t, r, d }) {
        const angle = (t * Math.PI) / 180;
        const threeTerms = (d) => [
          d,
          r * r * d * Math.cos(2 * angle),
          (r * d * Math.cos(angle)) ** 2,
        ];
        const total = (d) => threeTerms(d).reduce((a, b) => a + b);
        const printed = (d) => d + r * r * d + threeTerms(d)[2];
        const [terms, sum, published] = [threeTerms(d), total(d), printed(d)];
        // Each term begins where the one before it ends. All that d allows has room.
        const scale = 1000 / (d * d + 2 * d);
        const bar = (from, to) =>
          `M${(from * scale).toFixed(2)} 1h${((to - from) * scale).toFixed(2)}v18H${(from * scale).toFixed(2)}z`;
        const spans = [
          [0, d],
          [d, d + terms[1]],
          [d + terms[1], sum],
          [0, sum],
          [0, published],
        ];
        this.panel.querySelectorAll(".sums p").forEach((row, i) => {
          const [ghost, path] = row.querySelectorAll("path");
          path.setAttribute("d", bar(...spans[i]));
          // What was published in its place: ρ²d, whatever the angle.
          if (i === 1) ghost.setAttribute("d", bar(d, d + r * r * d));
          row.classList.toggle("negative", spans[i][1] < spans[i][0]);
          row.lastChild.textContent = short([...terms, sum, published][i]);
        });
        // The roots: of the first and of the last term alone, of what was published, and of all three.
        const root = (square) => Math.sqrt(Math.max(0, square));
        const line = (square, from = LEAST) => {
          const point = (d) => `${across(d).toFixed(1)} ${down(root(square(d))).toFixed(2)}`;
          return `M${[from, ...marks.filter((d) => d > from)].map(point).join("L")}`;
        };
        const draw = (part, path) => this.at(`.graph .${part}`).setAttribute("d", path);
        const meets = 1 / (r * Math.abs(Math.cos(angle))); // where the root of the last term is 1
        draw(
          "first",
          line((d) => threeTerms(d)[0]),
        );
        draw("last", meets < MOST ? line((d) => threeTerms(d)[2], Math.max(LEAST, meets)) : "");
        draw("printed", line(printed));
        draw("now", line(total));
        this.at(".handle").style.left = `${across(d) / 10}%`;
        this.at(".handle").style.bottom = `${100 - down(root(sum))}%`;
        const [x, y] = [100 * r * Math.cos(angle), -100 * r * Math.sin(angle)];
        this.at(".query").setAttribute("d", "M0 0H100m-12 -6l12 6l-12 6");
        this.at(".key").setAttribute("d", `M0 0L${x.toFixed(1)} ${y.toFixed(1)}`);
        this.at(".grip").setAttribute("cx", x.toFixed(1));
        this.at(".grip").setAttribute("cy", y.toFixed(1));
        this.at(".reach").style.left = `${50 + x / 2.2}%`;
        this.at(".reach").style.top = `${50 + y / 2.2}%`;
        const name = this.at(".name");
        name.setAttribute("x", x.toFixed(1));
        name.setAttribute("y", (y + 5).toFixed(1));
        const [size, said] = [sum, published].map((square) => short(root(square)));
        const words = `Key at ${t}°: root mean square ${size}, published ${said}; √d is ${short(Math.sqrt(d))}, d is ${d}`;
        this.at(".size").textContent = words;
        return `${words}. With ρ = ${r} the terms are ${terms.map(short).join(", ")}.`;
      }
    },
  );
}
