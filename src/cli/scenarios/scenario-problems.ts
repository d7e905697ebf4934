import { scorerNames } from "../../scoring/scorers/scores.ts";
import {
  compilationProblems,
  scorerProblems,
  distinctChecks,
  toTurnProblems,
  turnCheckProblems,
} from "../../evaluation/checks/scorer-problems.ts";
import type { ImportResult, Note } from "../../formats/scenario-file.ts";
import { mayHaveOwnScorers } from "../../settings/client-settings.ts";
import type { Config } from "../config/config.ts";
import type { ScenarioFile } from "./read-scenarios.ts";

/** Invalid checks in a configuration and in scenario files, one line each. A run would be refused for them. */
export function findScorerProblems(
  { config, file = "" }: { config: Config; file?: string | undefined },
  files: readonly ScenarioFile[],
): string[] {
  const { scorers = [], server } = config;
  const isAllKnown = server === undefined && !mayHaveOwnScorers(process.env);
  const ofConfig = [...scorerProblems(scorers, scorerNames, { trust: "operator" }), ...compilationProblems(scorers)]
    // Only the service knows the operator's own scorers.
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
    ...turnCheckProblems(checks, { scorers, available: scorerNames, trust: "operator" }),
    ...toTurnProblems(compilationProblems(distinct.map(({ setting }) => setting)), distinct),
  ];
  return [
    ...ofConfig,
    ...ofTurns.map(({ turn, index, field, message }) => {
      return `${turns[turn]?.place} /checks/${index}${field && `/${field}`}: ${message}`;
    }),
  ];
}

type Read = Pick<ImportResult, "format" | "notes">;

const ownFormats: ReadonlySet<string> = new Set(["json", "jsonl", "yaml", "csv", "tsv", "rows"]);
const tables: ReadonlySet<string> = new Set(["csv", "tsv", "rows"]);
/** Notes about losses that change neither the questions nor the expectations. */
const harmless = /^(unknown fields:|settings of the run|the replies of attempts|tool_calls:)/;

/** Notes that mean a scenario in our own format is broken. Other tools' files always lose something. */
export function brokenScenarios({ format, notes }: Read): Note[] {
  if (!ownFormats.has(format)) return [];
  if (tables.has(format)) return notes.filter(({ message }) => message.startsWith("unknown"));
  return notes.filter(({ kind, message }) => kind === "dropped" && !harmless.test(message));
}

/** `brokenScenarios` with notes about unknown fields: a turn without a message often has a misspelt one. */
export function brokenScenariosExplained(file: Read): Note[] {
  const broken = new Set(brokenScenarios(file));
  if (broken.size === 0) return [];
  return file.notes.filter((note) => broken.has(note) || note.message.startsWith("unknown"));
}
