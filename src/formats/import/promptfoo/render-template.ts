import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { evaluateExpression, UnknownExpression, type Evaluated } from "./template-expression.ts";
import { templateText } from "./template-text.ts";

export interface Rendered {
  readonly text: string;
  /** Parts of the template language we do not run; the text is not what promptfoo would have sent. */
  readonly unknown: readonly string[];
  /** Variables the test does not set. */
  readonly missing: readonly string[];
}

/** A value may be put in as often as the template names it, so a short file could stand for any length of text. */
const mostCharacters = 1_000_000;

/** So often at most a loop goes round in one template. */
const mostRounds = 10_000;

/**
 * Fills in a prompt the way promptfoo does: values with filters, conditions, loops, raw blocks. The loop over `_conversation` is left
 * out, since the turns before are our own. With `json`, plain values are escaped for JSON.
 */
export function renderTemplate(
  template: string,
  vars: JsonRecord,
  { json = false }: { json?: boolean } = {},
): Rendered {
  const unknown: string[] = [];
  const missing: string[] = [];
  let text = "";
  let rounds = 0;
  const emit = (part: string): void => {
    if (text.length + part.length > mostCharacters) throw new TooMuch(`more than ${mostCharacters} characters`);
    text += part;
  };
  const evaluate = (expression: string, scope: JsonRecord, told: string): Evaluated | undefined => {
    try {
      return evaluateExpression(expression, scope);
    } catch (error) {
      if (!(error instanceof UnknownExpression)) throw error;
      unknown.push(error.message === expression ? told : error.message);
      return undefined;
    }
  };
  const render = (nodes: readonly TemplateNode[], scope: JsonRecord): void => {
    for (const node of nodes) {
      if (node.kind === "text") emit(node.text);
      else if (node.kind === "raw") emit(json ? escapeJson(node.text) : node.text);
      else if (node.kind === "unknown") unknown.push(`{% ${node.tag} %}`);
      else if (node.kind === "output") {
        const found = evaluate(node.expression, scope, `{{ ${node.expression} }}`);
        missing.push(...(found?.missing ?? []));
        const filled = templateText(found?.value);
        emit(json && !/\|\s*(?:dump|tojson)\b[^|]*$/.test(node.expression) ? escapeJson(filled) : filled);
      } else if (node.kind === "if") {
        const taken = node.branches.find(
          ({ condition }) => condition === undefined || evaluate(condition, scope, `{% if ${condition} %}`)?.value,
        );
        if (taken) render(taken.body, scope);
      } else if (node.kind === "for" && !/^_conversation\b/.test(node.list)) {
        const list = evaluate(node.list, scope, `{% for ${node.names.join(", ")} in ${node.list} %}`);
        missing.push(...(list?.missing ?? []));
        const entries = entriesOf(list?.value);
        for (const [index, entry] of entries.entries()) {
          if (++rounds > mostRounds) throw new TooMuch(`more than ${mostRounds} rounds of a loop`);
          render(node.body, { ...scope, ...named(node.names, entry), loop: loopAt(index, entries.length) });
        }
      }
    }
  };
  try {
    render(templateTree(template), vars);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    unknown.push(error.message);
  }
  return { text, unknown, missing };
}

class TooMuch extends Error {}

/** A loop goes over the members of a list, or the names and values of a record. */
function entriesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.entries(value) : [];
}

const named = (names: readonly string[], entry: unknown): JsonRecord =>
  names.length === 1
    ? { [names[0] ?? ""]: entry }
    : Object.fromEntries(
        names.map((name, index) => [name, Array.isArray(entry) ? (entry[index] as unknown) : undefined]),
      );

const loopAt = (index0: number, length: number): JsonRecord => ({
  index: index0 + 1,
  index0,
  revindex: length - index0,
  revindex0: length - index0 - 1,
  first: index0 === 0,
  last: index0 === length - 1,
  length,
});

/** True when the prompt repeats the turns before, which makes the tests turns of one conversation. */
export const usesConversation = (template: string): boolean =>
  template.includes("_conversation") &&
  templatePieces(template).some(({ kind, content }) => kind !== "text" && /\b_conversation\b/.test(content));

/** What a template asks for and the test does not have. */
export const withoutValue = (names: readonly string[]): string =>
  `variables without a value: ${[...new Set(names)].join(", ")}`;

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

type TemplateNode =
  | { readonly kind: "text" | "raw"; readonly text: string }
  | { readonly kind: "output"; readonly expression: string }
  | { readonly kind: "if"; readonly branches: Branch[] }
  | { readonly kind: "for"; readonly names: readonly string[]; readonly list: string; readonly body: TemplateNode[] }
  /** A tag we do not run; what it holds is read as if it stood there alone. */
  | { readonly kind: "unknown"; readonly tag: string };

interface Branch {
  /** None: otherwise. */
  readonly condition?: string;
  readonly body: TemplateNode[];
}

/** So deep at most blocks stand in one another. */
const deepest = 50;

/** A template with its blocks. One that is never closed ends with the text. */
function templateTree(template: string): TemplateNode[] {
  const root: TemplateNode[] = [];
  const open: { readonly block: TemplateNode; body: TemplateNode[] }[] = [];
  for (const { kind, content } of templatePieces(template)) {
    const top = open.at(-1);
    const body = top?.body ?? root;
    const [, word = "", rest = ""] = kind === "tag" ? (/^(\w+)\s*([\s\S]*)$/.exec(content) ?? []) : [];
    const loop = word === "for" ? /^([\w\s,]+?)\s+in\s+([\s\S]+)$/.exec(rest) : null;
    if (kind === "text" || kind === "raw") body.push({ kind, text: content });
    else if (kind === "output") body.push({ kind, expression: content });
    else if (open.length < deepest && word === "if") {
      const inner: TemplateNode[] = [];
      const block: TemplateNode = { kind: "if", branches: [{ condition: rest, body: inner }] };
      body.push(block);
      open.push({ block, body: inner });
    } else if (open.length < deepest && loop) {
      const names = (loop[1] ?? "").split(",").map((name) => name.trim());
      const block: TemplateNode = { kind: "for", names, list: (loop[2] ?? "").trim(), body: [] };
      body.push(block);
      open.push({ block, body: block.body });
    } else if (top?.block.kind === "if" && (word === "else" || word === "elif" || word === "elseif")) {
      top.body = [];
      top.block.branches.push({ ...(word !== "else" && { condition: rest }), body: top.body });
    } else if (top && word === `end${top.block.kind}`) open.pop();
    else body.push({ kind: "unknown", tag: content });
  }
  return root;
}

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
