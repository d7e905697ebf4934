import { secretEncodings, type Secret } from "./secret.ts";

/** Shorter values would redact ordinary words. */
const shortestSecret = 6;
const mark = "[redacted]";

/** Removes known secrets in every spelling in which services repeat them. Takes time proportional to the text. */
export interface SecretRedactor {
  text(text: string): string;
  /** The same JSON value; each text in it, and each name, without secrets. */
  value<T>(value: T): T;
  /** A writer of a text in pieces, which holds back what may be the beginning of a secret until `end`. */
  stream(write: (text: string) => void): { add(piece: string): void; end(): void };
}

/**
 * Finds secrets with and without their scheme, and each line of them: plain, as written in a URL, in HTML or in JSON, also
 * twice, and in hex or base64 inside a longer token.
 */
export function createSecretRedactor(secrets: readonly Secret[]): SecretRedactor {
  const parts = [...new Set(secrets.flatMap(partsOf))].toSorted((left, right) => right.length - left.length);
  const spellings = parts.flatMap((part) => [part, ...secretEncodings(part)].map(spell));
  const longest = Math.max(0, ...spellings.map((spelling) => spelling.longest));
  // Few texts hold a secret, and a search for fixed characters is many times faster than the patterns.
  const anyFixed = spellings.length > 0 ? new RegExp(spellings.map(({ fixed }) => fixed).join("|")) : /$^/;
  const mayBeIn = (given: string): readonly Spelling[] =>
    anyFixed.test(given) ? spellings.filter(({ fixed }) => given.includes(fixed)) : [];
  const text = (given: string): string =>
    mayBeIn(given).reduce((rest, { pattern }) => rest.replace(pattern, mark), given);

  /** The last place up to `cut` that is within no secret. */
  function placeToCut(held: string, cut: number): number {
    const found = mayBeIn(held).flatMap(({ pattern }) => [...held.matchAll(pattern)]);
    const across = found.filter(({ index, 0: match }) => index < cut && index + match.length > cut);
    return across.length === 0 ? cut : placeToCut(held, Math.min(...across.map(({ index }) => index)));
  }

  function value<T>(given: T): T {
    if (typeof given === "string") return text(given) as T;
    if (Array.isArray(given)) return given.map((item: unknown) => value(item)) as T;
    if (typeof given !== "object" || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([name, item]) => [text(name), value<unknown>(item)])) as T;
  }

  return {
    text,
    value: (given) => (spellings.length > 0 ? value(given) : given),
    stream(write) {
      let held = "";
      return {
        add(piece) {
          held += piece;
          // Larger steps than the part held back keep the time proportional to the text.
          if (held.length <= 2 * longest) return;
          const cut = placeToCut(held, held.length - longest);
          if (cut > 0) write(text(held.slice(0, cut)));
          held = held.slice(cut);
        },
        end() {
          if (held !== "") write(text(held));
          held = "";
        },
      };
    },
  };
}

/** Removes secrets from one text. */
export function redactSecrets(text: string, secrets: readonly Secret[]): string {
  return createSecretRedactor(secrets).text(text);
}

/** The whole secret, the part after its scheme, and each of its lines. */
function partsOf(secret: Secret): readonly string[] {
  const value = secret.reveal();
  const parts = [value, value.replace(/^\w+\s+/, ""), ...value.split(/\r?\n/)];
  return parts.filter((part) => part.length >= shortestSecret);
}

interface Spelling {
  readonly pattern: RegExp;
  /** Characters that are in every match. */
  readonly fixed: string;
  /** The most characters that it matches. */
  readonly longest: number;
}

function spell(value: string): Spelling {
  // Backslashes in a row are one piece: two patterns with a free number of them would try all ways to share them out.
  const pieces = (value.match(/\\+|[^\\]/gsu) ?? []).map(spellPiece);
  const runs = (value.match(/[A-Za-z0-9]+/g) ?? []).toSorted((left, right) => right.length - left.length);
  return {
    pattern: new RegExp(pieces.map(({ source }) => source).join(""), "g"),
    fixed: runs[0] ?? "",
    longest: pieces.reduce((sum, { longest }) => sum + longest, 0),
  };
}

const named: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };
const inJson: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t" };
/** JSON in JSON in JSON has seven backslashes before a quotation mark. */
const escapes = 8;
/** How often `%` or `&` may be escaped once more. */
const again = 3;

/** Letters and digits are written the same everywhere; other characters may be escaped for a URL, JSON or HTML. */
function spellPiece(piece: string): { readonly source: string; readonly longest: number } {
  if (/^[A-Za-z0-9]$/.test(piece)) return { source: piece, longest: 1 };
  const character = piece.startsWith("\\") ? "\\" : piece;
  const units = Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at), 4));
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => hex(byte, 2));
  const point = character.codePointAt(0) ?? 0;
  const entity = named[character];
  const plain = units.map((unit) => `\\u${unit}`).join("");
  const letter = inJson[character];
  const others = [
    bytes.map((byte) => `%(?:25){0,${again}}${inEitherCase(byte)}`).join(""),
    units.map((unit) => `\\\\{1,${escapes}}u${inEitherCase(unit)}`).join(""),
    `&(?:amp;){0,${again}}(?:#0{0,4}${point}|#[xX]0{0,4}${inEitherCase(point.toString(16))}${entity === undefined ? "" : `|${entity}`});`,
    ...(letter === undefined ? [] : [`\\\\{1,${escapes}}${letter}`]),
    ...(character === " " ? ["\\+"] : []),
  ].join("|");
  const count = piece.length;
  if (character === "\\") {
    const isRun = count > 1 ? `(?:${others}){${count}}` : others;
    return { source: `(?:\\\\{${count},${count * escapes}}|${isRun})`, longest: count * 40 };
  }
  return { source: `(?:\\\\{0,${escapes}}${plain}|${others})`, longest: bytes.length * 40 };
}

const inEitherCase = (digits: string): string =>
  digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");
