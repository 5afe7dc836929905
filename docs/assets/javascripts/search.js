// Search's index is as large as two chapters, and most readers never search. Material asks for it, and
// starts its worker, as each page loads; here both wait until the reader reaches for search.
{
  const reached = new Promise((resolve) => {
    const isSearch = ({ target }) => target.closest?.(".md-search, [for=__search], #__search") && resolve();
    for (const event of ["focusin", "pointerdown", "change"]) document.addEventListener(event, isSearch);
    if (new URLSearchParams(location.search).has("q")) resolve(); // a link to a search
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
