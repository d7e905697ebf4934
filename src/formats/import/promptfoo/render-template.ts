import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { evaluateExpression, UnknownExpression, type Evaluated } from "./template-expression.ts";
import { templatePieces } from "./template-pieces.ts";
import { templateText } from "./template-text.ts";
import { templateTree, type TemplateNode } from "./template-tree.ts";

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
