import type { ColumnMapping } from "../column-mapping.ts";
import type { Document } from "../read-document.ts";
import { pointerTo } from "../records.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import type { NamedFiles, Place } from "../scenario-file.ts";

/** Reads one peer's format out of a parsed file and hands what it finds to the collector. */
export type Importer = (source: ImportSource) => void;

interface ImportSource {
  readonly document: Document;
  /** The files that were given together with this one, where they belong to it. */
  readonly beside?: readonly Document[] | undefined;
  readonly collector: ScenarioCollector;
  readonly mapping: ColumnMapping;
  readonly files?: NamedFiles | undefined;
}

/** What tells a conversation from the others, best first: public sets of chats name it in their own ways. */
export const conversationIds = ["id", "custom_id", "conversation_id", "conversation_hash", "prompt_id", "question_id"];

export interface Item {
  readonly value: unknown;
  readonly place: Place;
}

/** The items of a file, whether they stand in lines, documents, one list, or a list below a key. */
export function itemsOf(
  document: Document,
  listIn: (value: unknown) => ListBelow | undefined = () => undefined,
): Item[] {
  return document.values.flatMap(({ value, place }) => {
    const below = Array.isArray(value) ? { list: value, steps: [] } : listIn(value);
    if (!below) return [{ value, place }];
    return below.list.map((entry, index) => ({
      value: entry,
      place: { ...place, pointer: pointerTo(place.pointer, ...below.steps, index) },
    }));
  });
}

export interface ListBelow {
  readonly list: readonly unknown[];
  readonly steps: readonly string[];
}
