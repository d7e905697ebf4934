import type { JsonRecord } from "../../../base/json.ts";
import type { ColumnMapping } from "../../column-mapping.ts";
import type { ScenarioCollector } from "../../scenario-collector.ts";
import type { Place } from "../../scenario-file.ts";
import type { Row, Table } from "../table.ts";
import { importPromptfoo } from "./promptfoo.ts";
import { toTest } from "./table-test.ts";

/** A table of promptfoo tests by itself. */
export function importTestTable({ rows }: Table, collector: ScenarioCollector, mapping: ColumnMapping): void {
  importTests({ rows, tests: rows.map(toTest) }, collector, mapping);
}

interface RowTests {
  readonly rows: readonly Row[];
  /** One for each row. */
  readonly tests: readonly JsonRecord[];
  readonly prompts?: readonly string[];
}

/** A configuration whose tests are the rows of a table. */
export function importTests({ rows, ...value }: RowTests, collector: ScenarioCollector, mapping: ColumnMapping): void {
  const place = {};
  importPromptfoo({
    document: { syntax: "json", values: [{ value, place }], notes: [] },
    collector: atRows(rows, collector),
    mapping,
  });
}

/** A table has lines where a config has pointers. */
function atRows(rows: readonly Row[], collector: ScenarioCollector): ScenarioCollector {
  const rowOf = ({ pointer }: Place): Place => rows[Number(/^\/tests\/(\d+)/.exec(pointer ?? "")?.[1])]?.place ?? {};
  return {
    ...collector,
    note: (kind, place, message) => collector.note(kind, rowOf(place), message),
    add: (draft) => collector.add({ ...draft, place: rowOf(draft.place) }),
  };
}
