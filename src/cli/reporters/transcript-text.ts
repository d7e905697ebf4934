import type { AttemptResult, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { meanText, scoreText } from "../../formats/export/results/report-text.ts";
import { lengthWithin, plainLine } from "../terminal/plain-line.ts";
import type { Style } from "../terminal/style.ts";

/** Every turn of a scenario's attempts, the reference beside the reply. */
export function transcriptText(result: ScenarioResult, style: Style, width = Infinity): string {
  const { scenario_id, description, attempts, score_stats, average_scores } = result;
  const overall = meanText(score_stats["overall"], average_scores["overall"]);
  const title = `${style("bold", plainLine(scenario_id, lengthWithin(width, 200)))}  overall ${overall}`;
  const about = description === "" ? [] : [plainLine(description, lengthWithin(width, 500))];
  return [title, ...about, ...attempts.map((attempt) => attemptText(attempt, style, width))].join("\n");
}

function attemptText({ attempt, interactions, average_scores }: AttemptResult, style: Style, width: number): string {
  const head = style("bold", `\nattempt ${attempt}  overall ${scoreText(average_scores["overall"])}`);
  return [head, ...interactions.map((turn) => turnText(turn, style, width))].join("\n");
}

function turnText(turn: InteractionResult, style: Style, width: number): string {
  const shown = lengthWithin(width, 2000);
  const scores = Object.entries(turn.scores).map(
    ([name, value]) => `${plainLine(name, lengthWithin(width, 60))} ${scoreText(value)}`,
  );
  const reply = turn.error
    ? style(
        "red",
        `${turn.agent_reply} (${turn.error.code}: ${plainLine(turn.error.detail, lengthWithin(width, 200))})`,
      )
    : turn.agent_reply;
  return [
    `  user       ${plainLine(turn.user_message, shown)}`,
    ...(turn.reference_reply === "" ? [] : [style("dim", `  reference  ${plainLine(turn.reference_reply, shown)}`)]),
    `  reply      ${turn.error ? reply : plainLine(reply, shown)}`,
    style("dim", `             ${scores.join("  ")}`),
  ].join("\n");
}
