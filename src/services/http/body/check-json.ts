import { jsonString, positionAt, walkJson } from "../../../base/json-text.ts";
import { toPointer } from "../../../base/json.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";

export interface JsonLimits {
  readonly depth: number;
  /** Keys per object. The state of a world may have more: records by id. */
  readonly keys: number;
  /** Values in the whole text: members of arrays and objects; an empty array or object counts as one. */
  readonly values: number;
}

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

/** Lengths of a forbidden key with quotes: unescaped, or fully escaped with six characters each. Only keys in between are decoded. */
const shortest = "__proto__".length + 2;
const longest = 6 * "constructor".length + 2;

/** One open object or list. */
interface JsonLevel {
  readonly isObject: boolean;
  /** Keys so far, or the index of the current member. */
  members: number;
  /** The position of the current key. */
  start: number;
  end: number;
  /** Known once there are more keys than usual. */
  isState?: boolean;
}

/**
 * Checks a text before it is parsed. Refuses invalid JSON, with the position of the error, and JSON that would do harm: too deep nesting,
 * objects with too many keys, too many values to validate in time, and keys that reach an object's prototype, escaped or not.
 */
export function checkJson(text: string, limits: JsonLimits): void {
  const levels: JsonLevel[] = [];
  let values = 0;
  const count = (): void => {
    values += 1;
    if (values > limits.values) throw tooManyValues(limits.values);
  };
  const error = walkJson(text, {
    onKey: (start, end) => {
      const level = levels.at(-1);
      if (!level) return;
      level.members += 1;
      level.start = start;
      level.end = end;
      if (level.members > 1) count();
      if (level.members > limits.keys && !(level.isState ??= isInState(text, levels.slice(0, -1))))
        throw tooManyKeys(pointerOfPath(text, levels.slice(0, -1)), limits.keys);
      if (end - start >= shortest && end - start <= longest) checkKey(text, levels, level);
    },
    onValue: (offset, opened) => {
      const level = levels.at(-1);
      if (level && !level.isObject && ++level.members > 0) count();
      if (!opened) return;
      count();
      if (levels.length >= limits.depth) throw tooDeep(limits.depth, offset);
      const isObject = opened === "{";
      levels.push({ isObject, members: isObject ? 0 : -1, start: 0, end: 0 });
    },
    onClose: () => levels.pop(),
  });
  if (!error) return;
  const { line, column } = positionAt(text, error.offset);
  const found = error.found === null ? "end" : quoted(error.found);
  const place = `unexpected ${found} at offset ${error.offset} (line ${line}, column ${column})`;
  throw new ServiceError("json_invalid", `The body is not valid JSON: ${place}.`);
}

/** Adds the code point to non-ASCII characters, since a byte order mark or an unusual space is invisible. */
function quoted(character: string): string {
  if (character <= "~") return JSON.stringify(character);
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
  return `${JSON.stringify(character)} (U+${code})`;
}

function checkKey(text: string, levels: readonly JsonLevel[], { start, end }: JsonLevel): void {
  const key = jsonString(text, start, end);
  if (!forbiddenKeys.has(key)) return;
  const pointer = pointerOfPath(text, levels);
  throw new ServiceError("key_forbidden", `The key ${JSON.stringify(key)} at ${pointer} is refused.`, {
    errors: [{ pointer, code: "key_forbidden", message: "is refused as a key" }],
  });
}

/** True inside `state` of a `world`. */
function isInState(text: string, levels: readonly JsonLevel[]): boolean {
  const names = levels.map(({ isObject, start, end }) => (isObject ? text.slice(start, end) : ""));
  return names.some((name, index) => name === '"state"' && names[index - 1] === '"world"');
}

function pointerOfPath(text: string, levels: readonly JsonLevel[]): string {
  return toPointer(
    levels.map(({ isObject, members, start, end }) =>
      isObject ? jsonString(text, start, end).slice(0, 256) : members,
    ),
  );
}

function tooDeep(limit: number, offset: number): ServiceError {
  return new ServiceError("json_too_deep", `The JSON is nested deeper than ${limit} levels (at offset ${offset}).`);
}

function tooManyValues(limit: number): ServiceError {
  return new ServiceError("body_too_large", `The body contains more than ${limit} values.`);
}

function tooManyKeys(pointer: string, limit: number): ServiceError {
  return new ServiceError(
    "validation_failed",
    `The object at ${JSON.stringify(pointer)} has more than ${limit} keys.`,
    {
      errors: [{ pointer, code: "too_many_keys", message: `must have at most ${limit} keys` }],
    },
  );
}
