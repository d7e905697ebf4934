import type { JsonRecord } from "../../base/json.ts";
import { isNoLabel } from "../column-mapping.ts";
import { withExtras } from "../extras.ts";
import { finishTurns, type LastTurn } from "../finish-turns.ts";
import { below, givenBeside, noteLeft, readInput, readLabels, readOutput, type ItemContext } from "../peer-item.ts";

/** The three things almost every peer's dataset item has, and what a past run may have answered. */
interface DatasetItem {
  readonly id: unknown;
  readonly input: unknown;
  readonly inputName: string;
  readonly output: unknown;
  readonly outputName: string;
  readonly metadata?: unknown;
  /** Default: metadata. */
  readonly metadataName?: string;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly last?: Omit<LastTurn, "reference" | "references" | "labels">;
}

/** Turns an input → expected output pair into a scenario. */
export function addDatasetItem(item: DatasetItem, context: ItemContext): void {
  const conversation = readInput(item.input, below(context, item.inputName));
  if (!conversation) return context.collector.note("dropped", context.place, `the item has no ${item.inputName}`);
  noteLeft(conversation.left ?? [], below(context, item.inputName));
  const expected = readOutput(item.output, below(context, item.outputName));
  const labels = readLabels(item.metadata, below(context, item.metadataName ?? "metadata"));
  const { id, description, tags } = item;
  const turns = finishTurns(conversation.turns, { ...item.last, ...expected, labels });
  context.collector.add(
    withExtras({ place: context.place, id, description, tags, system: conversation.system, turns }, item.metadata),
  );
}

/** Names what else an item has: files attached to it, what was said of it. Ids and times are of no use elsewhere. */
export function noteOthers(value: JsonRecord, known: readonly string[], context: ItemContext): void {
  noteLeft(
    givenBeside(value, known).filter((name) => value[name] !== null && !isNoLabel(name)),
    context,
  );
}
