import { appendFile } from "node:fs/promises";
import { createMarkdown } from "../../formats/export/results/markdown.ts";
import { exportResults } from "../../formats/export/results/result-export.ts";
import { scoreText } from "../../formats/export/results/report-text.ts";
import { note, printWorkflowCommand } from "../terminal/output.ts";
import { plainLine } from "../terminal/text.ts";
import { toJudgements } from "./render-results.ts";
import { experimentMarkdown } from "./experiment-text.ts";
import { rankingMarkdown, rankingOf, testNames } from "./ranking-text.ts";
import type { ResultsPlace } from "../terminal/files.ts";
import { nameAmongRuns, type Reporter, type RunOutcome } from "./reporter.ts";

/** GitHub shows ten annotations of a kind per step and rejects a summary above one mebibyte. */
const shownAnnotations = 10;
const summaryBytes = 1_000_000;

/** For GitHub Actions: an annotation for each of the worst scenarios, and the step summary. */
export function githubReporter(environment: NodeJS.ProcessEnv = process.env): Reporter {
  return {
    async onEnd(outcome, place) {
      for (const line of annotations(outcome, place).slice(0, shownAnnotations)) printWorkflowCommand(line);
      const file = environment["GITHUB_STEP_SUMMARY"];
      if (file) await addToSummary(file, await stepSummary(outcome));
    },
    async onFinish(outcomes, { experiment }) {
      const file = environment["GITHUB_STEP_SUMMARY"];
      if (file && experiment) return addToSummary(file, `## Variants\n\n${experimentMarkdown(experiment)}\n`);
      const ranking = await rankingOf(outcomes);
      if (file && ranking)
        await addToSummary(
          file,
          `## Ranking\n\n${rankingMarkdown(ranking, testNames(outcomes.map(({ digest }) => digest)))}\n`,
        );
    },
  };
}

/** In a container the variable may be set without the file. The failure is reported and does not change the exit code. */
async function addToSummary(file: string, text: string): Promise<void> {
  try {
    await appendFile(file, cut(text));
  } catch (error) {
    note(`rehearsal: the step summary cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function annotations({ digest, gates, problems, variant }: RunOutcome, place: ResultsPlace): string[] {
  const title = (name: string): string => nameAmongRuns(name, digest, place, variant);
  const scenarios = digest.worst.map(({ scenario, failure }) => {
    const { scenario_id, average_scores, verdict } = scenario;
    const reply = failure && !failure.interaction.error ? [`reply: ${failure.interaction.agent_reply}`] : [];
    const why = [...(failure?.causes ?? []), ...reply];
    const score = `overall ${scoreText(average_scores["overall"])}`;
    const text = [`${score}, ${verdict.passed} of ${verdict.counted} passed`, ...why].join(". ");
    return annotation("warning", title(scenario_id), text);
  });
  return [
    ...problems.map((problem) => annotation("error", title("Rehearsal"), problem)),
    ...gates
      .filter(({ passed, undecided }) => !passed || undecided)
      .map(({ gate, passed, message }) => annotation(passed ? "warning" : "error", title(gate), message)),
    ...scenarios,
  ];
}

/** A workflow command. It contains model output, so line breaks and separators are escaped. */
function annotation(kind: "error" | "warning", title: string, message: string): string {
  const data = plainLine(message, 500).replaceAll("%", "%25");
  const property = plainLine(title, 100).replaceAll("%", "%25").replaceAll(":", "%3A").replaceAll(",", "%2C");
  return `::${kind} title=${property}::${data}`;
}

const stepSummary = async (outcome: RunOutcome): Promise<string> =>
  `${exportResults(createMarkdown, { ...(await outcome.results()), judgements: toJudgements(outcome) })}\n`;

/** Cuts between lines: in half a row, model output would leave its code span. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= summaryBytes) return text;
  return `${bytes.subarray(0, bytes.lastIndexOf("\n", summaryBytes)).toString("utf8")}\n\nThe summary is too long for GitHub; the rest is left out.\n`;
}
