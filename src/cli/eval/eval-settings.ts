import { resolve } from "node:path";
import { omitUndefined } from "../../base/json.ts";
import type { Gate as RequestGate } from "../../contract/schemas/budget.ts";
import { parseMargins, toMargins, type Margins, type Undecided } from "../../contract/schemas/margins.ts";
import { CliError, configError } from "../terminal/cli-error.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { parseGate, type GateRule } from "../gates/parse-gate.ts";
import { loadEnvironment } from "../config/load-settings.ts";
import { readTextFile } from "../terminal/files.ts";
import { reporterNames, resumeWords, type EvalOptions, type ReporterName } from "../options/eval-options.ts";
import { configuredSecrets, findTarget, type NamedTarget } from "../config/find-target.ts";
import type { TargetSecret } from "../../settings/credentials.ts";
import { ownFiles } from "../scenarios/find-files.ts";
import { inContinuousIntegration } from "../terminal/output.ts";

/** The settings of an evaluation: options first, then the configuration. */
export interface EvalSettings {
  readonly patterns: readonly string[];
  /** The folder `patterns` are relative to. */
  readonly folder: string;
  /** The configuration file that names the patterns; undefined when they are arguments. */
  readonly namedIn?: string | undefined;
  readonly config: Config;
  /** The file `config` was read from. */
  readonly configFile?: string | undefined;
  /** The file the system prompt was read from. */
  readonly promptFile?: string | undefined;
  /** The agent under test, when it is not a plain endpoint. */
  readonly target?: NamedTarget | undefined;
  /** The secrets that the configured targets name. */
  readonly targetSecrets: readonly TargetSecret[];
  readonly models: readonly string[];
  readonly gates: readonly GateRule[];
  /** True with `--no-gate`: the results do not change the exit code. */
  readonly looksOnly: boolean;
  /** The gate of a request file; used when there are no other gates. */
  readonly requestGate?: RequestGate | undefined;
  readonly baseline: string | undefined;
  readonly baselineScores: readonly string[];
  readonly maxRegression: number;
  /** The accepted loss by score; null when only a shown drop fails. */
  readonly margins: Margins | null;
  readonly undecided: Undecided | undefined;
  /** The target counts as unusable above this share of failed turns. */
  readonly maxErrors: number;
  readonly reporters: readonly ReporterName[];
  readonly outputs: readonly string[];
  /** Files that are never scenarios unless they are named: configuration, baseline, results. */
  readonly ownFiles: readonly string[];
  readonly server: string | undefined;
  /** The run whose simulated users are replayed. */
  readonly replayUsers?: string | undefined;
  /** Options to repeat when the run is resumed. */
  readonly resumeWords: readonly string[];
}

export async function readEvalSettings(patterns: readonly string[], options: EvalOptions): Promise<EvalSettings> {
  // First, because the configuration may refer to variables of .env.
  loadEnvironment(options.envFile);
  const { config, folder, file } = await loadConfig(options.config);
  const { name, endpoint, attempts, protocol, stream, history, concurrency, priority } = options;
  const typed = patterns.length > 0;
  const target = findTarget(options, config);
  const typedModels = [...(options.models ?? []), ...(options.model ?? [])];
  const named = typedModels.length > 0 ? typedModels : asList(config.model);
  // An agent chooses its models itself; the run is then named after the target.
  const models = named.length === 0 && target ? [target.name] : named;
  const baseline = options.baseline ?? config.baseline;
  const outputs = options.output ?? config.output ?? [];
  const promptFile = promptFileOf(options.system, { config, folder, file });
  const merged: Config = {
    ...config,
    ...omitUndefined({ name, endpoint, attempts, protocol, stream, history, concurrency, priority }),
    ...(await systemPrompt(options.system, promptFile)),
    ...budget(options, config),
  };
  return {
    patterns: typed ? patterns : asList(config.scenarios),
    folder: typed ? process.cwd() : folder,
    namedIn: typed ? undefined : file,
    config: merged,
    configFile: file,
    promptFile: promptFile?.path,
    target,
    targetSecrets: configuredSecrets(config.targets),
    models,
    gates: (options.gate === false ? [] : (options.gate ?? config.gates ?? [])).map(parseGate),
    looksOnly: options.gate === false,
    baseline,
    baselineScores: config.baseline_scores ?? ["overall", "success"],
    maxRegression: options.maxRegression ?? config.max_regression ?? 0,
    margins: marginsOf(options.notWorseBy, config),
    undecided: options.undecided ?? config.undecided,
    maxErrors: options.maxErrors ?? config.max_errors ?? defaultMaxErrors(),
    reporters: options.reporter?.map(reporterName) ?? config.reporters ?? [],
    outputs,
    ownFiles: ownFiles({ file, config: { baseline, output: [...outputs], model: [...models] } }),
    // --data-dir outranks a configured server.
    server: options.server ?? (options.dataDir === undefined ? config.server : undefined),
    resumeWords: resumeWords(options),
  };
}

function marginsOf(typed: string | undefined, { not_worse_by }: Config): Margins | null {
  if (typed === undefined) return not_worse_by === undefined ? null : toMargins(not_worse_by);
  const margins = parseMargins(typed);
  if (typeof margins === "string") throw new CliError(`--not-worse-by: ${margins}`);
  return margins;
}

/** In CI no reply may be missing. At a desk a person sees missing replies, so only a target that never answers is unusable. */
const defaultMaxErrors = (): number => (inContinuousIntegration() ? 0 : 1 - Number.EPSILON);

const asList = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

function reporterName(text: string): ReporterName {
  const name = reporterNames.find((candidate) => candidate === text);
  if (name === undefined) throw new CliError(`--reporter is "${text}": use ${reporterNames.join(", ")}`);
  return name;
}

interface PromptFile {
  readonly path: string;
  /** The option or key that names the file; used in errors. */
  readonly from: string;
}

/** The file of `--system @file` or `system_prompt_file`; undefined when the prompt is given as text. */
function promptFileOf(
  typed: string | undefined,
  { config, folder, file }: { config: Config; folder: string; file?: string | undefined },
): PromptFile | undefined {
  if (typed?.startsWith("@")) return { path: resolve(typed.slice(1)), from: "--system" };
  if (typed !== undefined || config.system_prompt_file === undefined) return undefined;
  if (config.system_prompt !== undefined) {
    throw configError({ file: file ?? "configuration" }, "has both system_prompt and system_prompt_file: keep one");
  }
  return { path: resolve(folder, config.system_prompt_file), from: "system_prompt_file" };
}

async function systemPrompt(typed: string | undefined, file?: PromptFile): Promise<Pick<Config, "system_prompt">> {
  if (file) return { system_prompt: await readTextFile(file.path, `${file.from}: ${file.path}`) };
  return typed === undefined ? {} : { system_prompt: typed };
}

function budget({ maxCost, maxSeconds }: EvalOptions, { budget: given }: Config): Pick<Config, "budget"> {
  if (maxCost === undefined && maxSeconds === undefined) return {};
  return { budget: { ...given, ...omitUndefined({ money: maxCost, seconds: maxSeconds }) } };
}
