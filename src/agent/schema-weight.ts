import { atReference } from "./schema-reference.ts";

/** Parts of a schema that are looked at in no time, each as often as it is referred to. */
const mostParts = 200_000;
/** Where all parts have to be known together (`unevaluatedProperties`), making them ready takes time with the square of their number. */
const mostJoinedParts = 1_000;
/** A reference by a name of another kind than ours may be one that doubles the work. */
const mostUnknown = 16;
const deepest = 500;

/**
 * Whether a schema would hold everybody up. Schemas come from others: one whose every part refers twice to the next is small, and
 * takes years to hold a value against.
 */
export function isTooHeavy(schema: Readonly<Record<string, unknown>>): boolean {
  const names = new Map<string, object>();
  const known = new Map<object, number>();
  let parts = 0;
  let unknown = 0;
  let joins = false;

  function collect(value: unknown, depth: number): void {
    if (typeof value !== "object" || value === null || depth > deepest) return;
    parts += 1;
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      const name: unknown = Reflect.get(value, key);
      if (typeof name === "string") names.set(`#${name}`, value);
    }
    joins ||= "unevaluatedProperties" in value || "unevaluatedItems" in value;
    for (const inner of Object.values(value)) collect(inner, depth + 1);
  }

  /** The parts that a value may be held against, those referred to included. What refers to itself ends with the value. */
  function weigh(value: unknown, depth: number): number {
    if (typeof value !== "object" || value === null || depth > deepest) return 0;
    const weighed = known.get(value);
    if (weighed !== undefined) return weighed;
    known.set(value, 1);
    let sum = 1;
    for (const inner of Object.values(value)) sum += weigh(inner, depth + 1);
    for (const key of ["$ref", "$dynamicRef"]) {
      const name: unknown = Reflect.get(value, key);
      if (typeof name === "string") sum += weigh(find(name), depth + 1);
    }
    known.set(value, sum);
    return sum;
  }

  function find(reference: string): unknown {
    const found = names.get(reference) ?? atReference(schema, reference);
    if (found === undefined) unknown += 1;
    return found;
  }

  collect(schema, 0);
  const weight = weigh(schema, 0);
  return weight > mostParts || unknown > mostUnknown || (joins && parts > mostJoinedParts);
}
