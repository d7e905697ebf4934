import { secretEncodings, type Secret } from "../../base/secret.ts";

const shortestSecret = 6;

/**
 * A service that repeats what it was sent must not hand our key to the model, with its scheme or without, and however it writes it: as
 * in the address it was asked at, where a link to the next page has it, as in JSON, or in base64 as in a token.
 */
export function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  const parts = [...new Set(secrets.flatMap(partsOf))].toSorted((left, right) => right.length - left.length);
  let clean = text;
  for (const part of parts) {
    clean = clean.replaceAll(spellingsOf(part), mark);
    for (const encoded of secretEncodings(part)) clean = clean.replaceAll(encoded, mark);
  }
  return clean;
}

const mark = "[redacted]";

/** The whole, what follows its scheme, and each line of it: one that has several is told line by line. */
function partsOf(secret: Secret): readonly string[] {
  const value = secret.reveal();
  const parts = [value, value.replace(/^\w+\s+/, ""), ...value.split(/\r?\n/)];
  return parts.filter((part) => part.length >= shortestSecret);
}

function spellingsOf(value: string): RegExp {
  return new RegExp(Array.from(value, spellingsOfCharacter).join(""), "g");
}

/** Letters and digits are the same everywhere; anything else may stand there as it is, escaped for an address, or for JSON. */
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
