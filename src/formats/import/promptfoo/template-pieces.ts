/** A stretch of a template: text as it is, a value to put in (`{{ … }}`), or a tag (`{% … %}`). Comments are left out. */
export interface TemplatePiece {
  readonly kind: "text" | "raw" | "output" | "tag";
  readonly content: string;
}

const closers = { "{": "}}", "%": "%}", "#": "#}" } as const;

/** Takes a template apart in one go: what opens and is never closed is text, and is looked for only once. */
export function* templatePieces(template: string): Generator<TemplatePiece> {
  const find = createFinder(template);
  const opener = /\{([{%#])/g;
  let from = 0;
  let trimsNext = false;
  const textUntil = (end?: number): string => {
    const text = template.slice(from, end);
    return trimsNext ? text.trimStart() : text;
  };
  for (let opened = opener.exec(template); opened; opened = opener.exec(template)) {
    const sign = opened[1] as keyof typeof closers;
    const end = find(closers[sign], opened.index + 2);
    if (end < 0) {
      opener.lastIndex = opened.index + 1;
      continue;
    }
    const inside = template.slice(opened.index + 2, end);
    const before = textUntil(opened.index);
    // A hyphen takes off the white space on its side.
    yield { kind: "text", content: inside.startsWith("-") ? before.trimEnd() : before };
    trimsNext = inside.length > 1 && inside.endsWith("-");
    const content = inside.replace(/^-/, "").replace(/-$/, "").trim();
    from = end + 2;
    const raw = sign === "%" && content === "raw" ? endOfRaw(template, from, find) : undefined;
    if (raw) {
      yield { kind: "raw", content: template.slice(from, raw.start) };
      from = raw.end;
      trimsNext = false;
    } else if (sign !== "#") yield { kind: sign === "%" ? "tag" : "output", content };
    opener.lastIndex = from;
  }
  yield { kind: "text", content: textUntil() };
}

type Find = (wanted: string, after: number) => number;

/** Where a text comes next, or -1; what does not come any more is not looked for again. */
function createFinder(template: string): Find {
  const gone = new Set<string>();
  return (wanted, after) => {
    const found = gone.has(wanted) ? -1 : template.indexOf(wanted, after);
    if (found < 0) gone.add(wanted);
    return found;
  };
}

function endOfRaw(template: string, from: number, find: Find): { start: number; end: number } | undefined {
  for (let at = find("endraw", from); at >= 0; at = find("endraw", at + 1)) {
    const opening = /\{%-?\s*$/.exec(template.slice(Math.max(from, at - 20), at));
    const closing = /^endraw\s*-?%\}/.exec(template.slice(at, at + 30));
    if (opening && closing) return { start: at - opening[0].length, end: at + closing[0].length };
  }
  return undefined;
}
