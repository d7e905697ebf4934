type OtlpValue =
  | { readonly stringValue: string }
  | { readonly doubleValue: number }
  | { readonly intValue: string }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

/** OTLP's JSON form of an attribute. */
export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

type AttributeValue = string | number | boolean | { readonly integer: number } | readonly string[];

/** A count: OTLP tells integers from measures, JavaScript does not. */
export const integer = (value: number | null | undefined): { readonly integer: number } | null =>
  typeof value === "number" ? { integer: value } : null;

/** Attributes in OTLP's JSON form; what is null or undefined is left out. */
export function toAttributes(values: Readonly<Record<string, AttributeValue | null | undefined>>): OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: AttributeValue): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { doubleValue: value };
  return "integer" in value
    ? { intValue: String(value.integer) }
    : { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}

/** Nanoseconds since 1970 as text: they are larger than a number can hold. */
export const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds * 1000)}000`;
