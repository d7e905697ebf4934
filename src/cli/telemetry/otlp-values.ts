/** A span in OTLP's JSON form. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1 internal, 3 client. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: 0 | 2; readonly message?: string };
}

/** An attribute in OTLP's JSON form. */
export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

/** Attributes in OTLP's JSON form, without null and undefined values. */
export function toAttributes(values: Readonly<Record<string, AttributeValue | null | undefined>>): OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: toOtlpValue(value) }],
  );
}

/** Marks a count: OTLP distinguishes integers from doubles, JavaScript does not. */
export const integer = (value: number | null | undefined): { readonly integer: number } | null =>
  typeof value === "number" ? { integer: value } : null;

/** Nanoseconds since 1970 as text, since they exceed a safe integer. */
export const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds * 1000)}000`;

type OtlpValue =
  | { readonly stringValue: string }
  | { readonly doubleValue: number }
  | { readonly intValue: string }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

type AttributeValue = string | number | boolean | { readonly integer: number } | readonly string[];

function toOtlpValue(value: AttributeValue): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { doubleValue: value };
  return "integer" in value
    ? { intValue: String(value.integer) }
    : { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}
