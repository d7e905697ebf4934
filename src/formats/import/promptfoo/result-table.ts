import type { JsonRecord } from "../../../base/json.ts";
import type { ColumnMapping } from "../../column-mapping.ts";
import { scalarText } from "../../records.ts";
import type { ScenarioCollector } from "../../scenario-collector.ts";
import type { Table } from "../table.ts";
import { usesConversation } from "./render-template.ts";
import { importTests } from "./test-table.ts";

/** A column of replies is called by the provider and the prompt that it asked. */
const provider = /^\[.+?\] /;
/** How a reply was judged stood before it in the same cell, and stands in columns of its own since. */
const verdict = /^\[(?:PASS|FAIL|ERROR)\]/;

/**
 * The results of a promptfoo run as a table: the variables of a test, then for each prompt what was replied and how it was judged. False
 * when it is none.
 */
export function importResultTable(table: Table, collector: ScenarioCollector, mapping: ColumnMapping): boolean {
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
      "which rows are one conversation is not in the table; all were taken for one",
    );
  const tests = rows.map(({ cells }) => toTest(cells, { names: names.slice(0, at), replies: isJudged ? replies : "" }));
  importTests({ rows, tests, ...(template.includes("{{") && { prompts: [template] }) }, collector, mapping);
  return true;
}

function toTest(cells: JsonRecord, { names, replies }: { names: readonly string[]; replies: string }): JsonRecord {
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
