import { compact } from "../../../base/compact.ts";
import type { AttemptResult } from "../../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../../contract/schemas/interaction-result.ts";
import { namedScoreFacts } from "../../../contract/schemas/scores/scores.data.ts";
import { csvText, jsonLines } from "../../documents/serialize.ts";
import type { AttemptExport, RunHead } from "./result-export.ts";

interface InteractionRow {
  readonly scenario_id: string;
  readonly attempt: number;
  readonly interaction: InteractionResult;
  /** Set on the last turn: the judge's scores of the whole conversation. */
  readonly conversation?: AttemptResult["conversation"];
}

const usualScores = [
  "success",
  ...namedScoreFacts.filter(({ byDefault }) => byDefault).map(({ name }) => name),
  "overall",
];

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
  ["context", ({ interaction: { context = [] } }) => json(context)],
  ["tool_calls", ({ interaction: { tool_calls = [] } }) => json(tool_calls)],
  [
    "reference_tool_calls",
    ({ interaction }) => (interaction.reference_tool_calls ? JSON.stringify(interaction.reference_tool_calls) : ""),
  ],
  ["reference_metadata", ({ interaction }) => json(interaction.reference_metadata)],
  ["generated_metadata", ({ interaction }) => json(interaction.generated_metadata)],
  ["error", ({ interaction }) => interaction.error?.code ?? ""],
  ["latency_ms", ({ interaction }) => Math.round(interaction.latency_ms)],
  ["input_tokens", ({ interaction }) => interaction.usage?.input_tokens ?? ""],
  ["output_tokens", ({ interaction }) => interaction.usage?.output_tokens ?? ""],
];

const json = (value: object): string => (Object.keys(value).length === 0 ? "" : JSON.stringify(value));

/**
 * One interaction per row, one column per score. The columns are fixed at the start: the scores of the run's summary, or the usual
 * ones. Other scores go to `other_scores` as JSON, people's verdicts to `verdicts`.
 */
export function createResultCsv(): AttemptExport {
  let names: readonly string[] = usualScores;
  return {
    start(run) {
      names = scoreNames(run) ?? usualScores;
      return csvText([
        [...columns.map(([name]) => name), ...names.map((name) => `score.${name}`), "other_scores", "verdicts"],
      ]);
    },
    attempt: ({ scenario_id }, attempt) => [
      csvText(rowsOfAttempt(scenario_id, attempt).map((row) => toRow(row, names))),
    ],
    finish: () => [],
  };
}

/** One interaction per line with run, scenario and attempt; the last line of an attempt also has the scores of its whole conversation. */
export function createResultLines(): AttemptExport {
  let run: Pick<RunHead, "run_id" | "model_id"> = { run_id: "", model_id: "" };
  const attempt: AttemptExport["attempt"] = ({ scenario_id }, result) => [
    jsonLines(
      rowsOfAttempt(scenario_id, result).map(({ interaction: { id, ...rest }, conversation }) =>
        compact({
          run_id: run.run_id,
          model_id: run.model_id,
          scenario_id,
          attempt: result.attempt,
          interaction_id: id,
          ...rest,
          conversation,
        }),
      ),
    ),
  ];
  return {
    start: ({ run_id, model_id }) => {
      run = { run_id, model_id };
      return "";
    },
    attempt,
    finish: () => [],
  };
}

function scoreNames({ summary }: RunHead): string[] | undefined {
  const names = Object.keys(summary?.average_scores ?? {});
  return names.length > 0 ? names : undefined;
}

function toRow(row: InteractionRow, names: readonly string[]): Cell[] {
  const { scores, verdicts = [] } = row.interaction;
  const others = Object.fromEntries(Object.entries(scores).filter(([name]) => !names.includes(name)));
  return [
    ...columns.map(([, cell]) => cell(row)),
    ...names.map((name) => scores[name] ?? ""),
    json(others),
    json(verdicts),
  ];
}

function rowsOfAttempt(scenario_id: string, { attempt, interactions, conversation }: AttemptResult): InteractionRow[] {
  return interactions.map((interaction, index) =>
    compact({
      scenario_id,
      attempt,
      interaction,
      conversation: conversation && index === interactions.length - 1 ? conversation : undefined,
    }),
  );
}
