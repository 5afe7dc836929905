// While serving (live.py puts this into each page): says what is being run, and shows the page anew
// once it has changed. A page that waits for runs is filled in where it stands, so that what is read
// stays where it is; any other is loaded anew, as MkDocs does.
(() => {
  const { dataset } = document.currentScript;
  const article = (page) => page.querySelector("article, [role=main]") ?? page.body;
  const foldsOf = (block) =>
    block
      ? [block, ...block.querySelectorAll("*")].filter((one) => one.localName === "details")
      : [];
  const sleep = (seconds) => new Promise((go) => setTimeout(go, seconds * 1000));
  const shown = new Promise((go) => addEventListener("load", go, { once: true }));
  const line = Object.assign(document.createElement("div"), { id: "weave-runs", role: "status" });

  const fetchPage = async () => {
    const answer = await fetch(location.pathname + location.search, { cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return { page, ...page.querySelector("script[data-digest]")?.dataset };
  };

  // The page as it was served: of what the browser shows, scripts have made something else.
  let served;
  if (document.querySelector(".pending"))
    shown.then(async () => {
      const page = await fetchPage();
      if (page.digest === dataset.digest) served = page; // else it is newer than what is shown
    });

  const renew = async () => {
    const next = await fetchPage();
    if (next.digest === (served?.digest ?? dataset.digest)) return;
    if (!served || !fill(served.page, next.page)) location.reload();
    served = next;
  };

  // Puts in the blocks of a page that have changed. Says no where it cannot tell which these are.
  const fill = (before, after) => {
    const now = article(document);
    const [old, made] = [article(before), article(after)].map(({ children }) => [...children]);
    if (now.children.length !== old.length) return false;
    // The block that is being read, and where it is among the new ones.
    const read = [...now.children].findIndex((block) => block.getBoundingClientRect().bottom > 0);
    const same = made.findIndex((block) => block.outerHTML === old[read]?.outerHTML);
    const top = (at) => now.children[at]?.getBoundingClientRect().top ?? 0;
    const was = top(read);
    document.documentElement.style.overflowAnchor = "none";
    made.forEach((block, at) => {
      if (old[at]?.outerHTML === block.outerHTML) return;
      const fresh = document.importNode(block, true);
      const opened = foldsOf(now.children[at]).map((fold) => fold.open);
      foldsOf(fresh).forEach((fold, n) => (fold.open ||= opened[n] ?? false));
      if (old[at]) now.children[at].replaceWith(fresh);
      else now.append(fresh);
    });
    for (const left of [...now.children].slice(made.length)) left.remove();
    scrollBy({ top: top(same < 0 ? read : same) - was, behavior: "instant" });
    requestAnimationFrame(() => (document.documentElement.style.overflowAnchor = ""));
    for (const kind of ["link[rel=stylesheet]", "script[src]"])
      for (const needed of after.querySelectorAll(kind)) {
        const [key, to] = needed.src ? ["src", needed.src] : ["href", needed.href];
        if ([...document.querySelectorAll(kind)].some((has) => has[key] === to)) continue;
        const own = Object.assign(document.createElement(needed.localName), {
          [key]: to,
          async: false,
        });
        document.head.append(needed.src ? own : Object.assign(own, { rel: "stylesheet" }));
      }
    return true;
  };

  // What of the page is of a snippet or a lab: its figure, and numbers that it gave.
  const partsOf = (name) => {
    const [chapter, stem] = name.split("/");
    const page = location.pathname.slice(dataset.base.length).split("/").at(-2) ?? "index";
    if (chapter === "labs") return page === stem ? [article(document)] : [];
    const id = name.replace("/", "-");
    const figure =
      document.getElementById(`figure-${id}`) ?? document.getElementById(`figure-${stem}`);
    const own = figure && (figure.id === `figure-${id}` || page === chapter);
    return [...(own ? [figure] : []), ...document.querySelectorAll(`[href="#numbers-${id}"]`)];
  };

  const say = ({ done, runs, queued, seconds }) => {
    const left = [...Object.keys(runs), ...queued];
    const old = new Set();
    const here = [];
    for (const name of left) {
      const marks = document.querySelectorAll(`.pending[data-run="${name}"]`);
      const parts = marks.length ? [] : partsOf(name);
      if (marks.length || parts.length) here.push(name);
      for (const part of parts) old.add(part);
      const since =
        runs[name] === undefined
          ? "waits for its turn"
          : `is being run, ${Math.floor(runs[name])} s`;
      for (const { lastChild, childElementCount } of marks)
        if (childElementCount) lastChild.data = ` ${since}`;
    }
    for (const part of document.querySelectorAll(".of-last-run"))
      if (!old.has(part)) part.classList.remove("of-last-run");
    for (const part of old) part.classList.add("of-last-run");
    const first = here.find((name) => name in runs);
    const all = done.length + left.length;
    const rest =
      done.length > 5 ? `, ${Math.ceil((seconds * left.length) / done.length)} s left` : "";
    const count = `${done.length} of ${all}${rest}`;
    const own = `${first}, ${Math.floor(runs[first])} s`;
    const what = first ? (all > 1 ? `${own}; ${count}` : own) : count;
    line.textContent = left.length ? `running ${what}` : "";
  };

  let epoch = dataset.epoch;
  const visible = () => document.visibilityState === "visible";
  const repeat = async (look, seconds) => {
    await shown;
    for (;;) {
      try {
        if (visible()) await look();
      } catch (error) {
        console.debug(error); // the server is gone, say
        await sleep(2);
      }
      await sleep(seconds);
    }
  };
  repeat(async () => {
    const now = await (
      await fetch(`/livereload/${epoch}/0`, { signal: AbortSignal.timeout(30000) })
    ).text();
    if (+now > +epoch) {
      epoch = now;
      await renew();
    }
  }, 0.1);
  repeat(async () => {
    if (!line.isConnected) document.body.append(line);
    say(await (await fetch("/weave-runs.json")).json());
  }, 1);
})();
