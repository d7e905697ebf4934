import type { ExitCode } from "../exit-codes.ts";
import { rankingOf } from "./ranking-text.ts";
import type { RunOutcome } from "./reporter.ts";

/** What `rehearsal eval --json` prints: the results of every run with its gates, and how the command ends. */
export function resultDocument(outcomes: readonly RunOutcome[], exitCode: ExitCode): object {
  const ranking = rankingOf(outcomes);
  return {
    runs: outcomes.map(({ response, gates, comparison, exitCode: code }) => ({
      ...response,
      gates,
      ...(comparison && { comparison }),
      exit_code: code,
    })),
    ...(ranking && { ranking }),
    passed: exitCode === 0,
    exit_code: exitCode,
  };
}
