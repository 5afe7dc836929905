// What search finds: the words that are typed, in the sections that `weave/pages/search.py` lists.
// search.js has the box, and loads this file and the list when a reader wants them.

// Different spellings become one, on pages and in what is typed. NFKC has made plain letters of
// superscripts before.
const SPELLINGS = [
  [/['’](?:s\b)?/g, ""],
  [/(?:\b1 ?\/ ?)?(?:\\?\bsqrt\b|√)/g, " root "], // 1/√d: of the divisor
  [/\bd_?\{?k\b\}?/g, "d_k"],
  [/\broot\s+(?:of )?(?:the )?\(?d_k\b\)?/g, "root d"],
  [/\bqk-?norm/g, "qk norm"],
  [/\b(soft|logit|tanh)[- ]?capp?(?:ing|ed|s)?\b/g, "$1 cap"],
  [/\bhow many\b/g, "number of"],
  [/(?<!\bd)_|_(?!k\b)/g, " "], // head_dim
  [/(\d) ?[x*] ?(?=\d)/g, "$1×"], // 2x2
  [/(?<=\p{L})[-^](?=\d)/gu, ""], // GPT-2, d^5
  [/\^\\?(?:top|t)\b/g, "t"], // QK^T
  [/(?<!\d)0(?=\.\d)/g, ""], // 0.07
  [/(?<=\p{L}{3})iz(?=[ei]|ation)/gu, "is"], // initialization
  ...Object.entries({ α: "alpha", β: "beta", μ: "mu", ρ: "rho", σ: "sigma", τ: "tau", θ: "theta" }),
];
// A section that says one of these is found by the others as well.
const SAME = [
  ["fp16", "float16", "half precision"],
  ["int8", "quantisation", "quantised"],
  ["soft cap", "logit cap", "tanh cap"],
  ["gqa", "grouped query attention"],
  ["mqa", "multi query attention"],
  ["common mean", "anisotropy", "anisotropic"],
  ["divisor", "scale", "scaling", "divide"],
  ["product", "matmul"],
  ["qk clip", "muonclip"],
  ["trained model", "pretrained"],
  ["d model", "model width", "width of the model"],
  ["lora", "adapter"],
  ["unstable", "instability", "diverge", "explode"],
];
const IDLE =
  /^(an?|and|are|as|at|be|by|can|do(es)?|for|from|goes|how|i[fnst]?|my|need|o[fnr]|so|that|the|to|we|what|when|which|why|with|you)$/;

const spelled = (text) =>
  SPELLINGS.reduce(
    (all, [from, to]) => all.replaceAll(from, to),
    text.normalize("NFKC").toLowerCase(),
  );
const split = (text) => text.match(/\.?\d+(?:[.,×-]\d+)*|[\p{L}_][\p{L}\d_]*/gu) ?? [];
const stem = (word) =>
  word.length > 3 ? word.replace(/(?:ies|ing|ed|es|[ey]|(?<!s)s)$/, "") : word;

// How well a word of a page answers one that was typed, from 0 to 1. A number, or a single letter, is
// meant as it stands; anything else may be the beginning of a word.
function fit(word, typed) {
  if (word === typed) return 1;
  if (typed === "d" && word === "d_k") return 0.8;
  if (typed.length === 1 || /^[.\d]/.test(typed)) return 0;
  if (stem(word) === stem(typed)) return 0.8;
  return typed.length > 2 && word.startsWith(stem(typed)) ? 0.3 : 0;
}

// Tell whether a word becomes another by a slip: a letter that is missing, too many, wrong, or changed places with the
// next; in words of eight letters or more, two of them. The first letter has to be right.
function isSlip(word, typed) {
  const most = typed.length >= 8 ? 2 : 1;
  if (word[0] !== typed[0] || Math.abs(word.length - typed.length) > most) return false;
  let [before, last] = [[], Array.from({ length: word.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= typed.length; i++) {
    const row = [i];
    for (let j = 1; j <= word.length; j++) {
      const same = typed[i - 1] === word[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + same);
      if (j > 1 && i > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last[word.length] <= most;
}

// What was probably meant: for a word that no section has, the most frequent one of which it is a slip.
function meant({ frequency }, typed) {
  const known = [...frequency.keys()];
  return typed.map((two) => {
    if (two.length < 4 || /\d/.test(two) || known.some((one) => fit(one, two))) return two;
    const near = known.filter((one) => one.length > 3 && isSlip(one, two));
    return near.sort((a, b) => frequency.get(b) - frequency.get(a))[0] ?? two;
  });
}
const answers = (text, typed) =>
  split(spelled(text)).some((one) => typed.some((two) => fit(one, two)));

// The words to look for.
function wanted(query) {
  const typed = split(spelled(query));
  const rare = typed.filter((word) => !IDLE.test(word));
  return rare.length ? rare : typed;
}

// Give each section its words: those of its title and address, and those of its text.
function prepare(sections) {
  const frequency = new Map(); // how many sections have a word
  for (const section of sections) {
    const page = section.at.includes("#") ? "" : section.page; // as it is called in the contents
    const title = spelled(`${section.title} ${page} ${section.at.replace(/.*#|[-/]/g, " ")}`);
    const text = spelled(section.text);
    const said = `${title} ${text}`.replaceAll("-", " ");
    const same = (said) => SAME.filter((all) => all.some((words) => said.includes(words))).flat();
    section.titled = split([title, ...same(title)].join(" "));
    section.words = split([text, ...same(said)].join(" "));
    for (const word of new Set([...section.titled, ...section.words]))
      frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const length = sections.reduce((sum, { words }) => sum + words.length, 0) / sections.length;
  return { sections, frequency, length };
}

// Rank the sections. A word counts by how rare it is and how often it comes (as in BM25), more in a
// title, and again beside the word that was typed before it. A section that lacks words falls behind
// those that have them: by the square of the share that it has.
function find({ sections, frequency, length }, typed) {
  const asked = typed.map((two) => {
    const all = [...frequency].map(([one, having]) => [one, fit(one, two), having]);
    const fitting = all.filter(([, fits]) => fits);
    const having = fitting.reduce((sum, [, fits, having]) => sum + fits * having, 0);
    return {
      fits: new Map(fitting),
      rarity: Math.log(1 + sections.length / (1 + Math.min(having, sections.length))),
    };
  });
  const total = asked.reduce((sum, { rarity }) => sum + rarity, 0);
  const score = ({ titled, words, boost }) => {
    let [score, has] = [0, 0];
    asked.forEach(({ fits, rarity }, i) => {
      const before = asked[i - 1]?.fits;
      const pair = (all) => all.some((word, at) => fits.has(word) && before?.has(all[at - 1]));
      const title = Math.max(0, ...titled.map((word) => fits.get(word) ?? 0));
      const often = words.reduce((sum, word) => sum + (fits.get(word) ?? 0), 0);
      score += rarity * (2 * title + often / (often + 0.5 + words.length / length));
      score += rarity * (pair(titled) + pair(words) / 2);
      if (title || often) has += rarity;
    });
    return score * boost * (has / total) ** 2;
  };
  const scored = sections.map((section) => [score(section), section]).sort(([a], [b]) => b - a);
  const [[best]] = scored;
  return {
    results: scored.filter(([one]) => one && one > best / 6).map(([, section]) => section),
    missing: typed.filter((_, i) => !asked[i].fits.size),
  };
}

// The sentence that has most of the words, and what follows it.
function excerpt({ text }, typed) {
  const sentences = text.split(/(?<=[.?!]) (?=[\p{Lu}√])/u);
  const counts = sentences.map((one) => typed.filter((two) => answers(one, [two])).length);
  const rest = sentences.slice(counts.indexOf(Math.max(...counts))).join(" ");
  return rest.length > 200 ? rest.slice(0, rest.lastIndexOf(" ", 200)) + " …" : rest;
}

// Where, in some text, the words stand that answer.
const hits = (text, typed) =>
  [...text.matchAll(/[^\s,;:?!()[\]“”]+(?<!\.)/g)]
    .filter(([word]) => answers(word, typed))
    .map(({ 0: word, index }) => [index, index + word.length]);

// The text, with those words marked.
function marked(text, typed) {
  let end = 0;
  const parts = hits(text, typed).flatMap(([from, to]) => {
    const mark = Object.assign(document.createElement("mark"), {
      textContent: text.slice(from, to),
    });
    const before = text.slice(end, from);
    end = to;
    return [before, mark];
  });
  return [...parts, text.slice(end)];
}

// A row of the list.
function result(section, typed) {
  const item = document.createElement("li");
  item.className = "md-search-result__item";
  item.innerHTML =
    '<a class="md-search-result__link"><article class="md-search-result__article md-typeset">' +
    "<h2></h2><small></small><p></p></article></a>";
  const link = item.firstChild;
  link.href = new URL(section.at, base);
  link.search = new URLSearchParams({ h: typed.join(" ") });
  item.querySelector("h2").append(...marked(section.title, typed));
  item.querySelector("small").textContent = section.page;
  item.querySelector("p").append(...marked(excerpt(section, typed), typed));
  return item;
}

// Where a result leads to, mark what was typed, up to the next heading. If all of it stands in folds,
// open the first.
function mark(typed) {
  const headings = [...document.querySelectorAll("article :is(h1, h2, h3, h4)")];
  const at = headings.findIndex(({ id }) => id === decodeURIComponent(location.hash.slice(1)));
  const [start, end] = headings.slice(Math.max(at, 0));
  const isHere = (node) =>
    start.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING &&
    !(end?.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
  const texts = document.createNodeIterator(start.closest("article"), NodeFilter.SHOW_TEXT);
  const ranges = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    if (isHere(text) && !text.parentElement.closest("math, svg, pre"))
      for (const [startOffset, endOffset] of hits(text.data, typed))
        ranges.push(
          new StaticRange({ startContainer: text, startOffset, endContainer: text, endOffset }),
        );
  CSS.highlights?.set("found", new Highlight(...ranges));
  const folds = ranges.map((range) =>
    range.startContainer.parentElement.closest("details:not([open])"),
  );
  if (folds.every(Boolean))
    for (let fold = folds[0]; fold; fold = fold.parentElement.closest("details")) fold.open = true;
}
