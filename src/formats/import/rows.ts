import { isRecord, type JsonRecord } from "../../base/json.ts";
import { FormatError } from "../format-error.ts";
import type { ItemContext } from "../peer-item.ts";
import { isTextList, listField, recordField } from "../records.ts";
import { assignColumns, type ColumnPlan } from "./assign-columns.ts";
import { conversationColumn } from "./conversation-column.ts";
import { itemsOf, type Importer, type ListBelow } from "./importer.ts";
import { noteStep } from "./note-step.ts";
import { importTable } from "./table-rows.ts";
import type { Row } from "./table.ts";
import { importTraces } from "./traces.ts";
import { isUndesired } from "./undesired-reply.ts";
import { withMetadata } from "./with-metadata.ts";

/** Flat JSON objects, one per line or in a list, read like the rows of a table. */
export const importRows: Importer = ({ document, collector, mapping }) => {
  const names = new Set<string>();
  const items = itemsOf(document, statesOf);
  const rows = items.flatMap(({ value: item, place }): Row[] => {
    const value = recordField(item, "instance") ?? item;
    if (!isRecord(value)) {
      collector.note("dropped", place, "the item is no object");
      return [];
    }
    const context = { place, collector, mapping };
    if (noteStep(value, context)) return [];
    const cells = withMetadata(withoutUndesired(value, context), context);
    for (const name of Object.keys(cells)) names.add(name);
    return [{ place, cells }];
  });
  // Of each it was said why it is left out.
  if (rows.length === 0 && items.length > 0) return;
  if (importTraces({ names: [...names], rows }, collector, mapping)) return;
  const { roles } = assignColumns([...names], mapping);
  const user = roles.user === undefined ? turnsColumn(rows, roles) : undefined;
  if (roles.user === undefined && user === undefined) refuseTurnsElsewhere(rows);
  importTable({ names: [...names], rows }, collector, user === undefined ? mapping : { ...mapping, user });
};

/** MT-Bench has what the user says under `turns`, others a conversation under a name of their own. */
const turnsColumn = (rows: readonly Row[], roles: ColumnPlan["roles"]): string | undefined =>
  rows.some(({ cells }) => isTextList(cells["turns"])) ? "turns" : conversationColumn(rows, roles);

/** A line of KTO data has a prompt, a completion, and whether that is a good one. */
function withoutUndesired(row: JsonRecord, context: Pick<ItemContext, "place" | "collector">): JsonRecord {
  const { completion, label, ...rest } = row;
  if (completion === undefined || typeof label !== "boolean" || !("prompt" in row)) return row;
  return isUndesired(row, context) ? rest : { ...rest, completion };
}

/** HELM keeps what was asked, and how, in a list of states, each with the instance of the dataset. */
function statesOf(value: unknown): ListBelow | undefined {
  const list = listField(value, "request_states");
  return list && { list, steps: ["request_states"] };
}

/** A scenario with its turns under a name that is not ours is no row of a table, and no mapping makes it one. */
function refuseTurnsElsewhere(rows: readonly Row[]): void {
  for (const { cells } of rows) {
    if (Object.hasOwn(cells, "interactions"))
      throw new FormatError("interactions must be a list of turns, each with a user_message");
    const name = Object.keys(cells).find((key) => isTurnList(cells[key]));
    if (name !== undefined) {
      throw new FormatError(
        `unknown field ${name}: the turns of a scenario stand under interactions, each with a user_message`,
      );
    }
  }
}

const isTurnList = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isRecord);
