import { outputWidth, tell } from "../terminal/output.ts";
import { plainLine } from "../terminal/plain-line.ts";
import { createProgressBar } from "../terminal/progress-bar.ts";
import { styleFor } from "../terminal/style.ts";
import { tellRanking } from "./ranking-text.ts";
import type { Reporter } from "./reporter.ts";
import { summaryText } from "./summary-text.ts";

/** For a person at a terminal: a bar while it runs, failures above it as they happen, the summary at the end, unless a document is printed. */
export function ttyReporter({ summary }: { summary: boolean }): Reporter {
  const bar = createProgressBar(process.stderr);
  const style = styleFor(process.stderr);
  return {
    onStart: ({ test_name, model_id, run_id }) =>
      bar.print(style("dim", `${plainLine(test_name, 60)} on ${plainLine(model_id, 60)}  ${run_id}`)),
    onTurn({ scenario_id, attempt, interaction_id, error }, figures) {
      if (error) {
        const place = `${plainLine(scenario_id, 40)} attempt ${attempt} ${plainLine(interaction_id, 40)}`;
        bar.print(`${style("red", "✗")} ${place}: ${error.code}, ${plainLine(error.detail)}`);
      }
      bar.update(figures);
    },
    onEnd(outcome) {
      bar.clear();
      if (summary) tell(summaryText(outcome, styleFor(process.stdout), outputWidth()));
    },
    ...(summary && { onFinish: tellRanking }),
  };
}
