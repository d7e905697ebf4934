/**
 * A value as JSON text for a column. JSON.stringify escapes NUL and lone surrogates, so every code unit survives on
 * every database. Stored rows are trusted when read: they were checked at the edge.
 */
export function toJsonText(value: unknown): string {
  return JSON.stringify(value);
}

export function fromJsonText<Value>(text: string): Value {
  return JSON.parse(text) as Value;
}

export function fromNullableJsonText<Value>(text: string | null): Value | null {
  return text === null ? null : fromJsonText<Value>(text);
}

const plainId = /^[\x21-\x7e]{1,64}$/;

/**
 * True for texts that can be an id or version created by us. Other texts cannot match a row, and a text column might
 * refuse them.
 */
export function isPlainId(text: string): boolean {
  return plainId.test(text);
}
