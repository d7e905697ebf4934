import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { scalarText } from "../../records.ts";

export interface Rendered {
  readonly text: string;
  /** Parts of the template language we do not run; the text is not what promptfoo would have sent. */
  readonly unknown: readonly string[];
  /** Variables the test does not set. */
  readonly missing: readonly string[];
}

/** A value may be put in as often as the template names it, so a short file could stand for any length of text. */
const mostCharacters = 1_000_000;

/** Parts of a template that are evaluated at most, those in a loop each time round. A long text or list counts for many. */
const mostSteps = 100_000;
const lengthPerStep = 100;

/** The engine reads a tag by recursion, and takes quadratic time for white space. All tags together may be a hundred times as long. */
const longestTag = 1000;

/**
 * Fills in a prompt the way promptfoo does: values with filters, conditions, loops, raw blocks. The loop over `_conversation` is left
 * out, since the turns before are our own. With `json`, plain values are escaped for JSON.
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
    const unknown = error instanceof Unknown ? error.message : "tags that cannot be read or evaluated";
    return { text: template, unknown: [unknown], missing: renderer.missing };
  }
}

/** True when the prompt repeats the turns before, which makes the tests turns of one conversation. */
export const usesConversation = (template: string): boolean =>
  template.includes("_conversation") &&
  templatePieces(template).some(({ kind, content }) => kind !== "text" && /\b_conversation\b/.test(content));

/** Names the variables a template uses and the test does not have. */
export const withoutValue = (names: readonly string[]): string =>
  `variables without a value: ${[...new Set(names)].join(", ")}`;

/** A part of the template language we do not run, or more of it than we run. */
class Unknown extends Error {}

const tooMuch = (): Unknown => new Unknown(`more than ${mostCharacters} characters or ${mostSteps} steps`);

const constants: JsonRecord = { true: true, false: false, none: null, null: null };

interface Template {
  readonly nodes: readonly Node[];
  /** The words of the template: a variable that is none of them need not be known to the engine. */
  readonly words: ReadonlySet<string>;
}

/** One prompt is filled in for every test of a file, and reading it takes longer than filling it in. */
const readBefore = new Map<string, Template>();

function parseTemplate(template: string, json: boolean): Template {
  const key = `${json} ${template}`;
  const before = readBefore.get(key);
  if (before) return before;
  const tokens = tokensOf([...templatePieces(template)], json);
  const words = new Set(tokens.flatMap(({ type, value }) => (type === "Identifier" ? [value] : [])));
  const parsed = { nodes: marked(jinja.parse(tokens).body), words };
  if (readBefore.size >= 100) readBefore.clear();
  if (template.length <= 10_000) readBefore.set(key, parsed);
  return parsed;
}

