import type { Secret } from "../../contract/secret.ts";

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

/** Shorter values would blacken ordinary words. */
const shortestSecret = 6;

/** Removes secrets from text: the known values in every form they travel in, and what looks like a key. */
export function createScrubber(secrets: readonly Secret[] = []): (text: string) => string {
  const forms = new Set(secrets.map((secret) => secret.reveal()).flatMap(formsOf));
  const longestFirst = [...forms].toSorted((left, right) => right.length - left.length);
  const known = longestFirst.length > 0 ? new RegExp(longestFirst.map(escape).join("|"), "g") : null;

  return (text) => {
    const rest = known === null ? text : text.replace(known, mark);
    return patterns.reduce((result, pattern) => result.replace(pattern, keepPrefix), rest);
  };
}

/** Removes what looks like a key, for text that can hold none of our own. */
export const scrub = createScrubber();

function keepPrefix(_match: string, prefix: unknown): string {
  return `${typeof prefix === "string" ? prefix : ""}${mark}`;
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function formsOf(value: string): readonly string[] {
  if (value.length < shortestSecret) return [];
  return [
    value,
    encodeURIComponent(value),
    new URLSearchParams({ value }).toString().slice("value=".length),
    JSON.stringify(value).slice(1, -1),
    Buffer.from(value).toString("hex"),
    ...[0, 1, 2].flatMap((offset) => base64Core(value, offset)),
  ];
}

/** The part of the base64 text that is the same whatever stands around the secret, when it starts at this offset of a group. */
function base64Core(value: string, offset: number): readonly string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  const core = whole.toString("base64").slice(offset === 0 ? 0 : 4);
  if (core.length < 8) return [];
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}
