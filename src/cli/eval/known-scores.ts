import { closestName } from "../../base/text.ts";
import type { JudgeSettings } from "../../contract/schemas/evaluation-request.ts";
import { passRateMeasure, ratioMeasures, type Margins } from "../../contract/schemas/margins.ts";
import { reservedScores, scoreTitle } from "../../contract/schemas/scores/score-names.ts";
import type { ScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import type { ScoreNeed } from "../../scoring/scorers/define-scorer.ts";
import type { LabelRule } from "../../scoring/scorers/label-rule.ts";
import { namedScores, scorerNames } from "../../scoring/scorers/scores.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { readExpectations } from "../../runs/plan/expectations.ts";
import { runScoreNames } from "../../runs/plan/score-names.ts";
import { readClientSettings } from "../../settings/client-settings.ts";
import { CliError } from "../terminal/cli-error.ts";
import { figures, type GateRule } from "../gates/parse-gate.ts";

/** The part of a configuration that decides which scores a run has. */
interface ScoringConfig {
  readonly scorers?: readonly ScorerSetting[] | undefined;
  readonly judge?: JudgeSettings | undefined;
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
  readonly baseline_scores?: readonly string[] | undefined;
}

/** Figures that only a comparison with a baseline can name. */
const isCompared = (name: string): boolean => name === passRateMeasure || ratioMeasures.has(name);

/** Refuses gates and `baseline_scores` on scores the run will not have, before a model is called. */
export async function requireKnownScores(
  gates: readonly GateRule[],
  {
    config,
    scenarios,
    margins,
    server,
  }: {
    config: ScoringConfig;
    scenarios?: readonly FileScenario[] | undefined;
    margins?: Margins | null;
    /** The service that executes the runs. */
    server: string | undefined;
  },
): Promise<void> {
  if (gates.length === 0 && !config.baseline_scores && !margins) return;
  const own = await readOwnScorers(server);
  // Without a list of scorers, a run on this machine uses an embedder only where one is configured.
  const semantic = server !== undefined || readClientSettings(process.env).embeddings !== null;
  const expectations = readExpectations(scenarios ?? []);
  const found = runScoreNames(config, { expectations, customScorers: own.names, semantic });
  const known = scenarios ? found : new Set([...found, ...possible]);
  // Labels and checks are unknown until the scenarios are read, and the scorers of a service always.
  const isOpen = (name: string): boolean =>
    (!scenarios && /^(?:metadata|outcome)\./.test(name)) ||
    ((!scenarios || own.areUnknown) && !scorerNames.includes(name) && closestName(name, [...known]) === undefined);
  const isKnown = (name: string): boolean => known.has(name) || isOpen(name);
  for (const name of config.baseline_scores ?? []) {
    if (isKnown(name)) continue;
    throw new CliError(`baseline_scores names "${name}", a score the run will not have${suggestion(name, known)}`);
  }
  for (const name of Object.keys(margins ?? {})) {
    if (isKnown(name) || isCompared(name)) continue;
    const near = suggestion(name, new Set([...known, passRateMeasure, ...ratioMeasures]));
    throw new CliError(`--not-worse-by names "${name}", a score the run will not have${near}`);
  }
  for (const { text, measure } of gates) {
    if (measure.kind !== "score" || isKnown(measure.score)) continue;
    throw new CliError(`the gate "${text}" names a score the run will not have${suggestion(measure.score, known)}`);
  }
}

interface OwnScorers {
  readonly names: readonly string[];
  /** True when a service has them, which only it can name. */
  readonly areUnknown: boolean;
}

/** The operator's own scorers: those of this machine's module, or of a service, which has its own. */
async function readOwnScorers(server: string | undefined): Promise<OwnScorers> {
  if (server !== undefined) return { names: [], areUnknown: true };
  const { scorersModule } = readClientSettings(process.env);
  if (scorersModule === null) return { names: [], areUnknown: false };
  const { readCustomScorers } = await import("../composition/operator-modules.ts");
  // Only the names are used.
  const scorers = await readCustomScorers(scorersModule, { scrub: (text) => text });
  return { names: Object.keys(scorers), areUnknown: false };
}

/** Names of scores that need scenarios with something to expect. */
const possible: readonly string[] = [...reservedScores].filter((name) => !Object.hasOwn(Object.prototype, name));

const needWords: Readonly<Record<ScoreNeed, string>> = {
  reference: "a reference reply",
  short_reference: "a turn whose reference replies have at most five words",
  labels: "an expected label that no rule ignores",
  embedder: "an embedder",
  sources: "a tool call, a retrieved passage, a reference or a system prompt",
  calls: "an agent that says what it did",
  context: "retrieved passages",
};

/** How to get a built-in score that the run does not have, or a name that was probably meant. */
function suggestion(name: string, known: ReadonlySet<string>): string {
  if (name === scoreTitle("success")) return ': it is called "success" here';
  const named = namedScores.find((score) => score.name === name);
  if (named) {
    const needs = named.needs.map((need) => needWords[need]).join(" and ");
    return `: it needs ${needs}, and a place in scorers${named.byDefault ? " if there is a list" : ""}`;
  }
  const nearest = closestName(name, [...known, ...figures]);
  return nearest === undefined ? `; it may have ${[...known].join(", ")}` : `: did you mean "${nearest}"?`;
}