/** The tokens of the engine's lexer. It knows no raw blocks, only ASCII letters in names, and neither `===` nor `elseif`. */
function tokensOf(pieces: readonly TemplatePiece[], json: boolean): Token[] {
  let length = 0;
  return pieces.flatMap(({ kind, content }): Token[] => {
    if (kind === "text" || kind === "raw")
      return content === "" ? [] : [{ type: "Text", value: json && kind === "raw" ? escapeJson(content) : content }];
    const tag = kind === "output" ? `{{ ${content} }}` : `{% ${content} %}`;
    length += tag.length;
    if (tag.length > longestTag || length > 100 * longestTag) throw new Unknown(`${tag.slice(0, 40)}…`);
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

/** The engine, as far as it is used. TypeScript finds its own types only with a bundler's resolution. */
const jinja = { tokenize, parse, Environment, Interpreter } as unknown as {
  tokenize(source: string): readonly Token[];
  parse(tokens: readonly Token[]): { readonly body: readonly Node[] };
  readonly Environment: new () => Scope;
  readonly Interpreter: new () => { evaluate: Evaluate };
};
type Token = { readonly type: string; readonly value: string };
type Value = { readonly type: string; readonly value: unknown };
type Evaluate = (node: Node | undefined, scope: Scope) => Value;
interface Scope {
  /** Converts a value of JavaScript. */
  set(name: string, value: unknown): Value;
  setVariable(name: string, value: Value): void;
}

/** A node of the engine's syntax tree, or one of our own: `Output`, `Condition`, and `Value` for what is evaluated already. */
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
/** `inner` is a field of our own nodes. */
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

/** The same statements, in which the texts put out and the conditions are nodes of our own. */
const marked = (nodes: readonly Node[] = []): Node[] =>
  nodes.map((node) => {
    const { type, body, alternate, defaultBlock } = node;
    if (type === "StringLiteral" || type === "Set") return node;
    if (type === "For") return { ...node, body: marked(body), defaultBlock: marked(defaultBlock) };
    if (type !== "If") return { type: "Output", inner: node };
    return { ...node, test: { type: "Condition", inner: node.test }, body: marked(body), alternate: marked(alternate) };
  });

/** Runs a template in the engine, within limits, and as Nunjucks does where that differs from Jinja. */
class Renderer {
  readonly missing: string[] = [];
  readonly #json: boolean;
  readonly #jinja: Evaluate;
  #steps = 0;

  constructor(json: boolean) {
    this.#json = json;
    // Not a subclass: the bundle loads the engine when the first template is filled in.
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

  #evaluate(node: Node | undefined, scope: Scope): Value {
    const value = node ? this.#run(node, scope) : this.#jinja(node, scope);
    const { value: made } = value;
    this.#count(typeof made === "string" || Array.isArray(made) ? made.length / lengthPerStep : 0);
    return value;
  }

  #count(more: number): void {
    this.#steps += 1 + more;
    if (this.#steps > mostSteps) throw tooMuch();
  }

  #run(node: Node, scope: Scope): Value {
    const { type, inner } = node;
    const before = this.missing.length;
    switch (type) {
      case "Value":
        return node.value as Value;
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
        // The methods of Python's values are not Nunjucks'.
        if (value.type !== "UndefinedValue" && value.type !== "FunctionValue") return value;
        this.missing.push(pathOf(node));
        return toValue(undefined);
      }
      case "CallExpression":
        throw new Unknown(`${pathOf(node.callee)}()`);
      case "Macro":
      case "CallStatement":
      case "FilterStatement":
        throw new Unknown(`{% ${type.replace("Statement", "").toLowerCase()} %}`);
      default:
        return this.#jinja(node, scope);
    }
  }

  /** An empty list holds, as in JavaScript. A condition may ask for a variable that is not there. */
  #holds(node: Node | undefined, scope: Scope): boolean {
    const before = this.missing.length;
    const { value } = this.#evaluate(node, scope);
    this.missing.length = before;
    return Boolean(value);
  }

  #operate(node: Node, scope: Scope): Value {
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

  /** A loop goes over the members of a list, or the names and values of a record. */
  #entries(iterable: Node | undefined, scope: Scope): Node {
    const isConversation = /^_conversation\b/.test(pathOf(iterable));
    const list = isConversation ? [] : this.#plain(this.#evaluate(iterable, scope));
    const entries = Array.isArray(list) ? list : isRecord(list) ? Object.entries(list) : [];
    return { type: "Value", value: toValue(entries) };
  }

  #filter(node: Node, scope: Scope): Value {
    const before = this.missing.length;
    const value = this.#plain(this.#evaluate(node.operand, scope));
    const name = filterName(node);
    // A variable with a default is not missing.
    if (name === "default" || name === "d") this.missing.length = before;
    const options = node.filter?.args?.map((option) => this.#plain(this.#evaluate(option, scope))) ?? [];
    if (!Object.hasOwn(filters, name)) throw new Unknown(`filter ${name}`);
    return toValue(filters[name]?.(value, options));
  }

  /** A value as JavaScript has it. */
  #plain({ type, value }: Value): unknown {
    this.#count(0);
    if (type === "NullValue") return null;
    if (Array.isArray(value)) return value.map((entry) => this.#plain(entry));
    if (!(value instanceof Map)) return value;
    return Object.fromEntries(Array.from(value, ([name, entry]) => [name, this.#plain(entry)]));
  }
}

/** JavaScript's comparisons, which compare texts and what is missing too. */
const comparisons: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  "===": (left, right) => left === right,
  "!==": (left, right) => left !== right,
  "<": (left, right) => left < right,
  ">": (left, right) => left > right,
  "<=": (left, right) => left <= right,
  ">=": (left, right) => left >= right,
};

const toValue = (value: unknown): Value => new jinja.Environment().set("value", value);

/** A value as a template puts it into a text. */
const templateText = (value: unknown): string =>
  scalarText(value) ?? (value === undefined || value === null ? "" : JSON.stringify(value));

const filterName = (node: Node | undefined): string => pathOf(node?.filter?.callee ?? node?.filter);

/** A name as it is written, with the steps into its value. */
function pathOf(node: Node | undefined): string {
  if (node?.type !== "MemberExpression") return String(node?.value ?? "");
  return `${pathOf(node.object)}.${pathOf(node.property)}`;
}

type Filter = (value: unknown, options: readonly unknown[]) => unknown;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
const orDefault: Filter = (value, [other, forFalse]) => (value === undefined || (forFalse && !value) ? other : value);

/** Texts joined, unless that is longer than a template may get. */
function joined(texts: readonly string[], separator: string): string {
  if (separator.length * texts.length > mostCharacters) throw tooMuch();
  return texts.join(separator);
}

/** The filters of Nunjucks that prompts use, and `load` of promptfoo. The engine takes none, and its own are Python's. */
const filters: Readonly<Record<string, Filter>> = {
  capitalize: (value) => capital(templateText(value)),
  d: orDefault,
  default: orDefault,
  dump: (value, [indent]) => JSON.stringify(value ?? null, null, Number(indent ?? 0)),
  first: (value) => (Array.isArray(value) ? (value[0] as unknown) : undefined),
  join: (value, [separator]) => joined([value].flat().map(templateText), templateText(separator)),
  last: (value) => (Array.isArray(value) ? (value.at(-1) as unknown) : undefined),
  length: (value) =>
    Array.isArray(value) || typeof value === "string" ? value.length : isRecord(value) ? Object.keys(value).length : 0,
  load: (value) => JSON.parse(templateText(value)) as unknown,
  lower: (value) => templateText(value).toLowerCase(),
  replace: (value, [from, to]) => joined(templateText(value).split(templateText(from)), templateText(to)),
  safe: (value) => value,
  string: templateText,
  title: (value) => templateText(value).split(" ").map(capital).join(" "),
  tojson: (value) => JSON.stringify(value ?? null),
  trim: (value) => templateText(value).trim(),
  upper: (value) => templateText(value).toUpperCase(),
};

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
