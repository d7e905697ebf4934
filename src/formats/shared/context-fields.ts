import { isRecord } from "../../base/json.ts";
import { readPassages, type ContextPassage } from "../../contract/schemas/acting/context.ts";
import { contextNames } from "../documents/columns.ts";
import { normalizeName } from "../documents/records.ts";
import { isConversation } from "./read-messages.ts";

const known = new Map(contextNames.map((name, rank) => [normalizeName(name), rank]));

/** Passages in a field of another tool. Undefined for an earlier conversation, which some datasets call context too. */
export function passagesIn(value: unknown): ContextPassage[] | undefined {
  const passages = isConversation(value) ? undefined : readPassages(value);
  // Numbers are ids of passages, not their text.
  return passages?.some(({ text }) => /\p{L}/u.test(text)) ? passages : undefined;
}

interface Found<Value> {
  readonly context: ContextPassage[] | undefined;
  /** The value without the field that was read. */
  readonly rest: Value;
}

/** Takes the retrieved passages out of a record. */
export function takeContext<Value>(value: Value): Found<Value> {
  if (!isRecord(value)) return { context: undefined, rest: value };
  const names = Object.keys(value)
    .filter((name) => known.has(normalizeName(name)))
    .toSorted((left, right) => (known.get(normalizeName(left)) ?? 0) - (known.get(normalizeName(right)) ?? 0));
  for (const name of names) {
    const context = passagesIn(value[name]);
    if (!context) continue;
    const { [name]: _, ...rest } = value;
    return { context, rest: rest as Value };
  }
  return { context: undefined, rest: value };
}

/** The same for the input or the output of an item, which may have them one level deeper. They are not taken from where nothing else is. */
export function takeContextBeside<Value>(value: Value): Found<Value> {
  if (!isRecord(value)) return { context: undefined, rest: value };
  const found = takeContext<Value>(value);
  if (found.context)
    return isRecord(found.rest) && Object.keys(found.rest).length > 0 ? found : { context: undefined, rest: value };
  const inner = ["input", "inputs"].find((name) => isRecord(value[name]));
  if (inner === undefined) return found;
  const { context, rest } = takeContextBeside(value[inner]);
  return context ? { context, rest: { ...value, [inner]: rest } as Value } : found;
}
