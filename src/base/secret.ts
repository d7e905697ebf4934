const redacted = "[redacted]";

/** A value that must never be printed. Converting it to text, JSON or a log line gives `[redacted]`; only `reveal()` returns the text. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return redacted;
  }

  toJSON(): string {
    return redacted;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return redacted;
  }
}

/** The forms a secret takes in encoded text: hex, and base64 at each of the three possible alignments. */
export function secretEncodings(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((offset) => base64Core(bytes, offset))];
}

/** A shorter piece of base64 occurs in ordinary text. */
const shortestCore = 8;

/** The part of the base64 text that does not depend on the bytes around the secret, which starts at `offset` within a group of three. */
function base64Core(bytes: Uint8Array, offset: number): readonly string[] {
  const shifted = [...Array.from({ length: offset }, () => 0), ...bytes];
  const whole = shifted.slice(0, shifted.length - (shifted.length % 3));
  const core = btoa(String.fromCharCode(...whole)).slice(offset === 0 ? 0 : 4);
  if (core.length < shortestCore) return [];
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}

/** The usual formats of keys and passwords. The first group of a pattern, if it has one, is kept. */
const patterns: readonly RegExp[] = [
  /\b(Bearer\s+)[\w.~+/=-]{8,}/gi,
  /\b(Basic\s+)[\w+/=-]{20,}/gi,
  /\b(?:sk|pk|rk|gsk|xai|or)-[\w-]{16,}/g,
  /\b(?:hf|gsk|ghp|gho|ghs|github_pat|glpat|xoxb|xoxp|whsec)[_-][\w-]{16,}/g,
  /\brh_[0-9A-Za-z]{8}_[\w-]{16,}/g,
  // A JSON Web Token, also after `session_`: its header is the base64url of `{"…`.
  /(?<![\w-])([_-]*(?:(?!eyJ)[A-Za-z0-9]+[_-]+)*)eyJ[\w-]{8,}(?:\.[\w-]*){2,4}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /(\/\/[^\s/:@"']*:)[^\s/@"']+(?=@)/g,
  // The private address of a world.
  /((?:\/|%2F)worlds\\?(?:\/|%2F))(?:[\w.~=-]{40,}|[\w.~=-]{8,39}(?=\\?(?:\/|%2F)mcp\b))/gi,
  /((?:api[-_]?key|access[-_]?token|auth[-_]?token|password|secret)\\?["']?\s*[=:]\s*\\?["']?)[^\s"'\\&,;}]{4,}/gi,
];

/** Replaces everything that looks like a key. */
export function redactKeys(text: string): string {
  return patterns.reduce((result, pattern) => result.replace(pattern, keepPrefix), text);
}

function keepPrefix(_match: string, prefix: unknown): string {
  return `${typeof prefix === "string" ? prefix : ""}${redacted}`;
}

/** Query parameters whose names suggest a secret. `api-version` must not match. */
const secretParameters = /([?&](?:[^?=&#]*(?:key|token|secret|password)|sig|signature|code)=)[^&#]+/gi;

/** An endpoint without the keys in its query: results and reports are passed on to other people. */
export function redactEndpoint(endpoint: string): string {
  return endpoint.replace(secretParameters, `$1${redacted}`);
}
