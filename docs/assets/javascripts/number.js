// A number as people and code write it: 131,072 or 0,125, 128k, 2e-2, 1/8, 2^17, 1/√64, 1/math.sqrt(64), head_dim**-0.5,
// q.size(-1)**-0.5, float('-inf'); and a list of them: 14, 10, 12 or [14. 10. 12.] or tensor([14, 10, 12]).

// What code calls the dimensions of a head, and the least number that it knows.
const LAST_AXIS = /[a-z_][\w.]*\.(?:size\((?:dim=)?(?:-1|3)\)|(?:size\(\)|shape)\[(?:-1|3)\])/gi;
const LEAST = /[a-z_][\w.]*\.finfo\([^()]*\)\.min/gi;

/** Split a text into numbers, names and signs; nothing, if something else is in it. */
const splitNumber = (text) => {
  const grouped = String.raw`[1-9]\d{0,2}(?:,\d{3})+(?![\d,.])`;
  const plain = String.raw`(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[-+]?\d+)?`;
  const part = new RegExp(
    String.raw`(${grouped})|(${plain})|(k|m)\b|([a-z_][\w.]*)|\*\*|[-*/^()√]`,
    "iy",
  );
  const parts = [];
  const clean = text
    .replace(/[\s'"]/g, "")
    .replace(LAST_AXIS, "d")
    .replace(LEAST, "-inf")
    .replace(/(?<=\d)_(?=\d)/g, "")
    .replaceAll("−", "-")
    .replace(/[×·]/g, "*");
  while (part.lastIndex < clean.length) {
    const found = part.exec(clean);
    if (!found) return undefined;
    const [sign, thousands, digits, unit, name] = found;
    if (thousands) parts.push(+thousands.replaceAll(",", ""));
    else if (digits) parts.push(+digits.replace(",", "."));
    else if (unit && typeof parts.at(-1) === "number")
      parts.push(parts.pop() * (unit.toLowerCase() === "k" ? 2 ** 10 : 2 ** 20)); // a context of 128k has 131,072
    else parts.push(unit ?? name ?? (sign === "**" ? "^" : sign));
  }
  return parts;
};

/** Give the number that a text stands for, in which some names have values; NaN, if it stands for none. */
const readNumber = (text, names = {}) => {
  const parts = splitNumber(text) ?? [];
  let at = 0;
  const take = (sign) => parts[at] === sign && ++at > 0;

  const product = () => {
    let value = signed();
    for (;;)
      if (take("*")) value *= signed();
      else if (take("/")) value /= signed();
      else return value;
  };
  const signed = () => (take("-") ? -signed() : power());
  const power = () => {
    const base = single();
    return take("^") ? base ** signed() : base;
  };
  const single = () => {
    if (take("(")) return closed(product());
    if (take("√")) return Math.sqrt(single());
    const part = parts[at++];
    if (typeof part === "number") return part;
    const name = part?.split(".").at(-1); // math.sqrt, self.head_dim
    if (name === "sqrt" && take("(")) return Math.sqrt(closed(product()));
    if (/^(float\d*|tensor)$/.test(name) && take("(")) return closed(product());
    return Object.hasOwn(names, name) ? names[name] : NaN;
  };
  const closed = (value) => (take(")") ? value : NaN);

  const value = product();
  return at === parts.length ? value : NaN;
};

/** Split a text into what may be numbers: at semicolons, else at commas, else at spaces. Of a table that is its first
    row, and how many there are. */
const splitList = (text) => {
  const [, table = ""] = text.match(/^[\w\s.=:]*\(?\s*(\[.*\])[^[\]]*$/s) ?? [];
  const found = table.match(/\[[^[\]]*\]/g) ?? [];
  const isTable = /^[[\],\s]+$/.test(found.reduce((rest, row) => rest.replace(row, ","), table));
  const rows = isTable ? found.map((row) => row.slice(1, -1)) : [text];
  const bare = rows[0].trim().replace(/^\(([^()]*)\)$/, "$1");
  const sign = [";", ","].find((each) => bare.includes(each));
  // Between "1 / 8" and its like is no gap, but "14 -10" are two.
  const items = bare.split(sign ?? /(?<![-*/^(√\s])\s+(?![*/^)\s])/).map((item) => item.trim());
  if (items.at(-1) === "") items.pop(); // a comma may stand at the end, and nothing may be there
  return [items, rows.length];
};
