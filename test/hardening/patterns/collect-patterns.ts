import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";

export interface FoundPattern {
  readonly source: string;
  readonly flags: string;
  /** `src/formats/redact.ts:17` */
  readonly places: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
}

/** The regular expressions of a program: literals, and `new RegExp` of texts that are constant in its file. */
export function collectPatterns(root: string, folders: readonly string[]): FoundPattern[] {
  const found = new Map<string, FoundPattern>();
  for (const file of folders.flatMap((folder) => sourceFiles(root, folder))) {
    for (const pattern of patternsIn(readFileSync(join(root, file), "utf8"), file)) {
      const key = `/${pattern.source}/${pattern.flags}`;
      found.set(key, { ...pattern, places: [...(found.get(key)?.places ?? []), ...pattern.places] });
    }
  }
  return [...found.values()];
}

/** Tests and build configuration run on the developer's own machine only. */
function sourceFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|vite\.config\.ts$|\/(?:node_modules|dist)\//.test(file));
}

export function patternsIn(text: string, file: string): FoundPattern[] {
  const program = parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }, file);
  const patterns: FoundPattern[] = [];
  const constants = new Map<string, unknown>();
  visit(program, (node) => {
    const { id, init } = node as { id?: { name?: string }; init?: unknown };
    if (node.type === "VariableDeclarator" && id?.name !== undefined && init) constants.set(id.name, init);
  });
  const add = (node: Node, source: string, flags: string): void => {
    patterns.push({ source, flags, places: [`${file}:${text.slice(0, node.start).split("\n").length}`] });
  };
  visit(program, (node) => {
    const { regex, callee } = node as { regex?: { pattern: string; flags: string }; callee?: { name?: string } };
    if (node.type === "Literal" && regex) add(node, regex.pattern, regex.flags);
    if (callee?.name !== "RegExp") return;
    const [source, flags] = (node as unknown as { arguments: unknown[] }).arguments;
    const constant = constantText(source, constants);
    if (constant !== undefined) add(node, constant, constantText(flags, constants) ?? "");
  });
  return patterns;
}

function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) for (const item of node) visit(item, see);
  else if (typeof node === "object" && node !== null) {
    if ("type" in node) see(node as Node);
    for (const value of Object.values(node)) visit(value, see);
  }
}

interface Expression {
  readonly type?: string;
  readonly value?: unknown;
  readonly name?: string;
  readonly quasi?: Template;
  readonly left?: unknown;
  readonly right?: unknown;
}

/** The text of a constant expression; undefined if it depends on anything else. */
function constantText(node: unknown, constants: ReadonlyMap<string, unknown>): string | undefined {
  const expression = (node ?? {}) as Expression;
  const of = (inner: unknown): string | undefined => constantText(inner, constants);
  switch (expression.type) {
    case "Literal":
      return typeof expression.value === "string" ? expression.value : undefined;
    case "Identifier": {
      const value = constants.get(expression.name ?? "");
      return value === undefined || value === node ? undefined : of(value);
    }
    case "TaggedTemplateExpression":
      return template(expression.quasi, "raw", of);
    case "TemplateLiteral":
      return template(expression as Template, "cooked", of);
    case "BinaryExpression": {
      const [left, right] = [of(expression.left), of(expression.right)];
      return left === undefined || right === undefined ? undefined : left + right;
    }
    case "CallExpression":
      return joined(expression as never, of);
    default:
      return undefined;
  }
}

interface Template {
  readonly quasis?: readonly { readonly value: { readonly raw: string; readonly cooked: string } }[];
  readonly expressions?: readonly unknown[];
}

function template(
  template: Template | undefined,
  form: "raw" | "cooked",
  of: (node: unknown) => string | undefined,
): string | undefined {
  const { quasis = [], expressions = [] } = template ?? {};
  const inner = expressions.map(of);
  if (inner.includes(undefined)) return undefined;
  return quasis.map(({ value }, index) => value[form] + (inner[index] ?? "")).join("");
}

/** `["a", "b"].join("|")` */
function joined(
  call: {
    callee: { object?: { type: string; elements?: unknown[] }; property?: { name?: string } };
    arguments: unknown[];
  },
  of: (node: unknown) => string | undefined,
): string | undefined {
  const { object, property } = call.callee;
  if (property?.name !== "join" || object?.type !== "ArrayExpression") return undefined;
  const parts = (object.elements ?? []).map(of);
  const separator = of(call.arguments[0]);
  return parts.includes(undefined) || separator === undefined ? undefined : parts.join(separator);
}
