import { BracketDepth, replaceBareNumbers } from "../../base/json-text.ts";
import { maximumDepth } from "./json-values.ts";

/** Shorter texts cannot nest deeply enough to hurt: a million levels take JSON.parse seconds. */
const scanFromLength = 16 * 1024;

/** Parses an answer, or gives undefined. Bare NaN and Infinity, which some servers write, become null. */
export function parseJson(text: string): unknown {
  if (text.length > scanFromLength && !new BracketDepth().add(text, maximumDepth * 2)) return undefined;
  return tryParse(text) ?? (/NaN|Infinity/.test(text) ? tryParse(replaceBareNumbers(text, () => "null")) : undefined);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
