import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { scalarText } from "../../documents/records.ts";

export interface Rendered {
  readonly text: string;
  /** Unsupported template features. If there are any, `text` is the template itself. */
  readonly unknown: readonly string[];
  readonly missing: readonly string[];
}

/** A template may repeat a value, so a short file could expand to any length. */
const mostCharacters = 1_000_000;

/** Limit on evaluated nodes, loop iterations included. A long text or list counts as many. */
const mostSteps = 100_000;
const lengthPerStep = 100;

/** The engine parses tags recursively, and white space in quadratic time. All tags together may be a hundred times as long. */
const longestTag = 1000;

/**
 * Fills a template as promptfoo does: values with filters, conditions, loops, raw blocks. The loop over `_conversation` is empty,
 * because earlier turns are turns of the scenario. With `json`, plain values are escaped for JSON.
 */
export function renderTemplate(
  template: string,
  vars: JsonRecord,
  { json = false }: { json?: boolean } = {},
): Rendered {
  if (!/\{[{%#]/.test(template)) return { text: template, unknown: [], missing: [] };
  const renderer = new Renderer(json);
  try {
    return { text: renderer.render(parseTemplate(template, json), vars), unknown: [], missing: renderer.missing };
  } catch (error) {
    const unknown = error instanceof Unsupported ? error.message : "tags that cannot be read or evaluated";
    return { text: template, unknown: [unknown], missing: renderer.missing };
  }
}

/** True if the prompt repeats earlier turns, which makes the tests turns of one conversation. */
export const usesConversation = (template: string): boolean =>
  template.includes("_conversation") &&
  splitTemplate(template).some(({ kind, content }) => kind !== "text" && /\b_conversation\b/.test(content));

/** The note for variables that the test does not set. */
export const missingVariablesText = (names: readonly string[]): string =>
  `variables without a value: ${[...new Set(names)].join(", ")}`;

/** An unsupported template feature, or an exceeded limit. */
class Unsupported extends Error {}

const tooMuch = (): Unsupported => new Unsupported(`more than ${mostCharacters} characters or ${mostSteps} steps`);

const constants: JsonRecord = { true: true, false: false, none: null, null: null };

interface Template {
  readonly nodes: readonly Node[];
  /** The identifiers in the template; only these variables are passed to the engine. */
  readonly words: ReadonlySet<string>;
}

/** A cache, because one prompt is filled for every test and parsing takes longer than filling. */
const parsedTemplates = new Map<string, Template>();

function parseTemplate(template: string, json: boolean): Template {
  const key = `${json} ${template}`;
  const before = parsedTemplates.get(key);
  if (before) return before;
  const tokens = tokensOf([...splitTemplate(template)], json);
  const words = new Set(tokens.flatMap(({ type, value }) => (type === "Identifier" ? [value] : [])));
  const parsed = { nodes: wrapNodes(jinja.parse(tokens).body), words };
  if (parsedTemplates.size >= 100) parsedTemplates.clear();
  if (template.length <= 10_000) parsedTemplates.set(key, parsed);
  return parsed;
}

/** Tokenizes with the engine's lexer, which lacks raw blocks, non-ASCII names, `===` and `elseif`. */
function tokensOf(pieces: readonly TemplatePiece[], json: boolean): TemplateToken[] {
  let length = 0;
  return pieces.flatMap(({ kind, content }): TemplateToken[] => {
    if (kind === "text" || kind === "raw")
      return content === "" ? [] : [{ type: "Text", value: json && kind === "raw" ? escapeJson(content) : content }];
    const tag = kind === "output" ? `{{ ${content} }}` : `{% ${content} %}`;
    length += tag.length;
    if (tag.length > longestTag || length > 100 * longestTag) throw new Unsupported(`${tag.slice(0, 40)}…`);
    const letters: string[] = [];
    const tokens = jinja.tokenize(tag.replace(/\P{ASCII}/gu, (letter) => `_u${letters.push(letter) - 1}_`));
    return tokens.flatMap((token, at) => {
      if (token.type === "Equals" && tokens[at - 1]?.type === "ComparisonBinaryOperator") return [];
      const isStrict = token.type === "ComparisonBinaryOperator" && tokens[at + 1]?.type === "Equals";
      const value = token.value.replace(/_u(\d+)_/g, (text, index) => letters[Number(index)] ?? text);
      return { type: token.type, value: isStrict ? `${value}=` : at === 1 && value === "elseif" ? "elif" : value };
    });
  });
}

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The used part of the engine's API. TypeScript finds the package's types only with bundler resolution. */
const jinja = { tokenize, parse, Environment, Interpreter } as unknown as {
  tokenize(source: string): readonly TemplateToken[];
  parse(tokens: readonly TemplateToken[]): { readonly body: readonly Node[] };
  readonly Environment: new () => TemplateScope;
  readonly Interpreter: new () => { evaluate: Evaluate };
};
type TemplateToken = { readonly type: string; readonly value: string };
type TemplateValue = { readonly type: string; readonly value: unknown };
type Evaluate = (node: Node | undefined, scope: TemplateScope) => TemplateValue;
interface TemplateScope {
  /** Converts a JavaScript value. */
  set(name: string, value: unknown): TemplateValue;
  setVariable(name: string, value: TemplateValue): void;
}

/** A node of the engine's syntax tree, or one of ours: `Output`, `Condition`, and `Value` for an evaluated value. */
interface Node extends NodeFields {
  readonly type: string;
  readonly value?: unknown;
  readonly operator?: { readonly value: string };
  readonly args?: readonly Node[];
  readonly body?: readonly Node[];
  readonly alternate?: readonly Node[];
  readonly defaultBlock?: readonly Node[];
}
type NodeFields = { readonly [name in NodeField]?: Node | undefined };
/** `inner` belongs to our own nodes. */
type NodeField =
  | "inner"
  | "test"
  | "iterable"
  | "object"
  | "property"
  | "operand"
  | "filter"
  | "callee"
  | "condition"
  | "trueExpr"
  | "falseExpr"
  | "left"
  | "right";

/** Wraps outputs and conditions in our own nodes. */
const wrapNodes = (nodes: readonly Node[] = []): Node[] =>
  nodes.map((node) => {
    const { type, body, alternate, defaultBlock } = node;
    if (type === "StringLiteral" || type === "Set") return node;
    if (type === "For") return { ...node, body: wrapNodes(body), defaultBlock: wrapNodes(defaultBlock) };
    if (type !== "If") return { type: "Output", inner: node };
    return {
      ...node,
      test: { type: "Condition", inner: node.test },
      body: wrapNodes(body),
      alternate: wrapNodes(alternate),
    };
  });

/** Runs a template in the engine within limits, following Nunjucks where it differs from Jinja. */
class Renderer {
  readonly missing: string[] = [];
  readonly #json: boolean;
  readonly #jinja: Evaluate;
  #steps = 0;

  constructor(json: boolean) {
    this.#json = json;
    // Not a subclass, because the bundle loads the engine lazily.
    const engine = new jinja.Interpreter();
    this.#jinja = engine.evaluate.bind(engine);
    engine.evaluate = (node, scope) => this.#evaluate(node, scope);
  }

  render({ nodes, words }: Template, vars: JsonRecord): string {
    const scope = new jinja.Environment();
    for (const name of words) {
      if (Object.hasOwn(constants, name)) scope.setVariable(name, toValue(constants[name]));
      else if (Object.hasOwn(vars, name)) scope.setVariable(name, toValue(vars[name]));
    }
    const text = String(this.#evaluate({ type: "Program", body: nodes }, scope).value);
    if (text.length > mostCharacters) throw tooMuch();
    return text;
  }

  #evaluate(node: Node | undefined, scope: TemplateScope): TemplateValue {
    const value = node ? this.#run(node, scope) : this.#jinja(node, scope);
    const { value: made } = value;
    this.#count(typeof made === "string" || Array.isArray(made) ? made.length / lengthPerStep : 0);
    return value;
  }

  #count(more: number): void {
    this.#steps += 1 + more;
    if (this.#steps > mostSteps) throw tooMuch();
  }

  #run(node: Node, scope: TemplateScope): TemplateValue {
    const { type, inner } = node;
    const before = this.missing.length;
    switch (type) {
      case "Value":
        return node.value as TemplateValue;
      case "Output": {
        const text = templateText(this.#plain(this.#evaluate(inner, scope)));
        return toValue(this.#json && !/^(?:dump|tojson)$/.test(filterName(inner)) ? escapeJson(text) : text);
      }
      case "Condition":
        return toValue(this.#holds(inner, scope));
      case "Ternary":
        return this.#evaluate(this.#holds(node.condition, scope) ? node.trueExpr : node.falseExpr, scope);
      case "BinaryExpression":
        return this.#operate(node, scope);
      case "FilterExpression":
        return this.#filter(node, scope);
      case "For":
        return this.#jinja({ ...node, iterable: this.#entries(node.iterable, scope) }, scope);
      case "TestExpression": {
        const value = this.#jinja(node, scope);
        this.missing.length = before;
        return value;
      }
      case "Identifier":
      case "MemberExpression": {
        const value = this.#jinja(node, scope);
        this.missing.length = before;
        // Nunjucks has no Python methods.
        if (value.type !== "UndefinedValue" && value.type !== "FunctionValue") return value;
        this.missing.push(variablePath(node));
        return toValue(undefined);
      }
      case "CallExpression":
        throw new Unsupported(`${variablePath(node.callee)}()`);
      case "Macro":
      case "CallStatement":
      case "FilterStatement":
        throw new Unsupported(`{% ${type.replace("Statement", "").toLowerCase()} %}`);
      default:
        return this.#jinja(node, scope);
    }
  }

  /** An empty list is true, as in JavaScript. A condition may test a missing variable. */
  #holds(node: Node | undefined, scope: TemplateScope): boolean {
    const before = this.missing.length;
    const { value } = this.#evaluate(node, scope);
    this.missing.length = before;
    return Boolean(value);
  }

  #operate(node: Node, scope: TemplateScope): TemplateValue {
    const sign = node.operator?.value ?? "";
    const left = this.#evaluate(node.left, scope);
    if (sign === "and" || sign === "or")
      return Boolean(left.value) === (sign === "or") ? left : this.#evaluate(node.right, scope);
    const right = this.#evaluate(node.right, scope);
    if (Object.hasOwn(comparisons, sign))
      return toValue(comparisons[sign]?.(left.value as number, right.value as number));
    const [value, other] = [left, right].map((side) => ({ type: "Value", value: side }));
    return this.#jinja({ ...node, left: value, right: other }, scope);
  }

  /** A loop iterates over list entries, or over the names and values of an object. */
  #entries(iterable: Node | undefined, scope: TemplateScope): Node {
    const isConversation = /^_conversation\b/.test(variablePath(iterable));
    const list = isConversation ? [] : this.#plain(this.#evaluate(iterable, scope));
    const entries = Array.isArray(list) ? list : isRecord(list) ? Object.entries(list) : [];
    return { type: "Value", value: toValue(entries) };
  }

  #filter(node: Node, scope: TemplateScope): TemplateValue {
    const before = this.missing.length;
    const value = this.#plain(this.#evaluate(node.operand, scope));
    const name = filterName(node);
    // A variable with a default is not missing.
    if (name === "default" || name === "d") this.missing.length = before;
    const options = node.filter?.args?.map((option) => this.#plain(this.#evaluate(option, scope))) ?? [];
    if (!Object.hasOwn(filters, name)) throw new Unsupported(`filter ${name}`);
    return toValue(filters[name]?.(value, options));
  }

  /** Converts an engine value to a JavaScript value. */
  #plain({ type, value }: TemplateValue): unknown {
    this.#count(0);
    if (type === "NullValue") return null;
    if (Array.isArray(value)) return value.map((entry) => this.#plain(entry));
    if (!(value instanceof Map)) return value;
    return Object.fromEntries(Array.from(value, ([name, entry]) => [name, this.#plain(entry)]));
  }
}

/** JavaScript's comparisons, which also accept texts and missing values. */
const comparisons: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  "===": (left, right) => left === right,
  "!==": (left, right) => left !== right,
  "<": (left, right) => left < right,
  ">": (left, right) => left > right,
  "<=": (left, right) => left <= right,
  ">=": (left, right) => left >= right,
};

const toValue = (value: unknown): TemplateValue => new jinja.Environment().set("value", value);

/** A value as template output. */
const templateText = (value: unknown): string =>
  scalarText(value) ?? (value === undefined || value === null ? "" : JSON.stringify(value));

const filterName = (node: Node | undefined): string => variablePath(node?.filter?.callee ?? node?.filter);

/** A variable with its path, as written. */
function variablePath(node: Node | undefined): string {
  if (node?.type !== "MemberExpression") return String(node?.value ?? "");
  return `${variablePath(node.object)}.${variablePath(node.property)}`;
}

type Filter = (value: unknown, options: readonly unknown[]) => unknown;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
const orDefault: Filter = (value, [other, forFalse]) => (value === undefined || (forFalse && !value) ? other : value);

/** Joins texts within the length limit. */
function joinTexts(texts: readonly string[], separator: string): string {
  if (separator.length * texts.length > mostCharacters) throw tooMuch();
  return texts.join(separator);
}

/** Nunjucks filters that prompts use, and promptfoo's `load`. The engine cannot be extended with filters, and its own follow Python. */
const filters: Readonly<Record<string, Filter>> = {
  capitalize: (value) => capital(templateText(value)),
  d: orDefault,
  default: orDefault,
  dump: (value, [indent]) => JSON.stringify(value ?? null, null, Number(indent ?? 0)),
  first: (value) => (Array.isArray(value) ? (value[0] as unknown) : undefined),
  join: (value, [separator]) => joinTexts([value].flat().map(templateText), templateText(separator)),
  last: (value) => (Array.isArray(value) ? (value.at(-1) as unknown) : undefined),
  length: (value) =>
    Array.isArray(value) || typeof value === "string" ? value.length : isRecord(value) ? Object.keys(value).length : 0,
  load: (value) => JSON.parse(templateText(value)) as unknown,
  lower: (value) => templateText(value).toLowerCase(),
  replace: (value, [from, to]) => joinTexts(templateText(value).split(templateText(from)), templateText(to)),
  safe: (value) => value,
  string: templateText,
  title: (value) => templateText(value).split(" ").map(capital).join(" "),
  tojson: (value) => JSON.stringify(value ?? null),
  trim: (value) => templateText(value).trim(),
  upper: (value) => templateText(value).toUpperCase(),
};

/** A part of a template: text, an output (`{{ … }}`) or a tag (`{% … %}`). Comments are skipped. */
export interface TemplatePiece {
  readonly kind: "text" | "raw" | "output" | "tag";
  readonly content: string;
}

const closers = { "{": "}}", "%": "%}", "#": "#}" } as const;

/** Splits a template in one pass. An opener without a closer is text, and each closer is searched for only once. */
export function* splitTemplate(template: string): Generator<TemplatePiece> {
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
    // A hyphen trims the white space on its side.
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

/** Finds the next occurrence, or -1; a text that was not found is not searched for again. */
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
