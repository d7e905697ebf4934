import { ServiceError } from "../../contract/errors.ts";
import { toPointer } from "../../base/json.ts";

export interface JsonLimits {
  readonly depth: number;
  /** Of one object. */
  readonly keys: number;
  /** Of the whole text: numbers, texts, objects, lists. */
  readonly values: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

/** One open object or array: where its current key stands in the text, or its current index. */
interface Level {
  readonly isObject: boolean;
  /** Members so far: keys of an object, or the index in an array. */
  members: number;
  keyStart: number;
  keyEnd: number;
}

/**
 * Looks at the bytes of a JSON text before it is parsed, and refuses what would hurt later: nesting beyond the limit,
 * objects with too many keys, more values than the contract can be held against in good time, and keys that reach an object's
 * prototype, however they are spelled.
 * Broken JSON passes: the parser will say so.
 */
export function scanJson(bytes: Uint8Array, limits: JsonLimits): void {
  const levels: Level[] = [];
  let stringStart = 0;
  let stringEnd = 0;
  // The first value of each list or object, and one more behind every comma.
  let values = 0;
  const countValue = () => {
    values += 1;
    if (values > limits.values) throw tooManyValues(limits.values);
  };

  for (let index = 0; index < bytes.length; index += 1) {
    switch (bytes[index]) {
      case quote:
        stringStart = index;
        index = endOfString(bytes, index);
        stringEnd = index + 1;
        break;
      case openBrace:
      case openBracket:
        if (levels.length >= limits.depth) throw tooDeep(limits.depth, index);
        levels.push({ isObject: bytes[index] === openBrace, members: 0, keyStart: 0, keyEnd: 0 });
        countValue();
        break;
      case closeBrace:
      case closeBracket:
        levels.pop();
        break;
      case colon:
        enterMember(levels, { bytes, stringStart, stringEnd, limit: limits.keys });
        break;
      case comma: {
        const level = levels.at(-1);
        if (level && !level.isObject) level.members += 1;
        countValue();
        break;
      }
    }
  }
}

/** The index of the closing quote, or of the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let index = start + 1; index < bytes.length; index += 1) {
    if (bytes[index] === backslash) index += 1;
    else if (bytes[index] === quote) return index;
  }
  return bytes.length;
}

function enterMember(
  levels: readonly Level[],
  {
    bytes,
    stringStart,
    stringEnd,
    limit,
  }: { bytes: Uint8Array; stringStart: number; stringEnd: number; limit: number },
): void {
  const level = levels.at(-1);
  if (!level?.isObject) return;
  level.members += 1;
  level.keyStart = stringStart;
  level.keyEnd = stringEnd;
  if (level.members > limit) throw tooManyKeys(bytes, levels, limit);

  if (!mayBeForbidden(bytes, level)) return;
  const key = decodeKey(bytes, level);
  if (!forbiddenKeys.has(key)) return;
  const pointer = pointerTo(bytes, levels);
  throw new ServiceError("key_forbidden", `The key ${JSON.stringify(key)} at ${pointer} is refused.`, {
    errors: [{ pointer, code: "key_forbidden", message: "is refused as a key" }],
  });
}

/** The longest way to write a forbidden key is all escapes, six bytes a character. */
const longestSpelling = 6 * "constructor".length;

/** A cheap look that spares most keys the decoding: the length must fit, or an escape must be able to make it fit. */
function mayBeForbidden(bytes: Uint8Array, { keyStart, keyEnd }: Level): boolean {
  const length = keyEnd - keyStart - 2;
  if (length === "__proto__".length || length === "constructor".length) return true;
  return (
    length > "__proto__".length && length <= longestSpelling && bytes.subarray(keyStart, keyEnd).includes(backslash)
  );
}

function decodeKey(bytes: Uint8Array, { keyStart, keyEnd }: Level): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + keyStart, keyEnd - keyStart).toString("utf8");
  if (!text.includes("\\")) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return "";
  }
}

function pointerTo(bytes: Uint8Array, levels: readonly Level[]): string {
  return toPointer(levels.map((level) => (level.isObject ? decodeKey(bytes, level).slice(0, 256) : level.members)));
}

function tooDeep(limit: number, offset: number): ServiceError {
  return new ServiceError("json_too_deep", `The JSON is nested deeper than ${limit} levels (at byte ${offset}).`);
}

function tooManyValues(limit: number): ServiceError {
  return new ServiceError("body_too_large", `The body holds more than ${limit} values.`);
}

function tooManyKeys(bytes: Uint8Array, levels: readonly Level[], limit: number): ServiceError {
  const pointer = pointerTo(bytes, levels.slice(0, -1));
  return new ServiceError(
    "validation_failed",
    `The object at ${JSON.stringify(pointer)} has more than ${limit} keys.`,
    {
      errors: [{ pointer, code: "too_many_keys", message: `must have at most ${limit} keys` }],
    },
  );
}
