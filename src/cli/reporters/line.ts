import { note, outputWidth, tell } from "../terminal/output.ts";
import { plainLine } from "../terminal/plain-line.ts";
import { createProgressLines } from "../terminal/progress-lines.ts";
import { noStyle } from "../terminal/style.ts";
import { tellRanking } from "./ranking-text.ts";
import type { Reporter } from "./reporter.ts";
import { summaryText } from "./summary-text.ts";

/** For logs: plain lines and no escape codes. Progress goes to stderr, the summary to stdout unless that is for data. */
export function lineReporter({ summary = true }: { summary?: boolean } = {}): Reporter {
  let progress = createProgressLines(note);
  return {
    onStart({ test_name, model_id, run_id }) {
      progress = createProgressLines(note);
      note(`${plainLine(test_name, Infinity)} on ${plainLine(model_id, Infinity)}: run ${run_id}`);
    },
    onTurn: (_turn, figures) => progress(figures),
    onEnd: (outcome) => (summary ? tell(summaryText(outcome, noStyle, outputWidth())) : undefined),
    onFinish: (outcomes) => (summary ? tellRanking(outcomes) : undefined),
  };
}
