import { csvText } from "./csv-text.ts";
import { interactionRows, type InteractionRow } from "./interaction-rows.ts";
import type { AttemptExport, RunHead } from "./result-export.ts";

const usualScores = ["success", "exact_match", "token_f1", "rouge_l", "edit_similarity", "metadata_match", "overall"];

type Cell = string | number;

const columns: readonly (readonly [name: string, cell: (row: InteractionRow) => Cell])[] = [
  ["scenario_id", ({ scenario_id }) => scenario_id],
  ["attempt", ({ attempt }) => attempt],
  ["turn", ({ interaction }) => interaction.turn_index + 1],
  ["interaction_id", ({ interaction }) => interaction.id],
  ["interaction_type", ({ interaction }) => interaction.interaction_type],
  ["user_message", ({ interaction }) => interaction.user_message],
  ["agent_reply", ({ interaction }) => interaction.agent_reply],
  ["reference_reply", ({ interaction }) => interaction.reference_reply],
  ["reference_metadata", ({ interaction }) => json(interaction.reference_metadata)],
  ["generated_metadata", ({ interaction }) => json(interaction.generated_metadata)],
  ["error", ({ interaction }) => interaction.error?.code ?? ""],
  ["latency_ms", ({ interaction }) => Math.round(interaction.latency_ms)],
  ["input_tokens", ({ interaction }) => interaction.usage?.input_tokens ?? ""],
  ["output_tokens", ({ interaction }) => interaction.usage?.output_tokens ?? ""],
];

const json = (value: object): string => (Object.keys(value).length === 0 ? "" : JSON.stringify(value));

/**
 * One interaction per row, a column per score. The columns are fixed when the file begins: the scores of the run's summary, else
 * the usual ones; any other score of a row is in `other_scores`, as JSON.
 */
export function createResultCsv(): AttemptExport {
  let names: readonly string[] = usualScores;
  return {
    start(run) {
      names = scoreNames(run) ?? usualScores;
      return csvText([[...columns.map(([name]) => name), ...names.map((name) => `score.${name}`), "other_scores"]]);
    },
    attempt: ({ scenario_id }, attempt) => [
      csvText(interactionRows(scenario_id, attempt).map((row) => toRow(row, names))),
    ],
    finish: () => "",
  };
}

function scoreNames({ summary }: RunHead): string[] | undefined {
  const names = Object.keys(summary?.average_scores ?? {});
  return names.length > 0 ? names : undefined;
}

function toRow(row: InteractionRow, names: readonly string[]): Cell[] {
  const { scores } = row.interaction;
  const others = Object.fromEntries(Object.entries(scores).filter(([name]) => !names.includes(name)));
  return [...columns.map(([, cell]) => cell(row)), ...names.map((name) => scores[name] ?? ""), json(others)];
}
