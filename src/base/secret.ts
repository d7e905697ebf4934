/** A value that must never be printed. Every ordinary way to turn it into text gives `[redacted]`; only `reveal()` gives the text. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[redacted]";
  }

  toJSON(): string {
    return "[redacted]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[redacted]";
  }
}

/** How a secret stands in a text that carries bytes: in hex, and in base64, wherever in it the secret begins. */
export function secretEncodings(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((offset) => base64Core(bytes, offset))];
}

/** Less could be in any text. */
const shortestCore = 8;

/** The part of the base64 text that is the same whatever stands around the secret, when it starts at this offset of a group. */
function base64Core(bytes: Uint8Array, offset: number): readonly string[] {
  const shifted = [...Array.from({ length: offset }, () => 0), ...bytes];
  const whole = shifted.slice(0, shifted.length - (shifted.length % 3));
  const core = btoa(String.fromCharCode(...whole)).slice(offset === 0 ? 0 : 4);
  if (core.length < shortestCore) return [];
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}

const mark = "[redacted]";

/** Shapes that are secrets whoever issued them. The first group, where there is one, stays. */
const patterns: readonly RegExp[] = [
  /\b(Bearer\s+)[\w.~+/=-]{8,}/gi,
  /\b(Basic\s+)[\w+/=-]{20,}/gi,
  /\b(?:sk|pk|rk|gsk|xai|or)-[\w-]{16,}/g,
  /\b(?:hf|gsk|ghp|gho|ghs|github_pat|glpat|xoxb|xoxp|whsec)[_-][\w-]{16,}/g,
  /\brh_[0-9A-Za-z]{8}_[\w-]{16,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /(\/\/[^\s/:@"']*:)[^\s/@"']+(?=@)/g,
  /((?:api[-_]?key|access[-_]?token|auth[-_]?token|password|secret)\\?["']?\s*[=:]\s*\\?["']?)[^\s"'\\&,;}]{4,}/gi,
];

/** Removes what looks like a key. */
export function withoutKeys(text: string): string {
  return patterns.reduce((result, pattern) => result.replace(pattern, keepPrefix), text);
}

function keepPrefix(_match: string, prefix: unknown): string {
  return `${typeof prefix === "string" ? prefix : ""}${mark}`;
}

/** Parameters of an address whose names say that they hold a secret. What `api-version` says must stay. */
const secretParameters = /([?&](?:[^=&#]*(?:key|token|secret|password)|sig|signature|code)=)[^&#]+/gi;

/** An endpoint as whoever reads of a run sees it: results and reports are handed on, and a key in its query went with them. */
export function shownEndpoint(endpoint: string): string {
  return endpoint.replace(secretParameters, "$1[redacted]");
}
