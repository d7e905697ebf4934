import { secretEncodings, redactKeys, type Secret } from "../../base/secret.ts";

const mark = "[redacted]";

/** Shorter values would redact ordinary words. */
const shortestSecret = 6;

/** Removes secrets from text: known values in every encoding, and anything that looks like a key. */
export function createScrubber(secrets: readonly Secret[] = []): (text: string) => string {
  const forms = new Set(secrets.map((secret) => secret.reveal()).flatMap(formsOf));
  const longestFirst = [...forms].toSorted((left, right) => right.length - left.length);
  const known = longestFirst.length > 0 ? new RegExp(longestFirst.map(escape).join("|"), "g") : null;

  return (text) => {
    const rest = known === null ? text : text.replace(known, mark);
    return redactKeys(rest);
  };
}

/** Removes anything that looks like a key, for text that cannot hold configured secrets. */
export const scrub = createScrubber();

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
    ...secretEncodings(value),
  ];
}
