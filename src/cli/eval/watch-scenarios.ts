import { addAbortListener } from "node:events";
import { watch, type FSWatcher } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { CliError } from "../terminal/cli-error.ts";
import { configNames } from "../config/load-config.ts";
import type { EvalOptions } from "../options/eval-options.ts";
import { readEvalSettings } from "./eval-settings.ts";
import { requestSettings, requirePatterns } from "./load-scenarios.ts";
import { failedScenarioIds, runEval } from "./run-eval.ts";
import { standardInput } from "../terminal/files.ts";
import { reportFailure } from "../terminal/report-failure.ts";
import { findFiles } from "../scenarios/find-files.ts";
import { readScenarioFiles } from "../scenarios/read-scenarios.ts";
import { note } from "../terminal/output.ts";

const settleMs = 200;

/** Evaluates, then re-evaluates what changed, until Ctrl-C or a closed stdout. An invalid file is reported and retried after the next change. */
export async function watchScenarios(files: readonly string[], options: EvalOptions): Promise<void> {
  refuseResume(options);
  await requireFiles(files, options);
  const failed = await initiallyFailed(files, options);
  let known: Watched | undefined;
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.stdout.once("error", () => stop.abort());
  while (!stop.signal.aborted) {
    using changes = await watchFiles(files, options, stop.signal);
    // Our own results files change too: changes that do not affect the evaluation print nothing.
    let hasOutput = true;
    try {
      const now = await readWatched(files, options);
      const changed = changedScenarios(known, now).filter((id) => failed?.has(id) ?? true);
      hasOutput = changed.length > 0;
      if (hasOutput) await runEval(files, options, new Set(changed));
      known = now;
    } catch (error) {
      reportFailure(error);
    }
    if (stop.signal.aborted) break;
    if (hasOutput) note("Waiting for changes; press Ctrl-C to stop.");
    await changes.next;
  }
  process.exitCode = 0;
}

/** A resumed run keeps its scenarios, so no change would ever be evaluated. */
function refuseResume({ resume }: EvalOptions): void {
  if (resume !== undefined)
    throw new CliError(`watch cannot resume a run: use rehearsal eval --resume ${resume} first`);
}

/** Refuses to watch nothing, with the same errors as `eval`. An invalid configuration may still be corrected. */
async function requireFiles(files: readonly string[], options: EvalOptions): Promise<void> {
  if (files.includes(standardInput)) throw new CliError("standard input cannot be watched: name files or a folder");
  const settings = await readEvalSettings(files, options).catch(() => null);
  if (settings === null) return;
  requirePatterns(settings);
  const { patterns, folder, namedIn, ownFiles } = settings;
  await findFiles(patterns, { folder, namedIn, except: ownFiles });
}

/** Read once: after the first evaluation, `latest` would be a run of this command. */
async function initiallyFailed(
  files: readonly string[],
  options: EvalOptions,
): Promise<ReadonlySet<string> | undefined> {
  if (options.onlyFailed === undefined) return undefined;
  const { config } = await readEvalSettings(files, options);
  return failedScenarioIds(options.onlyFailed, { ...options, server: config.server });
}

async function readWatched(files: readonly string[], options: EvalOptions): Promise<Watched> {
  const settings = await readEvalSettings(files, options);
  const { patterns, folder, namedIn, ownFiles } = settings;
  const read = await readScenarioFiles(patterns, { folder, namedIn, except: ownFiles, allowFiles: options.allowFiles });
  const scenarios = read.flatMap((file) => file.scenarios);
  return fingerprintScenarios([settings, requestSettings(read, options)], scenarios);
}

/** `next` resolves once files changed and then stayed unchanged for a moment: editors write in several steps. */
async function watchFiles(files: readonly string[], options: EvalOptions, signal: AbortSignal) {
  // Closes the watchers opened so far when a later folder cannot be watched.
  using opened = new DisposableStack();
  const { promise: next, resolve: done } = Promise.withResolvers<void>();
  const { folders, prompt } = await watchedPaths(files, options);
  const configs: readonly string[] = options.config === undefined ? configNames : [basename(options.config)];
  const named = [...configs, ...prompt.map((file) => basename(file))];
  let timer: NodeJS.Timeout | undefined;
  const changed = (name: string): void => {
    if (/(^|[\\/])(\.rehearsal|node_modules|\.git)([\\/]|$)/.test(name)) return;
    if (!/\.(json|jsonl|ndjson|ya?ml|csv|tsv)$/i.test(name) && !named.includes(basename(name))) return;
    clearTimeout(timer);
    timer = setTimeout(done, settleMs);
  };
  for (const folder of folders) opened.adopt(openWatcher(folder, changed), (watcher) => watcher.close());
  opened.defer(() => clearTimeout(timer));
  opened.use(addAbortListener(signal, () => done()));
  const watching = opened.move();
  return { next, [Symbol.dispose]: () => watching.dispose() };
}

/** A folder that can no longer be watched is reported; the others stay watched. */
function openWatcher(folder: string, changed: (name: string) => void): FSWatcher {
  const describe = (error: Error): string => `${folder} cannot be watched: ${error.message}`;
  try {
    const watcher = watch(folder, { recursive: true }, (_event, name) => {
      if (name !== null) changed(name);
    });
    return watcher.on("error", (error: Error) => note(describe(error)));
  } catch (cause) {
    throw new CliError(describe(cause as Error), undefined, { cause });
  }
}

/** The folders to watch, and the system prompt's file, which may have any name. */
async function watchedPaths(files: readonly string[], options: EvalOptions) {
  try {
    const { patterns, folder, promptFile } = await readEvalSettings(files, options);
    const prompt = promptFile === undefined ? [] : [promptFile];
    const found = (await findFiles(patterns, { folder })).map((file) => resolve(folder, file));
    return {
      folders: [...new Set([process.cwd(), resolve(folder), ...[...found, ...prompt].map((file) => dirname(file))])],
      prompt,
    };
  } catch {
    return { folders: [process.cwd()], prompt: [] };
  }
}

/** The input of an evaluation. */
interface Watched {
  readonly settings: string;
  /** Each scenario's JSON, by id. */
  readonly scenarios: ReadonlyMap<string, string>;
}

export function fingerprintScenarios(settings: unknown, scenarios: readonly FileScenario[]): Watched {
  return {
    settings: JSON.stringify(settings),
    scenarios: new Map(scenarios.map((scenario) => [scenario.id, JSON.stringify(scenario)])),
  };
}

/** Ids of new or changed scenarios; all ids when the settings changed. */
export function changedScenarios(before: Watched | undefined, now: Watched): string[] {
  const ids = [...now.scenarios.keys()];
  if (before?.settings !== now.settings) return ids;
  return ids.filter((id) => before.scenarios.get(id) !== now.scenarios.get(id));
}
