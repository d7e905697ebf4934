import { addAbortListener } from "node:events";
import { watch, type FSWatcher } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { CliError } from "../cli-error.ts";
import { configNames } from "../config/load-config.ts";
import { readEvalSettings, type EvalOptions } from "../eval/eval-settings.ts";
import { requirePatterns } from "../eval/load-scenarios.ts";
import { requestSettings } from "../eval/request-file.ts";
import { idsOfFailed, runEval } from "../eval/run-eval.ts";
import { standardInput } from "../read-text.ts";
import { reportFailure } from "../report-failure.ts";
import { findFiles } from "../scenarios/find-files.ts";
import { readScenarioFiles } from "../scenarios/read-scenarios.ts";
import { note } from "../terminal/output.ts";

const settleMs = 200;

/** Evaluates, then again what changed, until Ctrl-C or nobody reads any more. A mistake in a file is told and waited out. */
export async function watchScenarios(files: readonly string[], options: EvalOptions): Promise<void> {
  refuseResume(options);
  await requireFiles(files, options);
  const failed = await failedBefore(files, options);
  let known: Watched | undefined;
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.stdout.once("error", () => stop.abort());
  while (!stop.signal.aborted) {
    using changes = await watchFiles(files, options, stop.signal);
    // Our own results are files that change, too: what is not about the evaluation is passed over without a word.
    let told = true;
    try {
      const now = await readWatched(files, options);
      const changed = changedScenarios(known, now).filter((id) => failed?.has(id) ?? true);
      told = changed.length > 0;
      if (told) await runEval(files, options, new Set(changed));
      known = now;
    } catch (error) {
      reportFailure(error);
    }
    if (stop.signal.aborted) break;
    if (told) note("Waiting for changes; Ctrl-C ends.");
    await changes.next;
  }
  process.exitCode = 0;
}

/** A run that goes on is made of what its scenarios were: no change would ever be evaluated. */
function refuseResume({ resume }: EvalOptions): void {
  if (resume !== undefined) throw new CliError(`a run goes on with rehearsal eval --resume ${resume}, then watch`);
}

/** Without anything to watch the wait would never end: that is told as `eval` tells it. A mistake in the configuration can be mended. */
async function requireFiles(files: readonly string[], options: EvalOptions): Promise<void> {
  if (files.includes(standardInput))
    throw new CliError("standard input does not change: name files or a folder to watch");
  const settings = await readEvalSettings(files, options).catch(() => null);
  if (settings === null) return;
  requirePatterns(settings);
  const { patterns, folder, namedIn, ownFiles } = settings;
  await findFiles(patterns, { folder, namedIn, except: ownFiles });
}

/** Asked once: whatever is evaluated here would be the latest run. */
async function failedBefore(files: readonly string[], options: EvalOptions): Promise<ReadonlySet<string> | undefined> {
  if (options.onlyFailed === undefined) return undefined;
  const { server } = await readEvalSettings(files, options);
  return idsOfFailed(options.onlyFailed, { ...options, ...(server !== undefined && { server }) });
}

async function readWatched(files: readonly string[], options: EvalOptions): Promise<Watched> {
  const settings = await readEvalSettings(files, options);
  const { patterns, folder, namedIn, ownFiles } = settings;
  const read = await readScenarioFiles(patterns, { folder, namedIn, except: ownFiles });
  const scenarios = read.flatMap((file) => file.scenarios);
  return fingerprint([settings, requestSettings(read)], scenarios);
}

/** Resolves once after files changed and were left alone for a moment: editors write in several steps. */
async function watchFiles(files: readonly string[], options: EvalOptions, signal: AbortSignal) {
  // What was opened is closed again when a later folder cannot be watched.
  using opened = new DisposableStack();
  const { promise: next, resolve: done } = Promise.withResolvers<void>();
  const { folders, prompt } = await placesOf(files, options);
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

/** A folder that can no longer be watched is told of; the others go on. */
function openWatcher(folder: string, changed: (name: string) => void): FSWatcher {
  const tell = (error: Error): string => `${folder} cannot be watched: ${error.message}`;
  try {
    const watcher = watch(folder, { recursive: true }, (_event, name) => {
      if (name !== null) changed(name);
    });
    return watcher.on("error", (error: Error) => note(tell(error)));
  } catch (cause) {
    throw new CliError(tell(cause as Error), undefined, { cause });
  }
}

/** Where to look, and the file of the system prompt, which may be called anything. */
async function placesOf(files: readonly string[], options: EvalOptions) {
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

/** What an evaluation would be made of. */
interface Watched {
  readonly settings: string;
  /** What every scenario says, by id. */
  readonly scenarios: ReadonlyMap<string, string>;
}

export function fingerprint(settings: unknown, scenarios: readonly FileScenario[]): Watched {
  return {
    settings: JSON.stringify(settings),
    scenarios: new Map(scenarios.map((scenario) => [scenario.id, JSON.stringify(scenario)])),
  };
}

/** Ids that are new or say something else; all of them where the settings changed. */
export function changedScenarios(before: Watched | undefined, now: Watched): string[] {
  const ids = [...now.scenarios.keys()];
  if (before?.settings !== now.settings) return ids;
  return ids.filter((id) => before.scenarios.get(id) !== now.scenarios.get(id));
}
