import { dirname, resolve } from "node:path";
import { compact } from "../../base/compact.ts";
import type { RescoreInput } from "../../client/evaluation-client.ts";
import type { Gate } from "../../contract/schemas/budget.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { withCodePaths } from "../../contract/schemas/scores/scorer-setting.ts";
import type { Expectation, World } from "../../contract/schemas/acting/world.ts";
import type { FileScenario, ScenarioVariant } from "../../formats/scenario-file.ts";
import { CliError } from "../terminal/cli-error.ts";
import type { Config } from "../config/config.ts";
import { configAbove, withWorldPaths } from "../config/load-config.ts";
import type { SourceOptions } from "../options/shared-options.ts";
import { brokenScenariosExplained } from "../scenarios/scenario-problems.ts";
import {
  joinScenarios,
  noteLine,
  noteLines,
  readScenarioFiles,
  type ScenarioFile,
} from "../scenarios/read-scenarios.ts";
import { requireNear } from "../scenarios/named-file-check.ts";
import { note } from "../terminal/output.ts";
import type { EvalOptions } from "../options/eval-options.ts";
import { readEvalSettings, type EvalSettings } from "./eval-settings.ts";

/** The scenarios of an evaluation, and its settings completed from a request file. */
export async function loadScenarios(
  settings: EvalSettings,
  { skipInvalid, allowsCode, allowFiles }: Pick<EvalOptions, "skipInvalid" | "allowsCode" | "allowFiles">,
): Promise<{ settings: EvalSettings; scenarios: FileScenario[]; variants: readonly ScenarioVariant[] }> {
  requirePatterns(settings);
  const { patterns, folder, namedIn, ownFiles } = settings;
  const files = await readScenarioFiles(patterns, {
    folder,
    namedIn,
    except: ownFiles,
    allowsCode,
    allowFiles,
    makesVariants: true,
    isClosed: true,
  });
  refuseReplacing(
    files.map((file) => scenarioPath(file, folder)),
    settings,
  );
  const broken = files.flatMap((file) => brokenScenariosExplained(file).map((entry) => noteLine(file.file, entry)));
  if (broken.length > 0 && !skipInvalid) {
    throw new CliError(`${broken.join("\n  ")}\n  (--skip-invalid skips such scenarios)`);
  }
  const { settings: request, gate, replayUsers } = requestSettings(files, { folder, allowFiles });
  for (const { file, notes } of files) {
    const unused = notes.filter(
      ({ message }) => request.endpoint === undefined || !message.startsWith("settings of the run"),
    );
    for (const line of noteLines(file, unused)) note(line);
  }
  if (gate && settings.gates.length > 0) note("The request file's gate is not used, because other gates are given.");
  const { model, ...defaults } = request;
  const placed = files.map((file) => withFilePaths(file, folder));
  const named = model === undefined ? [...new Set(files.flatMap(({ models = [] }) => models))] : [model].flat();
  return {
    scenarios: joinScenarios(placed),
    variants: joinVariants(placed),
    settings: {
      ...settings,
      config: { ...defaults, ...settings.config },
      requestGate: settings.gates.length > 0 ? undefined : gate,
      replayUsers,
      models: settings.models.length > 0 ? settings.models : named,
    },
  };
}

/** New results replace earlier ones, and never what the run is made of. */
function refuseReplacing(scenarioFiles: readonly string[], { config, configFile }: EvalSettings): void {
  const made = new Set([...scenarioFiles, ...(configFile === undefined ? [] : [resolve(configFile)])]);
  const lost = config.output?.find((file) => made.has(resolve(file)));
  if (lost === undefined) return;
  const part = scenarioFiles.includes(resolve(lost)) ? "the scenarios" : "the configuration";
  throw new CliError(`the results in ${lost} would replace ${part} of this run: name another file with -o`);
}

/** Variants of one name in several files are evaluated together. */
function joinVariants(files: readonly ScenarioFile[]): ScenarioVariant[] {
  const all = files.flatMap(({ variants = [] }) => variants);
  const byName = Map.groupBy(all, ({ name }) => name);
  return [...byName].map(([name, list]) => ({ name, scenarios: list.flatMap(({ scenarios }) => scenarios) }));
}

