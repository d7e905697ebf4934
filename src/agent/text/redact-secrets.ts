import { secretEncodings, type Secret } from "../../base/secret.ts";

const shortestSecret = 6;

/**
 * Removes secrets from a service's response, so that a service that repeats its request does not give our key to the model. Finds them
 * with and without their scheme, as written in a URL (a link to the next page), in JSON, or in base64 inside a token.
 */
export function redactSecrets(text: string, secrets: readonly Secret[]): string {
  const parts = [...new Set(secrets.flatMap(partsOf))].toSorted((left, right) => right.length - left.length);
  let clean = text;
  for (const part of parts) {
    clean = clean.replaceAll(spellingsOf(part), mark);
    for (const encoded of secretEncodings(part)) clean = clean.replaceAll(encoded, mark);
  }
  return clean;
}

const mark = "[redacted]";

/** The whole secret, the part after its scheme, and each of its lines. */
function partsOf(secret: Secret): readonly string[] {
  const value = secret.reveal();
  const parts = [value, value.replace(/^\w+\s+/, ""), ...value.split(/\r?\n/)];
  return parts.filter((part) => part.length >= shortestSecret);
}

function spellingsOf(value: string): RegExp {
  return new RegExp(Array.from(value, spellingsOfCharacter).join(""), "g");
}

/** Letters and digits are written the same everywhere; other characters may be plain, or escaped for a URL or JSON. */
function spellingsOfCharacter(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character;
  const units = Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at), 4));
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => hex(byte, 2));
  const plain = units.map((unit) => `\\u${unit}`).join("");
  const inAddress = bytes.map((byte) => `%${inEitherCase(byte)}`).join("");
  const inJson = units.map((unit) => `\\\\u${inEitherCase(unit)}`).join("");
  return `(?:\\\\?${plain}|${inAddress}|${inJson}${character === " " ? "|\\+" : ""})`;
}

const inEitherCase = (digits: string): string =>
  digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");
