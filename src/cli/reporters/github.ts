import { appendFile } from "node:fs/promises";
import { createMarkdown } from "../../formats/export/markdown.ts";
import { exportResults } from "../../formats/export/result-export.ts";
import { verdictOf, worstTurn } from "../../formats/export/verdict.ts";
import { scoreText } from "../../formats/export/score-text.ts";
import { command } from "../terminal/output.ts";
import { plainLine } from "../terminal/plain-line.ts";
import type { Reporter, RunOutcome } from "./reporter.ts";

/** GitHub shows ten annotations of a kind per step and drops a summary beyond a mebibyte. */
const shownAnnotations = 10;
const summaryBytes = 1_000_000;

/** For GitHub Actions: an annotation for each scenario that failed, and the step summary. */
export function githubReporter(environment: NodeJS.ProcessEnv = process.env): Reporter {
  return {
    async onEnd(outcome) {
      for (const line of annotations(outcome).slice(0, shownAnnotations)) command(line);
      const file = environment["GITHUB_STEP_SUMMARY"];
      if (file) await appendFile(file, cut(stepSummary(outcome)));
    },
  };
}

function annotations({ response, gates, problems }: RunOutcome): string[] {
  const scenarios = response.results.scenarios.flatMap((result) => {
    const verdict = verdictOf(result);
    if (verdict.outcome !== "failed" && verdict.outcome !== "error") return [];
    const turn = worstTurn(result, verdict.threshold)?.interaction;
    const why = turn?.error ? `${turn.error.code}: ${turn.error.detail}` : `reply: ${turn?.agent_reply ?? ""}`;
    const score = `overall ${scoreText(result.average_scores["overall"])}`;
    return [
      annotation("warning", result.scenario_id, `${score}, ${verdict.passed} of ${verdict.counted} passed. ${why}`),
    ];
  });
  return [
    ...problems.map((problem) => annotation("error", "Rehearsal", problem)),
    ...gates.filter(({ passed }) => !passed).map(({ gate, message }) => annotation("error", gate, message)),
    ...scenarios,
  ];
}

/** A workflow command. Model output gets into it, so nothing in it may end the line or the property. */
function annotation(kind: "error" | "warning", title: string, message: string): string {
  const data = plainLine(message, 500).replaceAll("%", "%25");
  const property = plainLine(title, 100).replaceAll("%", "%25").replaceAll(":", "%3A").replaceAll(",", "%2C");
  return `::${kind} title=${property}::${data}`;
}

function stepSummary({ response, gates, problems, comparison }: RunOutcome): string {
  const lines = [
    ...gates.map(({ passed, message }) => `- ${passed ? "✅" : "❌"} ${code(message)}`),
    ...problems.map((problem) => `- ❌ ${code(problem)}`),
    ...(comparison ? [`- ${code(comparison.comparable ? comparison.sentence : comparison.reason)}`] : []),
  ];
  const judgement = lines.length > 0 ? `\n${lines.join("\n")}\n` : "";
  return `${exportResults(createMarkdown, response)}${judgement}\n`;
}

const code = (text: string): string => `\`${plainLine(text, 500).replaceAll("`", "'")}\``;

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= summaryBytes) return text;
  return `${bytes.subarray(0, summaryBytes).toString("utf8")}…\n\nThe rest is left out.\n`;
}
