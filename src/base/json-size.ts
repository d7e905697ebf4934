/** The size of a value as JSON text, where a part that occurs twice counts twice. */
export interface JsonSize {
  readonly characters: number;
  /** Members of objects and lists, and the value itself. */
  readonly values: number;
  /** Levels of objects and lists. */
  readonly depth: number;
}

/** Sizes of large objects and lists. Smaller ones are counted again, which costs no more than remembering them. */
const known = new WeakMap<object, JsonSize>();
const largeCharacters = 1_000;

/**
 * The size of a JSON value, or null as soon as it passes a limit: its parts may be shared, so that its text would be exponential in its
 * memory. The value must not be changed afterwards, because sizes of large parts are remembered.
 */
export function measureJson(value: unknown, limits: JsonSize): JsonSize | null {
  if (typeof value !== "object" || value === null) {
    // The text of a string has at least its characters.
    if (typeof value === "string" && value.length > limits.characters) return null;
    return within({ characters: JSON.stringify(value)?.length ?? 0, values: 1, depth: 0 }, limits);
  }
  const size = known.get(value) ?? measureMembers(value, limits);
  return size && within(size, limits);
}

function measureMembers(value: object, limits: JsonSize): JsonSize | null {
  if (limits.depth < 1) return null;
  const isList = Array.isArray(value);
  const keys = isList ? null : Object.keys(value);
  const members = keys ?? (value as readonly unknown[]);
  let characters = 2;
  let values = 1;
  let depth = 1;
  for (let index = 0; index < members.length; index += 1) {
    const key = keys?.[index];
    const member = key === undefined ? (value as readonly unknown[])[index] : (value as Record<string, unknown>)[key];
    // JSON leaves out fields without a value.
    if (key !== undefined && member === undefined) continue;
    if (characters > 2) characters += 1;
    if (key !== undefined) characters += JSON.stringify(key).length + 1;
    const left = {
      characters: limits.characters - characters,
      values: limits.values - values,
      depth: limits.depth - 1,
    };
    const size = measureJson(member, left);
    if (!size) return null;
    characters += size.characters;
    values += size.values;
    depth = Math.max(depth, size.depth + 1);
  }
  const size = { characters, values, depth };
  if (characters >= largeCharacters) known.set(value, size);
  return size;
}

function within(size: JsonSize, { characters, values, depth }: JsonSize): JsonSize | null {
  return size.characters <= characters && size.values <= values && size.depth <= depth ? size : null;
}

/** The first characters of a value as JSON, at least as many as asked for unless the whole is shorter. */
export function jsonStart(value: unknown, characters: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, characters + 1));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  const isList = Array.isArray(value);
  let text = isList ? "[" : "{";
  for (const key of isList ? value.keys() : Object.keys(value)) {
    const member = (value as Record<PropertyKey, unknown>)[key];
    if (!isList && member === undefined) continue;
    if (text.length > 1) text += ",";
    if (!isList) text += `${JSON.stringify(key)}:`;
    text += jsonStart(member, characters - text.length) || "null";
    if (text.length > characters) return text;
  }
  return text + (isList ? "]" : "}");
}