/** The scoring of a configuration and its scenarios, for a rescore. Settings it lacks are removed from the run. */
export async function configuredScoring(
  config: string,
  { allowFiles, ...where }: SourceOptions & { readonly allowFiles?: boolean | undefined },
): Promise<{ replace: RescoreInput; where: SourceOptions }> {
  const typed = await readEvalSettings([], { ...where, config });
  const { settings, scenarios } =
    typed.patterns.length === 0 ? { settings: typed, scenarios: [] } : await loadScenarios(typed, { allowFiles });
  const { scorers, weights, threshold, judge, labeller, label_rules } = settings.config;
  return {
    replace: {
      scorers: scorers ?? null,
      weights: weights ?? null,
      threshold: threshold ?? null,
      judge: judge ?? null,
      labeller: labeller ?? null,
      label_rules: label_rules ?? null,
      ...(scenarios.length > 0 && { test_batch: scenarios.map(withoutWorld) }),
    },
    where: { ...where, server: settings.config.server },
  };
}

/** The world of a run cannot change. */
function withoutWorld(scenario: FileScenario): FileScenario {
  const { world: _, ...rest } = scenario;
  return rest;
}

export function requirePatterns({ patterns }: EvalSettings): void {
  if (patterns.length > 0) return;
  const above = configAbove(process.cwd());
  if (above !== undefined) {
    throw new CliError(
      `no scenarios were given, and the configuration is in a folder above: change to that folder, or use --config ${above}`,
    );
  }
  throw new CliError(
    "no scenarios were given: name files or a folder, or set scenarios in rehearsal.yaml (rehearsal init writes one)",
  );
}

/** Without the scenarios, which the scenario readers validate. */
const RequestSettings = EvaluationRequest.omit({ test_batch: true });

/** The settings of a file that holds a whole evaluation request. Options and the configuration outrank them. */
export function requestSettings(
  files: readonly ScenarioFile[],
  { folder = process.cwd(), allowFiles = false }: { folder?: string; allowFiles?: boolean | undefined } = {},
): { settings: Config; gate?: Gate | undefined; replayUsers?: string | undefined } {
  const [file] = files;
  if (files.length !== 1 || file?.format !== "json") return { settings: {} };
  const request = JSON.parse(file.text) as { readonly test_batch?: unknown } | null;
  const parsed = RequestSettings.safeParse(request);
  if (!request?.test_batch || !parsed.success) return { settings: {} };
  const {
    model_id,
    test_name,
    gate,
    replay_users,
    world: given,
    endpoint,
    protocol,
    variants,
    vary,
    ...data
  } = parsed.data;
  const { experiment: _experiment, fresh: _fresh, ...rest } = data;
  if (variants || vary) {
    throw new CliError(
      `${file.file} has variants: declare them under variants or vary in rehearsal.yaml, or send the file to POST /evaluate`,
    );
  }
  if (typeof endpoint !== "string") {
    throw new CliError(
      `${file.file} has an object in endpoint: declare it under targets in rehearsal.yaml and name it with --target, or send the file to POST /evaluate`,
    );
  }
  if (given?.state_file !== undefined && !allowFiles) {
    requireNear(given.state_file, { by: file.file, folder: dirname(scenarioPath(file, folder)) });
  }
  const { world } = withPaths({ world: given }, scenarioPath(file, folder));
  return {
    settings: compact({ ...rest, endpoint, protocol, world, model: model_id, name: test_name }),
    gate,
    replayUsers: replay_users,
  };
}

/** Files of worlds and code of checks are named relative to the file that names them. */
export function withFilePaths(file: ScenarioFile, folder: string): ScenarioFile {
  const path = scenarioPath(file, folder);
  const toPath = (name: string): string => resolve(dirname(path), name);
  const placed = (scenario: FileScenario): FileScenario => ({
    ...withPaths(scenario, path),
    ...(scenario.expect?.code && { expect: { ...scenario.expect, code: codeAt(scenario.expect.code, toPath) } }),
    interactions: scenario.interactions.map((turn) => ({
      ...turn,
      ...(turn.checks && { checks: turn.checks.map((check) => withCodePaths(check, toPath)) }),
    })),
  });
  return {
    ...file,
    scenarios: file.scenarios.map(placed),
    ...(file.variants && {
      variants: file.variants.map(({ name, scenarios }) => ({ name, scenarios: scenarios.map(placed) })),
    }),
  };
}

const codeAt = (code: NonNullable<Expectation["code"]>, toPath: (name: string) => string) =>
  code.map((source) => (source.file === undefined ? source : { ...source, file: toPath(source.file) }));

function withPaths<Part extends { readonly world?: World | undefined }>(part: Part, file: string): Part {
  if (!part.world) return part;
  return { ...part, world: withWorldPaths(part.world, (named) => resolve(dirname(file), named)) };
}

function scenarioPath({ file }: ScenarioFile, folder: string): string {
  return resolve(folder, file);
}
