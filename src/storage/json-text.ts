/**
 * A value as the text of a column. JSON.stringify escapes NUL and lone surrogates, so every code unit survives on every
 * database. Our own rows are trusted when they are read back: what went in was checked at the edge.
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
