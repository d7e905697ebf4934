import { compact } from "../base/compact.ts";
import { isRecord } from "../base/json.ts";
import type { EvaluationResponse } from "../contract/schemas/evaluation-response.ts";
import { VerdictInput, type Corrections, type HumanVerdict } from "../contract/schemas/judging/human-verdict.ts";
import { parseDocument } from "./documents/parse-document.ts";
import { anyField, scalarText } from "./documents/records.ts";
import { csvText, jsonLines } from "./documents/serialize.ts";
import { FormatError } from "./scenario-file.ts";
import { readTable } from "./tables/read-table.ts";

/** A verdict of a file, with the line it is on. */
interface VerdictRow {
  readonly line: number;
  readonly verdict: VerdictInput;
}

interface VerdictFile {
  readonly rows: readonly VerdictRow[];
  /** Rows without a choice, such as replies that were not labelled. */
  readonly skipped: number;
}

/** Reads verdicts from CSV or JSON lines (also one JSON list). Throws a `FormatError` that names the line. */
export function parseVerdictFile(text: string): VerdictFile {
  const records = readRecords(text);
  if (records.length === 0) throw new FormatError("the file has no verdicts");
  const rows: VerdictRow[] = [];
  const read = records.map(({ line, record }) => ({ line, verdict: toVerdict(record, line) }));
  const last = read.findLastIndex(({ verdict }) => verdict !== null && !verdict.skipped);
  for (const [index, { line, verdict }] of read.entries()) {
    // After the last verdict, the person has not come to the reply yet.
    if (verdict && (!verdict.skipped || index < last)) rows.push({ line, verdict });
  }
  return { rows, skipped: read.filter(({ verdict }) => verdict === null || verdict.skipped).length };
}

interface FileRecord {
  readonly line: number;
  readonly record: unknown;
}

function readRecords(text: string): readonly FileRecord[] {
  const start = text.trimStart()[0];
  if (start === "[") {
    const [{ value } = { value: [] }] = parseDocument(text, "json").values;
    return (value as unknown[]).map((record, index) => ({ line: index + 1, record }));
  }
  if (start === "{") {
    const { values, notes } = parseDocument(text, "jsonl");
    // Verdicts decide figures: a file with a broken line is refused as a whole.
    const [broken] = notes;
    if (broken) throw new FormatError(broken.message, { line: broken.line });
    return values.map(({ value, place }, index) => ({ line: place.line ?? index + 1, record: value }));
  }
  const problems: string[] = [];
  const table = readTable({
    text,
    collector: { note: (_, place, message) => problems.push(`line ${place.line}: ${message}`) },
  });
  if (problems[0] !== undefined) throw new FormatError(problems[0]);
  return table.rows.map(({ place, cells }, index) => ({ line: place.line ?? index + 2, record: cells }));
}

/** A row without a choice and a value was skipped; null for one that names no reply. */
function toVerdict(record: unknown, line: number): VerdictInput | null {
  if (!isRecord(record)) throw new FormatError("must be an object with scenario_id and choice", { line });
  const text = (...names: readonly string[]): string | undefined => {
    const found = scalarText(anyField(record, ...names));
    return found === undefined || found.trim() === "" ? undefined : found;
  };
  const choice = text("choice", "verdict", "label");
  const value = text("value");
  const skipped = choice === undefined && value === undefined;
  const turn = text("turn");
  const fields = compact({
    scenario_id: text("scenario_id", "scenario"),
    attempt: toNumber(text("attempt")),
    turn_index: toNumber(text("turn_index")) ?? (turn === undefined ? undefined : Number(turn) - 1),
    interaction_id: text("interaction_id"),
    question: text("question"),
    against: text("against"),
    rater: text("rater", "annotator"),
    choice,
    value: toNumber(value),
    comment: text("comment"),
    sampling: text("sampling"),
    adjudication: /^(?:true|1|yes)$/i.test(text("adjudication") ?? "") || undefined,
    skipped: skipped ? true : undefined,
  });
  const parsed = VerdictInput.safeParse(fields);
  if (parsed.success) return parsed.data;
  if (skipped) return null;
  const [issue] = parsed.error.issues;
  throw new FormatError(`${issue?.path.join(".")}: ${issue?.message}`, { line });
}

const toNumber = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

const columns = [
  "scenario_id",
  "attempt",
  "turn_index",
  "question",
  "against",
  "rater",
  "choice",
  "value",
  "comment",
  "sampling",
  "adjudication",
  "given_at",
] as const satisfies readonly (keyof HumanVerdict)[];

/** Writes verdicts so that {@link parseVerdictFile} reads them back. */
export function writeVerdictFile(verdicts: readonly HumanVerdict[], format: "csv" | "jsonl"): string {
  if (format === "jsonl") return jsonLines(verdicts);
  const cell = (value: HumanVerdict[keyof HumanVerdict]): string | number =>
    typeof value === "number" ? value : String(value ?? "");
  return csvText([columns, ...verdicts.map((verdict) => columns.map((name) => cell(verdict[name])))]);
}

/** Replies to label as CSV. With `choice` filled in, {@link parseVerdictFile} reads it. */
export function writeLabelSheet(
  { question, replies }: Corrections["label_next"][number],
  {
    results,
    text,
    choices,
  }: Pick<EvaluationResponse, "results"> & { readonly text: string; readonly choices: readonly string[] },
): string {
  const scenarios = new Map(results.scenarios.map((scenario) => [scenario.scenario_id, scenario]));
  const rows = replies.map(({ scenario_id, attempt, turn_index }) => {
    const found = scenarios.get(scenario_id)?.attempts.find((entry) => entry.attempt === attempt);
    const turn = found?.interactions.findLast((entry) => entry.turn_index <= turn_index);
    const texts = [turn?.user_message ?? "", turn?.agent_reply ?? "", turn?.reference_reply ?? ""];
    return [scenario_id, attempt, turn_index, question, ...texts, text, choices.join(" | "), "stratified", "", ""];
  });
  const head = ["scenario_id", "attempt", "turn_index", "question", "user_message", "reply", "reference_reply"];
  return csvText([[...head, "question_text", "choices", "sampling", "choice", "comment"], ...rows]);
}
