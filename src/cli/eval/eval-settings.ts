import { resolve } from "node:path";
import { compact } from "../../base/compact.ts";
import { isRecord } from "../../base/json.ts";
import type { Gate as RequestGate } from "../../contract/schemas/budget.ts";
import { parseMargins, toMargins, type Margins } from "../../contract/schemas/margins.ts";
import { CliError, configError } from "../terminal/cli-error.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { parseGate, type GateRule } from "../gates/parse-gate.ts";
import { loadEnvironment } from "../config/load-settings.ts";
import { readTextFile } from "../terminal/files.ts";
import { reporterNames } from "../options/choices.ts";
import { evalOptions, type EvalOptions, type EvalOptionTable } from "../options/eval-options.ts";
import { configuredSecrets, findTarget, type NamedTarget } from "../config/find-target.ts";
import type { TargetSecret } from "../../settings/credentials.ts";
import { readVariants, type Variants } from "./read-variants.ts";
import { ownFiles } from "../scenarios/find-files.ts";

/** The settings of an evaluation: options first, then the configuration. */
export interface EvalSettings {
  /** As they were typed. */
  readonly options: EvalOptions;
  readonly patterns: readonly string[];
  /** The folder `patterns` are relative to. */
  readonly folder: string;
  /** The configuration file that names the patterns; undefined when they are arguments. */
  readonly namedIn?: string | undefined;
  /** The configuration, with the typed options in place of its keys. */
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
  /** Versions that are tested side by side. */
  readonly variants: Variants | null;
  readonly gates: readonly GateRule[];
  /** The gate of a request file; used when there are no other gates. */
  readonly requestGate?: RequestGate | undefined;
  /** The accepted loss by score; null when only a shown drop fails. */
  readonly margins: Margins | null;
  /** Files that are never scenarios unless they are named: configuration, baseline, results. */
  readonly ownFiles: readonly string[];
  /** The run whose simulated users are replayed. */
  readonly replayUsers?: string | undefined;
}

export async function readEvalSettings(patterns: readonly string[], options: EvalOptions): Promise<EvalSettings> {
  // First, because the configuration may refer to variables of .env.
  loadEnvironment(options.envFile);
  const { config, folder, file } = await loadConfig(options.config);
  const typed = patterns.length > 0;
  const target = findTarget(options, config);
  const typedModels = [...(options.models ?? []), ...(options.model ?? [])];
  const named = typedModels.length > 0 ? typedModels : asList(config.model);
  // An agent chooses its models itself; the run is then named after the target.
  const models = named.length === 0 && target ? [target.name] : named;
  const variants = await readVariants(options.variant, { config, folder, models });
  const promptFile = promptFileOf(options.system, { config, folder, file });
  const prompt = promptFile && (await readTextFile(promptFile.path, `${promptFile.from}: ${promptFile.path}`));
  const margins = settledMargins(options.notWorseBy, config);
  options.reporter?.forEach(requireReporter);
  const merged: Config = {
    ...withOptions(config, options),
    ...compact({ system_prompt: prompt, not_worse_by: margins ?? undefined }),
  };
  const { baseline, output, gates = [] } = merged;
  return {
    options,
    patterns: typed ? patterns : asList(config.scenarios),
    folder: typed ? process.cwd() : folder,
    namedIn: typed ? undefined : file,
    config: merged,
    configFile: file,
    promptFile: promptFile?.path,
    target,
    targetSecrets: configuredSecrets(config.targets),
    models,
    variants,
    gates: gates.map(parseGate),
    margins,
    ownFiles: ownFiles({
      file,
      config: { baseline, output, model: [...models, ...Array.from({ length: variants?.count ?? 0 }, String)] },
    }),
  };
}

/** The configuration with the keys that the typed options set. */
export function withOptions(config: Config, options: EvalOptions, table: EvalOptionTable = evalOptions): Config {
  const merged: Record<string, unknown> = { ...config };
  for (const [name, value] of Object.entries(options)) {
    const option = table[name];
    if (option === undefined || value === undefined) continue;
    const direct = option.key ? { [option.key.name]: value } : {};
    const set = option.sets ? option.sets(value as never) : direct;
    for (const [key, part] of Object.entries(set)) {
      const before = merged[key];
      merged[key] = isRecord(before) && isRecord(part) ? { ...before, ...part } : part;
    }
  }
  return merged;
}

function settledMargins(typed: string | undefined, { not_worse_by }: Config): Margins | null {
  if (typed === undefined) return not_worse_by === undefined ? null : toMargins(not_worse_by);
  const margins = parseMargins(typed);
  if (typeof margins === "string") throw new CliError(`--not-worse-by: ${margins}`);
  return margins;
}

const asList = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

function requireReporter(text: string): void {
  if (reporterNames.some((name) => name === text)) return;
  throw new CliError(`--reporter is "${text}": use ${reporterNames.join(", ")}`);
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
