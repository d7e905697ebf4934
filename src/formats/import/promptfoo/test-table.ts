import type { ColumnMapping } from "../../column-mapping.ts";
import type { ScenarioCollector } from "../../scenario-collector.ts";
import type { Place } from "../../scenario-file.ts";
import type { Row, Table } from "../table.ts";
import { importPromptfoo } from "./promptfoo.ts";
import { toTest } from "./table-test.ts";

/** A table of promptfoo tests: `__expected…` columns are assertions, `__metadata:…` and `__description` what they say, the rest variables. */
export function importTestTable({ names, rows }: Table, collector: ScenarioCollector, mapping: ColumnMapping): void {
  const settings = names.filter((name) => name.startsWith("__") && !isRead(name));
  if (settings.length > 0) {
    collector.note(
      "dropped",
      { line: 1 },
      `columns of promptfoo that are no part of a scenario: ${settings.join(", ")}`,
    );
  }
  const value = { tests: rows.map(toTest) };
  const place = {};
  importPromptfoo({
    document: { syntax: "json", values: [{ value, place }], notes: [] },
    collector: atRows(rows, collector),
    mapping,
  });
}

const isRead = (name: string): boolean => /^__(expected\d*|description|metadata:.+)$/.test(name);

/** A table has lines where a config has pointers. */
function atRows(rows: readonly Row[], collector: ScenarioCollector): ScenarioCollector {
  const rowOf = ({ pointer }: Place): Place => rows[Number(/^\/tests\/(\d+)/.exec(pointer ?? "")?.[1])]?.place ?? {};
  return {
    ...collector,
    note: (kind, place, message) => collector.note(kind, rowOf(place), message),
    add: (draft) => collector.add({ ...draft, place: rowOf(draft.place) }),
  };
}
