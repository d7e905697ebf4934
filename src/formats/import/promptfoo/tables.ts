import { compact } from "../../../base/compact.ts";
import type { JsonRecord } from "../../../base/json.ts";
import { scalarText } from "../../documents/records.ts";
import type { ScenarioCollector } from "../../shared/scenario-collector.ts";
import type { SourceLocation } from "../../documents/format-error.ts";
import type { ColumnMapping } from "../../documents/columns.ts";
import { importTable } from "../../tables/import-table.ts";
import type { Table, TableRow } from "../../tables/read-table.ts";
import { importPromptfoo } from "./config.ts";
import { usesConversation } from "./render-template.ts";
import { rowToTest } from "./test-rows.ts";
import { type TableContext, type TableRule } from "../../shared/define-format.ts";

/** Reads a table of tests. */
function importTestTable({ names, rows }: Table, { collector, mapping }: TableContext): boolean {
  if (!names.some((name) => /^__expected\d*$/.test(name))) return false;
  importTests({ rows, tests: rows.map(rowToTest) }, collector, mapping);
  return true;
}

/**
 * Reads results as a table: the variables of each test, then a reply and its verdict per prompt. Returns false for any
 * other table.
 */
function importResultTable(table: Table, { collector, mapping }: TableContext): boolean {
  if (mapping.user !== undefined) return false;
  const { names, rows } = table;
  const at = names.findIndex((name) => provider.test(name));
  const replies = names[at];
  const isJudged = ["Status", "Score", "Grader Reason"].every((name) => names.includes(name));
  if (at < 1 || replies === undefined || !(isJudged || rows.some(({ cells }) => verdict.test(String(cells[replies])))))
    return false;
  const template = replies.replace(provider, "");
  const left = names.slice(isJudged ? at + 1 : at);
  collector.note("dropped", { line: 1 }, `results of the past run: ${left.join(", ")}`);
  if (usesConversation(template))
    collector.note(
      "changed",
      { line: 1 },
      "the table does not say which rows belong to one conversation; all rows were read as one",
    );
  const tests = rows.map(({ cells }) =>
    resultToTest(cells, { names: names.slice(0, at), replies: isJudged ? replies : "" }),
  );
  importTests(compact({ rows, tests, prompts: template.includes("{{") ? [template] : undefined }), collector, mapping);
  return true;
}

/** Reads a red team report. Its `Target` column is the system under test, not an answer. Returns false for any other table. */
function importAttackTable({ names, rows }: Table, { collector, mapping }: TableContext): boolean {
  if (mapping.user !== undefined || ![...kinds, ...texts].every((name) => names.includes(name))) return false;
  const left = names.filter((name) => !kinds.includes(name) && !texts.includes(name));
  if (left.length > 0) collector.note("dropped", { line: 1 }, `results of the past run: ${left.join(", ")}`);
  const attacks = rows.map(({ place, cells }) => ({
    place,
    cells: { ...cells, tags: JSON.stringify(kinds.map((name) => scalarText(cells[name])).filter(Boolean)) },
  }));
  importTable({ names: [...texts, "tags"], rows: attacks }, collector, {
    user: "Prompt",
    agent_reply: "Response",
    tags: "tags",
  });
  return true;
}

interface RowTests {
  readonly rows: readonly TableRow[];
  /** One per row. */
  readonly tests: readonly JsonRecord[];
  readonly prompts?: readonly string[];
}

/** Imports a config whose tests are the rows of a table. */
function importTests({ rows, ...value }: RowTests, collector: ScenarioCollector, mapping: ColumnMapping): void {
  const place = {};
  importPromptfoo({
    document: { syntax: "json", values: [{ value, place }], notes: [] },
    collector: atRows(rows, collector),
    mapping,
  });
}

/** Translates pointers into the config to lines of the table. */
function atRows(rows: readonly TableRow[], collector: ScenarioCollector): ScenarioCollector {
  const rowOf = ({ pointer }: SourceLocation): SourceLocation =>
    rows[Number(/^\/tests\/(\d+)/.exec(pointer ?? "")?.[1])]?.place ?? {};
  return {
    ...collector,
    note: (kind, place, message) => collector.note(kind, rowOf(place), message),
    add: (draft) => collector.add({ ...draft, place: rowOf(draft.place) }),
  };
}

/** A column of replies is named after its provider and prompt. */
const provider = /^\[.+?\] /;
/** Older tables have the verdict in the reply's cell, newer ones in separate columns. */
const verdict = /^\[(?:PASS|FAIL|ERROR)\]/;

function resultToTest(
  cells: JsonRecord,
  { names, replies }: { names: readonly string[]; replies: string },
): JsonRecord {
  const [first] = names;
  const isDescribed = first === "Description";
  const vars = names.filter((name) => name !== "_conversation" && !(isDescribed && name === first));
  return {
    vars: Object.fromEntries(vars.map((name) => [name, cells[name]])),
    metadata: {
      rehearsal: {
        description: isDescribed ? scalarText(cells["Description"]) : "",
        turn: { agent_reply: scalarText(cells[replies]) },
      },
    },
  };
}

const kinds = ["Plugin", "Strategy"];
const texts = ["Prompt", "Response"];

/** The tables that promptfoo reads and writes. */
export const promptfooTables: readonly TableRule[] = [
  { rank: 10, read: importTestTable },
  { rank: 20, read: importResultTable },
  { rank: 30, read: importAttackTable },
];
