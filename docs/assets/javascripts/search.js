// Search's index is as large as two chapters, and most readers never search. Material asks for it, and
// starts its worker, as each page loads; here both wait until the reader reaches for search.
{
  const reached = new Promise((resolve) => {
    const isSearch = ({ target }) =>
      target.closest?.(".md-search, [for=__search], #__search") && resolve();
    for (const event of ["focusin", "pointerdown", "change"])
      document.addEventListener(event, isSearch);
    const asked = new URLSearchParams(location.search);
    if (asked.has("q") || asked.has("h")) resolve(); // a link to a search, or from its results
  });
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    this.isIndex = String(url).endsWith("search_index.json");
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function (...body) {
    if (this.isIndex) reached.then(() => send.apply(this, body));
    else send.apply(this, body);
  };

  const { Worker } = window;
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.started = reached.then(() => {
        const worker = new Worker(url);
        worker.onmessage = ({ data }) => this.dispatchEvent(new MessageEvent("message", { data }));
        return worker;
      });
    }
    postMessage(...message) {
      this.started.then((worker) => worker.postMessage(...message));
    }
  };
}

// The index says √d_k, as pages do; people type sqrt(dk). So their words are put into the page's on
// the way to Material's worker: what is on the left becomes what is on the right.
{
  const SPELLINGS = [
    [/[’‘]/g, "'"],
    [/\\?\bsqrt\b/gi, " √"],
    [/√[\s({]*(?=\w)/g, "√"], // sqrt(d), \sqrt{d}, √ d
    [/\b1\s*\/\s*(?=√)/g, " "], // 1/√d: of the divisor
    [/\bd_?\{?k\b\}?/gi, "d_k"],
    [/\bgpt-?2\b/gi, "gpt 2"],
    [/(\d)\s*[x*]\s*(?=\d)/gi, "$1×"],
    [/\^2\b/g, "²"],
    [/\^5\b/g, "⁵"],
    [/\^\\?(?:top|T)\b/g, "ᵀ"],
    [/\\(?=[a-z])/gi, ""], // TeX: \softmax
    [/([a-z]{2,})\(([\wᵀ]+)/gi, "$1($2 $1 $2"], // as one word, as the index has it, and as two
    [/(?<!\d)\/|\/(?!\d)|(?<!^|\s)[+-]|(?<![a-z]{2})\(|[)[\]{}=−⋅:~*^]/gi, " "], // signs between words
    [/(?<!\S)(?:an|and|by|in|is|of|the|to)\s/gi, ""], // would be taken for beginnings of longer words
    [/(?<!\S)√(?!\S)|(?<!square )\broot\b/gi, "√ root"],
    // A number, or a single letter, is meant as it stands: not as the beginning of a word.
    [/(?<!\S)(\d[\d.,/×]*|[a-z])(?!\S)/gi, "$1^1"],
  ];
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (typeof message?.data === "string")
      message = {
        ...message,
        data: SPELLINGS.reduce((words, [from, to]) => words.replace(from, to), message.data),
      };
    return postMessage.call(this, message, ...rest);
  };
}

// What a result has found may stand in a fold, which then opens: unless the section that the result
// leads to, up to the next heading, has it in the open as well.
if (new URLSearchParams(location.search).has("h"))
  new MutationObserver((_, observer) => {
    const hits = [...document.querySelectorAll("article mark")];
    if (!hits.length) return;
    observer.disconnect();
    const headings = [...document.querySelectorAll("article :is(h1, h2, h3, h4)[id]")];
    const at = headings.findIndex(({ id }) => id === decodeURIComponent(location.hash.slice(1)));
    const [start, end] = headings.slice(at);
    const precedes = (one, other) =>
      !other || one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
    const here = at < 0 ? [] : hits.filter((hit) => precedes(start, hit) && precedes(hit, end));
    if (here.every((hit) => hit.closest("details:not([open])")))
      for (
        let fold = here[0]?.closest("details");
        fold;
        fold = fold.parentElement.closest("details")
      )
        fold.open = true;
  }).observe(document.documentElement, { childList: true, subtree: true });
