import { ToolError } from "../tool.ts";

/** A piece of an expression. `position` counts from 1. */
export type Token =
  | { readonly kind: "number"; readonly text: string; readonly position: number }
  | { readonly kind: "name"; readonly text: string; readonly position: number }
  | { readonly kind: "symbol"; readonly text: string; readonly position: number }
  | { readonly kind: "end"; readonly text: ""; readonly position: number };

const pieces =
  /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[a-zA-Z_]\w*)|(?<symbol>\*\*|[-+*/%^(),×÷−]))/uy;
const spellings: Readonly<Record<string, string>> = { "**": "^", "×": "*", "÷": "/", "−": "-" };

/** Cuts an expression into tokens; `**`, `×`, `÷` and the true minus sign become their plain forms. */
export function toTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  pieces.lastIndex = 0;
  while (pieces.lastIndex < end) {
    const start = pieces.lastIndex;
    const groups = pieces.exec(text)?.groups;
    if (!groups) throw new ToolError(describeStranger(text, start));
    tokens.push(toToken(groups, pieces.lastIndex));
  }
  tokens.push({ kind: "end", text: "", position: end + 1 });
  return tokens;
}

function toToken({ number, name, symbol }: Partial<Record<string, string>>, end: number): Token {
  if (number !== undefined) return { kind: "number", text: number, position: end - number.length + 1 };
  if (name !== undefined) return { kind: "name", text: name.toLowerCase(), position: end - name.length + 1 };
  const text = symbol ?? "";
  return { kind: "symbol", text: spellings[text] ?? text, position: end - text.length + 1 };
}

function describeStranger(text: string, start: number): string {
  const rest = text.slice(start);
  const position = start + rest.length - rest.trimStart().length;
  const [character] = text.slice(position);
  return `"${character}" at position ${position + 1} is not part of an expression.`;
}
