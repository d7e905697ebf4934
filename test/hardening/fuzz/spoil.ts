import fc, { type Arbitrary } from "fast-check";
import type { JsonValue } from "./schema-values.ts";

/** Values of the wrong kind for a field. */
const oddValues: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e9,
  1e308,
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202Etxt",
  "x".repeat(3000),
  "__proto__",
  "'; DROP TABLE runs; --",
  "../../etc/passwd",
  "${jndi:ldap://x}",
  "{{7*7}}",
  "<script>alert(1)</script>",
  [],
  {},
  [[[]]],
  { lc: 1, type: "secret", id: ["OPENAI_API_KEY"] },
  { toString: 1, hasOwnProperty: null },
];

/** A value that fits, changed in one to three places: a field dropped, renamed, doubled or replaced by something odd. */
export function spoiled(valid: Arbitrary<JsonValue>): Arbitrary<JsonValue> {
  const change = fc.record({
    place: fc.nat(),
    kind: fc.constantFrom("replace", "replace", "drop", "rename", "extra", "repeat"),
    odd: fc.oneof(fc.constantFrom(...oddValues), fc.jsonValue({ maxDepth: 3 }) as Arbitrary<JsonValue>),
  });
  return fc.tuple(valid, fc.array(change, { minLength: 1, maxLength: 3 })).map(([value, changes]) =>
    changes.reduce<JsonValue>((current, { place, kind, odd }) => {
      const paths = [...pathsOf(current, [])];
      return edit(current, paths[place % paths.length] ?? [], kind, odd);
    }, value),
  );
}

type Path = readonly (string | number)[];

function* pathsOf(value: JsonValue, path: Path): Generator<Path> {
  yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value))
    yield* pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key]);
}

function edit(value: JsonValue, path: Path, kind: string, odd: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return kind === "replace" ? odd : value;
  if (Array.isArray(value)) {
    const items = [...value];
    if (rest.length === 0 && kind === "drop") items.splice(Number(key), 1);
    else if (rest.length === 0 && kind === "repeat") items.push(items[Number(key)] ?? null);
    else items[Number(key)] = edit(items[Number(key)] ?? null, rest, kind, odd);
    return items;
  }
  if (typeof value !== "object" || value === null) return odd;
  const { [String(key)]: old = null, ...others } = value;
  if (rest.length > 0) return { ...value, [String(key)]: edit(old, rest, kind, odd) };
  if (kind === "drop") return others;
  if (kind === "rename") return { ...others, [`${key}_`]: old };
  if (kind === "extra") return { ...value, unexpected: odd };
  return { ...value, [String(key)]: odd };
}
