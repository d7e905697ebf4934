type Flat<T> = { [K in keyof T]: T[K] };

/** A field that may be undefined becomes one that may be absent. */
type Compact<T> = Flat<
  { -readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
    -readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
  }
>;

/**
 * The object without its undefined fields, for types whose optional fields are absent when not set.
 * `null`, `false`, `0` and `""` stay; objects inside stay as they are.
 */
export function compact<const T extends object>(fields: T): Compact<T> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) result[name] = value;
  return result as Compact<T>;
}
