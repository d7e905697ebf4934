import { scorerNames } from "../../evaluation/scorers/built-in-scorers.ts";
import { compilationProblems, scorerProblems } from "../../evaluation/scorers/scorer-problems.ts";
import { distinctChecks, toTurnProblems, turnCheckProblems } from "../../evaluation/scorers/scorer-problems.ts";
import { mayHaveOwnScorers } from "../../settings/client-settings.ts";
import type { Config } from "../config/config.ts";
import type { ScenarioFile } from "./read-scenarios.ts";

/** What is wrong with the checks of a configuration and of the turns in scenario files, in a line each: a run would be refused for it. */
export function scorerFaults(
  { config, file = "" }: { config: Config; file?: string | undefined },
  files: readonly ScenarioFile[],
): string[] {
  const { scorers = [], server } = config;
  const isAllKnown = server === undefined && !mayHaveOwnScorers(process.env);
  const ofConfig = [...scorerProblems(scorers, scorerNames), ...compilationProblems(scorers)]
    // Scorers of the operator's own are known to the service alone.
    .filter(({ code }) => code !== "unknown_scorer" || isAllKnown)
    .map(({ index, field, message }) => `${file} /scorers/${index}${field && `/${field}`}: ${message}`);
  const turns = files.flatMap(({ file: name, scenarios }) =>
    scenarios.flatMap(({ id, interactions }) =>
      interactions.map((turn) => ({ place: `${name}: ${id}, ${turn.id}`, checks: turn.checks ?? [] })),
    ),
  );
  const checks = turns.map((turn) => turn.checks);
  const distinct = distinctChecks(checks);
  const ofTurns = [
    ...turnCheckProblems(checks, { scorers, available: scorerNames }),
    ...toTurnProblems(compilationProblems(distinct.map(({ setting }) => setting)), distinct),
  ];
  return [
    ...ofConfig,
    ...ofTurns.map(({ turn, index, field, message }) => {
      return `${turns[turn]?.place} /checks/${index}${field && `/${field}`}: ${message}`;
    }),
  ];
}
