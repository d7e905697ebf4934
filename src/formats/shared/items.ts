import type { JsonRecord } from "../../base/json.ts";
import type { ColumnMapping } from "../documents/columns.ts";
import type { ImportDocument } from "../documents/parse-document.ts";
import { listField, locationBelow } from "../documents/records.ts";
import type { ScenarioCollector } from "./scenario-collector.ts";
import type { SourceLocation } from "../documents/format-error.ts";
import type { NamedFiles } from "../scenario-file.ts";

/** Fields that identify a conversation in public chat datasets, best first. */
export const conversationIds = ["id", "custom_id", "conversation_id", "conversation_hash", "prompt_id", "question_id"];

export interface Item {
  readonly value: unknown;
  readonly place: SourceLocation;
}

/** The items of a file: its lines, its documents, one list, or a nested list. */
export function itemsOf(
  document: ImportDocument,
  listIn: (value: unknown) => NestedList | undefined = () => undefined,
): Item[] {
  return document.values.flatMap(({ value, place }) => {
    const nested = Array.isArray(value) ? { list: value, steps: [] } : listIn(value);
    if (!nested) return [{ value, place }];
    return nested.list.map((entry, index) => ({
      value: entry,
      place: locationBelow(place, ...nested.steps, index),
    }));
  });
}

export interface NestedList {
  readonly list: readonly unknown[];
  readonly steps: readonly string[];
}

/** Finds the list under the first of these fields that has one. */
export function listUnder(...names: readonly string[]): (value: unknown) => NestedList | undefined {
  return (value) => {
    const name = names.find((candidate) => listField(value, candidate));
    return name === undefined ? undefined : { list: listField(value, name) ?? [], steps: [name] };
  };
}

/** The context in which one item is read. */
export interface ItemContext {
  readonly place: SourceLocation;
  readonly collector: ScenarioCollector;
  readonly mapping: ColumnMapping;
  readonly files?: NamedFiles | undefined;
}

/** The part of the context that notes need. */
export type ItemNotes = Pick<ItemContext, "place" | "collector">;

/** The context of a nested value. */
export function descend(context: ItemContext, ...steps: readonly (string | number)[]): ItemContext {
  return { ...context, place: locationBelow(context.place, ...steps) };
}

/** The names of all non-empty fields except these. */
export const otherFields = (record: JsonRecord, names: readonly (string | undefined)[]): string[] =>
  Object.keys(record).filter((name) => !names.includes(name) && !isEmpty(record[name]));

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);

/** Notes fields that have no counterpart in a scenario. */
export function noteIgnored(names: readonly string[], { collector, place }: ItemNotes): void {
  if (names.length > 0) collector.note("dropped", place, `not part of a scenario: ${names.join(", ")}`);
}

/** Names all but the first: `prompt 2`, `prompts 2 to 5`. */
export const allButFirst = (thing: string, count: number): string =>
  count === 2 ? `${thing} 2` : `${thing}s 2 to ${count}`;
