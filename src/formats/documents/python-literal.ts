const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "0": "\0",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  "\n": "",
};
const words: Readonly<Record<string, unknown>> = { None: null, True: true, False: false };

const space = /[\s,]*/y;
const scalar = /[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[A-Za-z]+/y;
const text = /(["'])((?:\\[\s\S]|(?!\1)[^\\])*)\1/y;
const escape = /\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U00(?:0[\da-fA-F]|10)[\da-fA-F]{4}|[\s\S])/g;

/** Limit on nesting. */
const deepest = 20;

/**
 * Parses a value printed by Python: lists, tuples, dictionaries, strings, numbers, `True`, `False`, `None`. pandas writes such cells;
 * numpy arrays in them have no commas. Undefined for anything else.
 */
export function parsePythonLiteral(source: string): unknown {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const fail = (): never => {
    throw new SyntaxError("not a literal");
  };
  const readItems = <Item>(close: string, read: () => Item): Item[] => {
    at++;
    const items: Item[] = [];
    for (take(space); source[at] !== close; take(space)) items.push(at < source.length ? read() : fail());
    at++;
    return items;
  };
  const readValue = (depth: number): unknown => {
    const first = source[at] ?? "";
    if (depth > deepest) return fail();
    if (first === "[") return readItems("]", () => readValue(depth + 1));
    if (first === "(") return readItems(")", () => readValue(depth + 1));
    if (first === "{") return Object.fromEntries(readItems("}", () => readPair(depth + 1)));
    const quoted = take(text);
    if (quoted) return unescape(quoted[2] ?? "");
    const [word = ""] = take(scalar) ?? [];
    const value = Object.hasOwn(words, word) ? words[word] : Number(word.replaceAll("_", "") || Number.NaN);
    return Number.isNaN(value) ? fail() : value;
  };
  const readPair = (depth: number): [string, unknown] => {
    const key = readValue(depth);
    take(/\s*/y);
    if (typeof key !== "string" || source[at++] !== ":") return fail();
    take(/\s*/y);
    return [key, readValue(depth)];
  };
  try {
    take(space);
    const value = readValue(0);
    take(/\s*/y);
    return at === source.length ? value : undefined;
  } catch {
    return undefined;
  }
}

function unescape(quoted: string): string {
  return quoted.replace(escape, (whole: string, code: string) => {
    if (code.length > 1) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    return escapes[code] ?? (/["'\\]/.test(code) ? code : whole);
  });
}
