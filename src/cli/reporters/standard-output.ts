import { printJson, printLine, printResults, tell } from "../terminal/output.ts";
import { judgementsOf } from "./judgements-of.ts";
import { rankingMarkdown, rankingOf } from "./ranking-text.ts";
import { renderResults } from "./render-results.ts";
import type { Reporter } from "./reporter.ts";
import { resultDocument } from "./result-document.ts";

export function jsonReporter(): Reporter {
  return { onFinish: (outcomes, exitCode) => printJson(resultDocument(outcomes, exitCode)) };
}

/** JUnit, Markdown or HTML on stdout. Only Markdown can hold one run after the other. */
export function textReporter(format: "junit" | "markdown" | "html"): Reporter {
  return {
    async onEnd(outcome, { number }) {
      if (number > 1) printLine("");
      printResults(await renderResults(outcome.response, format, judgementsOf(outcome)), format);
    },
    onFinish(outcomes) {
      const ranking = rankingOf(outcomes);
      if (ranking) tell(`\n## Beside each other\n\n${rankingMarkdown(ranking)}`);
    },
  };
}
