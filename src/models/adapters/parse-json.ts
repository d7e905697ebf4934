import { maximumDepth } from "./json-values.ts";

// Shorter texts cannot nest deeply enough to hurt, so they skip the scan.
const scanFromLength = 16 * 1024;

/** Parses an answer, or gives undefined. Bare NaN and Infinity, which some servers write, become null. */
export function parseJson(text: string): unknown {
  if (text.length > scanFromLength && isTooDeep(text)) return undefined;
  return tryParse(text) ?? (/NaN|Infinity/.test(text) ? tryParse(withoutBareNumbers(text)) : undefined);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Goes from quote to quote: a pattern for a whole string would be tried at every quote of a text whose last string never ends. */
function withoutBareNumbers(text: string): string {
  let inString = false;
  return text.replace(/\\.|"|-?\b(?:NaN|Infinity)\b/gs, (token) => {
    if (token === '"') inString = !inString;
    return inString || token === '"' || token.startsWith("\\") ? token : "null";
  });
}

/** Counts open brackets outside strings: a million levels take JSON.parse seconds, this stops at the first too many. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 92) index += 1;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > maximumDepth * 2) return true;
    } else if (code === 93 || code === 125) depth -= 1;
  }
  return false;
}
