// What search finds: the words that are typed, in the sections that `weave/pages/search.py` lists.
// search.js has the box, and loads this file and the list when a reader wants them.

// Different spellings become one, on pages and in what is typed. NFKC has made plain letters of
// superscripts before.
const SPELLINGS = [
  [/['’](?:s\b)?/g, ""],
  [/(?:\b1 ?\/ ?)?(?:\\?\bsqrt\b|√)/g, " root "], // 1/√d: of the divisor
  [/\bd_?\{?k\b\}?/g, "d_k"],
  [/\bw_\{?([qkvo])\b\}?/g, "w$1"], // W_Q
  [/\broot\s+(?:of )?(?:the )?\(?d_k\b\)?/g, "root d"],
  [/\bqk-?norm/g, "qk norm"],
  [/\b(soft|logit|tanh)[- ]?capp?(?:ing|ed|s)?\b/g, "$1 cap"],
  [/\bhow many\b/g, "number of"],
  [/(?<!\bd)_|_(?!k\b)/g, " "], // head_dim
  [/(\d) ?[x*] ?(?=\d)/g, "$1×"], // 2x2
  [/(?<=\p{L})[-^](?=\d)/gu, ""], // GPT-2, d^5
  [/\^\\?(?:top|t)\b/g, "t"], // QK^T
  [/(?<!\d)0(?=\.\d)/g, ""], // 0.07
  [/[αβμρστθ]/g, (letter) => GREEK[letter]],
  [/\b(mu|sigma)[- ](?=p\b|transfer|reparam)/g, "$1"],
  // American, and other ways to write a word
  [/(?<=\p{L}{3}|\p{L}y)z(?=[ei]|ation)/gu, "s"],
  [/(?<=neighb|behavi|col|fav)our/g, "or"],
  [/\bcentre/g, "center"],
  [/(?<=model|label|distil)l(?=\b|[eis])/g, ""],
  [/\bdim(?=s?\b)/g, "dimension"],
  [/\battn\b/g, "attention"],
  [/\binit\b/g, "initialisation"],
  [/\bconfig\b/g, "configuration"],
  [/\bstd\b/g, "standard deviation"],
];
const GREEK = { α: "alpha", β: "beta", μ: "mu", ρ: "rho", σ: "sigma", τ: "tau", θ: "theta" };
// Where one of these is said, the others are found as well.
const SAME = [
  ["fp16", "float16", "half precision"],
  ["bf16", "bfloat16"],
  ["fp4", "nvfp4", "mxfp4", "e2m1", "4 bit", "four bits"],
  ["fp8", "e4m3", "8 bit", "eight bits"],
  ["int8", "quantisation", "quantised"],
  ["soft cap", "logit cap", "tanh cap"],
  ["gqa", "grouped query attention"],
  ["mqa", "multi query attention"],
  ["sdpa", "scaled dot product attention"],
  ["flash attention", "flashattention"],
  ["common mean", "anisotropy", "anisotropic"],
  ["divisor", "scale", "scaling", "divide", "division", "factor"],
  ["product", "matmul"],
  ["qk clip", "muonclip"],
  ["mup", "mutransfer", "maximal update"],
  ["trained model", "pretrained"],
  ["d model", "model width", "width of the model", "hidden size"],
  ["lora", "adapter"],
  ["unstable", "instability", "diverge", "explode", "blow up", "blows up"],
  ["learned", "learnable", "trainable"],
  ["twice", "two times", "double"],
  ["check", "verify", "test"],
  ["rope", "rotary"],
  ["skip connection", "residual"],
  ["cross attention", "encoder decoder"],
  ["keras", "tensorflow"],
  ["initialisation", "at the start", "untrained"],
  ["even", "uniform", "flat", "average"],
  ["one key", "one token", "single token", "single key"],
  ["vanish", "too small", "almost zero"],
  ["one hot", "peaked"],
  ["xavier", "glorot"],
  ["window", "neighborhood", "local attention"],
  ["gaussian kernel", "rbf"],
  ["siglip", "sigmoid loss"],
  ["random walk", "coin"],
  ["cosine", "cosine similarity"],
];
const ALIKE = new Map(SAME.flatMap((all) => all.map((words) => [words, all])));
const SAID = new RegExp(` (?=(${SAME.flat().join("|")}))`, "g");
// What says how it is asked, and not what about: the words of grammar, and those that any question may have.
const IDLE = new RegExp(
  `^(${[
    "an? about also am and any are as at be been being but by can could for from had has have having",
    "how i if in into is it its just like may me might must my of ok on or our shall should so some",
    "still such than that the their them then there these they this those to too us very vs versus",
    "was we were what when where whether which while who why will with would you your",
    "do does did doing get gets getting go goes got happens? make makes making need use uses used using",
    "want really think",
    "(ai|are|ca|can|could|did|do|does|has|have|is|should|was|were|wo|would)nt im ive",
  ]
    .join(" ")
    .replaceAll(" ", "|")})$`,
);
// Beside a product or a softmax, code has no word of grammar but Python's own.
const CODE =
  /@|(?:\b(?:matmul|bmm|baddbmm|einsum|dot|softmax|scaled_dot_product_attention)|\.sqrt)\s*\(/;
const PYTHON = /^(and|as|for|from|if|in|is|or|with|i)$/;
// Where a line of attention code leads first: what it should be, and the ways to get it wrong.
const LINE = ["#mechanism", "mistakes/#kinds"];
const PASSAGE = 80; // words: as many as a short answer has

const spelled = (text) =>
  SPELLINGS.reduce(
    (all, [from, to]) => all.replaceAll(from, to),
    text.normalize("NFKC").toLowerCase(),
  );
const split = (text) => text.match(/\.?\d+(?:[.,×-]\d+)*|[\p{L}_][\p{L}\d_]*/gu) ?? [];

// What a word has in common with its other forms: three letters or more.
const stems = new Map();
function stem(word) {
  if (!stems.has(word)) {
    const ends = /(?<=\p{L}{3})(?:i(?:es|ed|er)|(?:at)?(?:ions?|ing|ed|es?)|y|(?<!s)s)$/u;
    stems.set(word, word.replace(ends, "").replace(/([bdgmnprt])\1$/, "$1")); // splitting
  }
  return stems.get(word);
}

// How well a word of a page answers one that was typed, from 0 to 1. A number, or a single letter, is
// meant as it stands; anything else may be the beginning of a word.
function fit(word, typed) {
  if (word === typed) return 1;
  if (typed === "d" && word === "d_k") return 0.8;
  if (typed.length === 1 || /^[.\d]/.test(typed)) return 0;
  if (stem(word) === stem(typed)) return 0.8;
  const begins = (start, least) => start.length >= least && word.startsWith(start);
  return begins(typed, 3) || begins(stem(typed), 4) ? 0.3 : 0;
}

// How many letters are missing, too many, wrong, or have changed places with the next. A letter that
// hands seldom get wrong by a slip, another consonant or one too many that is not doubled, counts a
// hundredth more: with it, a word is rather another word.
function slips(word, typed) {
  let [before, last] = [[], Array.from({ length: word.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= typed.length; i++) {
    const one = typed[i - 1];
    const row = [last[0] + 1.01];
    for (let j = 1; j <= word.length; j++) {
      const two = word[j - 1];
      const vowels = /^[aeiouy]{2}$/.test(one + two);
      const swapped = one === word[j - 2] && typed[i - 2] === two;
      row[j] = Math.min(
        last[j] + (one === typed[i - 2] ? 1 : 1.01),
        row[j - 1] + 1,
        last[j - 1] + (one === two ? 0 : vowels ? 1 : 1.01),
        swapped ? before[j - 2] + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[word.length];
}

// The word of the site that is nearest to one that no section has, if it is near: one slip away, or
// two in eight letters or more, with the right first letter.
function nearestWord(all, typed) {
  const most = typed.length < 8 ? 1 : 2;
  if (typed.length < 5 || /\d/.test(typed)) return undefined;
  return [...all.index.keys()]
    .filter((word) => word.length > 3 && word[0] === typed[0] && !/\d/.test(word))
    .filter((word) => Math.abs(word.length - typed.length) <= most)
    .map((word) => ({ word, far: slips(word, typed) }))
    .filter(({ far }) => Math.floor(far) <= most)
    .sort((a, b) => a.far - b.far || frequency(all, b.word) - frequency(all, a.word))[0];
}

// How the site writes a word, and in what share of its sections it writes it small. A name is a word
// that it never does.
function written({ sections }, word) {
  const found = new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, "iu");
  const all = sections.map(({ text }) => text.match(found)?.[0]).filter(Boolean);
  const small = all.filter((one) => one === word).length;
  return { as: small ? word : (all[0] ?? word), share: small / sections.length };
}

// What is asked: the words to look for. A name is not a slip: what is taken for a slip has to be near to a
// common word, one that a section in fifty has and writes small, by slips alone, and typed small.
// Else that word is offered.
function understood(all, query) {
  const typed = split(spelled(query));
  const raw = query.match(/[\p{L}\d_]+/gu) ?? [];
  const asTyped = (word) => raw.find((one) => split(spelled(one)).includes(word)) ?? word;
  const words = split(spelled(query.replace(/#.*/, "")));
  const isCode = CODE.test(query) && !words.some((word) => IDLE.test(word) && !PYTHON.test(word));
  const rare = typed.filter((word) => !IDLE.test(word));
  const [taken, offered] = [[], []];
  const meant = (rare.length ? rare : typed).flatMap((word) => {
    if (isCode || known(all, word).fields.size) return word;
    const parts = word.match(/\d+|\D+/g); // gemma3n
    if (parts.length > 1 && parts.every((part) => known(all, part).fields.size)) return parts;
    const near = nearestWord(all, word);
    if (!near) return word;
    const { as, share } = written(all, near.word);
    const isSlip = Number.isInteger(near.far) && share >= 0.02;
    if (isSlip && asTyped(word) === word) {
      taken.push(near.word);
      return near.word;
    }
    offered.push([asTyped(word), as]);
    return word;
  });
  return {
    typed: meant,
    asTyped,
    exact: new Set(meant.filter((word) => /\p{Lu}.*\p{Lu}/u.test(asTyped(word)))), // LARS: no beginning
    isCode,
    taken,
    offered: offered.map(([, as]) => as),
    instead: offered.reduce((all, [word, as]) => all.replace(word, as), query),
  };
}
const answers = (text, typed) =>
  split(spelled(text)).some((one) => typed.some((two) => fit(one, two)));

// List the words, and where they stand: in the sections' titles and addresses, and in their passages,
// which overlap by half.
function prepare(sections) {
  const index = new Map(); // word → field → places
  const add = (section, words) => {
    const field = { section };
    const said = ` ${words.join(" ")}`.matchAll(SAID);
    const same = new Set([...said].map(([, one]) => ALIKE.get(one)));
    words.concat(split([...same].flat().join(" "))).forEach((word, at) => {
      if (!index.has(word)) index.set(word, new Map());
      const fields = index.get(word);
      if (fields.has(field)) fields.get(field).push(at);
      else fields.set(field, [at]);
    });
    return field;
  };
  for (const section of sections) {
    const page = section.at.includes("#") ? "" : section.page; // as it is called in the contents
    const titled = `${section.title} ${page} ${section.at.replace(/.*#|[-/]/g, " ")}`;
    section.titled = add(section, split(spelled(titled)));
    const words = split(spelled(section.text));
    section.passages = [];
    for (let at = 0; !at || at + PASSAGE / 2 < words.length; at += PASSAGE / 2)
      section.passages.push(add(section, words.slice(at, at + PASSAGE)));
  }
  return { sections, index, known: new Map() };
}

// How many sections have a word.
const frequency = ({ index }, word) =>
  new Set([...index.get(word).keys()].map(({ section }) => section)).size;

// What the site has of a word that is typed: how rare it is, and in each field that answers it, how well
// at best, how often and where.
function known(all, typed, least = 0) {
  const key = `${typed} ${least}`;
  if (all.known.has(key)) return all.known.get(key);
  const fields = new Map();
  let having = 0;
  for (const [word, places] of all.index) {
    const fits = fit(word, typed);
    if (fits <= least) continue;
    having += fits * frequency(all, word);
    for (const [field, at] of places) {
      const answer = fields.get(field) ?? { best: 0, often: 0, at: [] };
      answer.best = Math.max(answer.best, fits);
      answer.often += fits * at.length;
      answer.at.push(...at);
      fields.set(field, answer);
    }
  }
  const count = all.sections.length;
  const rarity = Math.log(1 + count / (1 + Math.min(having, count)));
  all.known.set(key, { fields, rarity });
  return all.known.get(key);
}

// Rank the sections, each by the best of its passages: a long section has every word somewhere, and
// answers only if it has them together. A word counts by how rare it is and how often it comes (as in
// BM25; passages are of one length), more in a title, and again beside the word that was typed before it.
// What lacks words falls behind what has them: by the square of the share that it has, for up to two
// words, and by less the more were typed, since no answer has all the words of a long question.
function find(all, { typed, asTyped, exact, isCode }) {
  const asked = typed.map((word) => known(all, word, exact.has(word) ? 0.3 : 0));
  const total = asked.reduce((sum, { rarity }) => sum + rarity, 0);
  const power = Math.min(2, 4 / typed.length);
  const answer = (i, field) => asked[i]?.fields.get(field);
  const isBeside = (i, field) => {
    const before = answer(i - 1, field)?.at;
    return before && answer(i, field).at.some((at) => before.includes(at - 1)) ? 1 : 0;
  };
  const score = ({ titled, passages, boost, at }) => {
    const title = asked.map(({ rarity }, i) => {
      const best = answer(i, titled)?.best;
      return best ? rarity * (2 * best + isBeside(i, titled)) : 0;
    });
    const scores = passages.map((passage) => {
      let [score, has] = [0, 0];
      asked.forEach(({ rarity }, i) => {
        const often = answer(i, passage)?.often;
        score += title[i];
        if (often) score += rarity * (often / (often + 1) + isBeside(i, passage) / 2);
        if (often || title[i]) has += rarity;
      });
      return score * (has / total) ** power;
    });
    const opens = at.includes("#") ? 1 : 1.1; // what a page as a whole is about
    return boost * opens * Math.max(...scores);
  };
  const scored = all.sections.map((section) => [score(section), section]);
  scored.sort(([a], [b]) => b - a);
  const [[best]] = scored;
  const found = scored.filter(([one]) => one && one > best / 6).map(([, section]) => section);
  const first = isCode ? all.sections.filter(({ at }) => LINE.includes(at)) : [];
  return {
    results: [...new Set([...first, ...found])],
    missing: isCode ? [] : typed.filter((_, i) => !asked[i].fields.size).map(asTyped),
  };
}

// The sentence that has most of the words, and what follows it.
function excerpt({ text }, typed) {
  const sentences = text.split(/(?<=[.?!]) (?=[\p{Lu}√])/u);
  const counts = sentences.map((one) => {
    const words = split(spelled(one));
    return typed.filter((two) => words.some((word) => fit(word, two))).length;
  });
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
