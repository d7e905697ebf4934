import { counted } from "../../base/text.ts";
import { PersonVerdict, type ScoreAgreements } from "../../contract/schemas/judging/score-agreement.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { formatFigure } from "../../base/numbers.ts";
import { correlate, judgedReplyKey } from "../../runs/compare/agree-with-people.ts";
import { CliError } from "../terminal/cli-error.ts";
import { readTextFile } from "../terminal/files.ts";

/** Reads verdicts of people: a JSON list, or one JSON object per line. */
export async function readVerdicts(file: string): Promise<PersonVerdict[]> {
  const text = await readTextFile(file, `--verdicts: ${file}`);
  const isList = text.trimStart().startsWith("[");
  const lines = text.split("\n").map((line, index) => ({ line, at: index + 1 }));
  const entries = isList
    ? (parseAt(text, file) as unknown[]).map((value, index) => ({ value, place: `${file} entry ${index + 1}` }))
    : lines
        .filter(({ line }) => line.trim() !== "")
        .map(({ line, at }) => ({ value: parseAt(line, `${file}:${at}`), place: `${file}:${at}` }));
  return entries.map(({ value, place }) => {
    const parsed = PersonVerdict.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new CliError(`${place} ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is no verdict"}`);
  });
}

function parseAt(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CliError(
      `${place} is not JSON: write {"scenario_id": …, "attempt": 1, "interaction_id": …, "value": 1}`,
      undefined,
      {
        cause: error,
      },
    );
  }
}

/** True when people judged a reply of the run. */
export const hasVerdicts = ({ results }: EvaluationResponse): boolean =>
  results.scenarios.some(({ attempts }) =>
    attempts.some(({ interactions }) => interactions.some(({ verdicts }) => verdicts !== undefined)),
  );

/** The correlations of a run that was read from a store or a file. */
export function correlateResponse(
  { run_id, results }: EvaluationResponse,
  verdicts: readonly PersonVerdict[],
): ScoreAgreements {
  const replies = new Map(
    results.scenarios.flatMap(({ scenario_id, attempts }) =>
      attempts.flatMap(({ attempt, interactions }) =>
        interactions.map(
          ({ id, scores }) => [judgedReplyKey({ scenario_id, attempt, interaction_id: id }), scores] as const,
        ),
      ),
    ),
  );
  return { run_id, ...correlate(replies, verdicts) };
}

export function agreementText({ verdicts, scores, notes }: ScoreAgreements): string {
  const width = Math.max(5, ...scores.map(({ score }) => score.length));
  const lines = scores.map(({ score, correlation, ci_lower, ci_upper, method }) => {
    if (correlation === null) return `  ${score.padEnd(width)}  –  ${method}`;
    const ends =
      ci_lower === null || ci_upper === null ? method : `[${formatFigure(ci_lower)}, ${formatFigure(ci_upper)}]`;
    return `  ${score.padEnd(width)}  ${formatFigure(correlation)} ${ends}`;
  });
  const title = `Rank correlation with people over ${counted(verdicts, "reply", "replies")}`;
  return [title, ...lines, ...notes].join("\n");
}
