import { isRecord, type JsonRecord } from "../../base/json.ts";
import { isTextList, recordField, listField } from "../documents/records.ts";
import { FormatError } from "../documents/format-error.ts";
import { importTable } from "../tables/import-table.ts";
import { assignColumns, conversationColumn, type ColumnPlan } from "../tables/plan-columns.ts";
import type { TableRow } from "../tables/read-table.ts";
import { liftMetadata } from "../tables/unpack-cells.ts";
import { isUndesired } from "../shared/dataset-item.ts";
import { defineFormat, type Importer } from "../shared/define-format.ts";
import { itemsOf, listUnder, type ItemNotes } from "../shared/items.ts";
import { importTraces, isTraceStep } from "./langfuse.ts";
import { itemTable } from "../tables/item-table.ts";

/** Flat JSON objects, one per line or in a list, imported like table rows. */
const importRows: Importer = ({ document, collector, mapping }) => {
  const names = new Set<string>();
  // HELM lists request states, each with an instance of the dataset.
  const items = itemsOf(document, listUnder("request_states"));
  const rows = items.flatMap(({ value: item, place }): TableRow[] => {
    const value = recordField(item, "instance") ?? item;
    if (!isRecord(value)) {
      collector.note("dropped", place, "the item is not an object");
      return [];
    }
    const context = { place, collector, mapping };
    if (isTraceStep(value, context)) return [];
    const cells = liftMetadata(withoutUndesired(value, context), context);
    for (const name of Object.keys(cells)) names.add(name);
    return [{ place, cells }];
  });
  // The notes already explain why each was dropped.
  if (rows.length === 0 && items.length > 0) return;
  if (importTraces({ names: [...names], rows }, collector, mapping)) return;
  const { roles } = assignColumns([...names], mapping);
  const user = roles.user === undefined ? turnsColumn(rows, roles) : undefined;
  if (roles.user === undefined && user === undefined) refuseTurnsElsewhere(rows);
  importTable({ names: [...names], rows }, collector, user === undefined ? mapping : { ...mapping, user });
};

export const rows = defineFormat({
  id: "rows",
  title: "Flat JSON objects with column mapping",
  label: "Flat JSON objects",
  extensions: ["json", "jsonl", "yaml"],
  detect: [
    {
      of: "item",
      rank: 290,
      because: "its items have turns of text",
      holds: (value) => isTextList(listField(value, "turns")),
    },
    { of: "item", rank: 390, because: "its items are flat objects", holds: isRecord },
  ],
  // Braintrust's CSV cells contain the same JSON as its JSON lines.
  tables: [itemTable({ rank: 120, holds: (has) => has("input", "expected", "metadata"), read: importRows })],
  isGeneric: true,
  isDataset: true,
  takesMapping: true,
  read: importRows,
});

/** MT-Bench lists the user's messages under `turns`; other datasets have a column of conversations. */
const turnsColumn = (rows: readonly TableRow[], roles: ColumnPlan["roles"]): string | undefined =>
  rows.some(({ cells }) => isTextList(cells["turns"])) ? "turns" : conversationColumn(rows, roles);

/** KTO data has a prompt, a completion and a boolean label that marks good completions. */
function withoutUndesired(row: JsonRecord, context: ItemNotes): JsonRecord {
  const { completion, label, ...rest } = row;
  if (completion === undefined || typeof label !== "boolean" || !("prompt" in row)) return row;
  return isUndesired(row, context) ? rest : { ...rest, completion };
}

/** Refuses scenarios whose turns have another name: no mapping can make table rows of them. */
function refuseTurnsElsewhere(rows: readonly TableRow[]): void {
  for (const { cells } of rows) {
    if (Object.hasOwn(cells, "interactions"))
      throw new FormatError("interactions must be a list of turns, each with a user_message");
    const name = Object.keys(cells).find((key) => isTurnList(cells[key]));
    if (name !== undefined) {
      throw new FormatError(
        `unknown field ${name}: put the turns of a scenario under interactions, each with a user_message`,
      );
    }
  }
}

const isTurnList = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((turn) => isRecord(turn) && "user_message" in turn);
