import { formatFigure } from "../../base/numbers.ts";
import { counted } from "../../base/text.ts";
import { firstLook, type FirstLook } from "../../formats/export/results/first-look.ts";
import { ownCommand } from "../terminal/next-command.ts";
import { durationText, plainLine } from "../terminal/text.ts";
import type { RunOutcome } from "./reporter.ts";

/** Larger runs are looked at on the page. */
const mostScenarios = 500;

/** What can be known of a run in which nothing decides, and how to have it decided; null where something does. */
export async function firstLookText({
  digest,
  results,
}: Pick<RunOutcome, "digest" | "results">): Promise<string | null> {
  const isDecided = digest.scenarios.some(
    ({ verdict }) => verdict.outcome === "passed" || verdict.outcome === "failed",
  );
  if (isDecided || digest.demo || digest.scenarios.length === 0) return null;
  if (digest.scenarios.length > mostScenarios) return null;
  const { results: found } = await results();
  const look = firstLook(found.scenarios);
  return look.replies === 0 ? null : textOf(look);
}

function textOf({ replies, signs, grounded, medianLatencyMs, cost, worst, checks }: FirstLook): string {
  const lines = ["", "Nothing here says what is right, so nothing is judged. What can be seen without a judge:"];
  for (const { sign, replies: count } of signs) lines.push(`  ${sign}: ${count} of ${replies}`);
  if (signs.length === 0)
    lines.push(`  nothing odd in ${counted(replies, "reply", "replies")}: none empty, cut off, refused or repeated`);
  if (grounded)
    lines.push(
      `  facts with a source: ${formatFigure(grounded.mean)} on average, in ${counted(grounded.replies, "reply", "replies")}`,
    );
  const facts = [
    medianLatencyMs !== null && `median latency ${durationText(medianLatencyMs)}`,
    cost !== null && `cost $${formatFigure(cost)}`,
  ];
  lines.push(`  ${facts.filter((fact) => fact !== false).join(", ")}`);
  if (worst.length > 0) lines.push("Look at these first:");
  for (const { scenario_id, attempt, turn, signs: own, reply } of worst) {
    lines.push(`  ${plainLine(scenario_id, 60)}, attempt ${attempt}, turn ${turn}: ${plainLine(own.join("; "), 200)}`);
    if (reply.trim() !== "") lines.push(`    ${plainLine(reply, 160)}`);
  }
  lines.push(
    `To have it judged: ${ownCommand("judge add answer_relevance hallucinated_action --model MODEL --endpoint URL")}`,
  );
  if (checks.length > 0)
    lines.push("Or by what the references say that no wording changes, under the turn in the scenario file:");
  for (const { scenario_id, interaction_id, texts } of checks) {
    const list = texts.map((text) => `{ type: contains, text: ${JSON.stringify(text)} }`).join(", ");
    lines.push(`  # ${plainLine(scenario_id, 60)}, ${plainLine(interaction_id, 40)}`, `  checks: [${list}]`);
  }
  return lines.join("\n");
}
