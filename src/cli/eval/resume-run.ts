import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { finalStates, type Run } from "../../contract/schemas/run.ts";
import { CliError } from "../cli-error.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { SourceOptions } from "../options.ts";
import { portIsFree } from "../parts/port-is-free.ts";
import type { Reporter } from "../reporters/reporter.ts";
import { findRun } from "../sources/find-run.ts";
import { openSession } from "../sources/open-session.ts";
import { openSource } from "../sources/open-source.ts";
import type { EvalSettings } from "./eval-settings.ts";
import { reportRuns } from "./report-runs.ts";

interface ResumeOptions {
  readonly where: SourceOptions;
  readonly settings: EvalSettings;
  readonly reporters: readonly Reporter[];
  readonly baseline: EvaluationResponse | null;
}

/** Goes on with a run at its first missing turn. One that has ended is reported again. */
export async function resumeRun(text: string, { where, ...work }: ResumeOptions): Promise<ExitCode> {
  const run = await readUnfinished(text, where);
  const agentPort = await ownAgentPort(run);
  await using session = await openSession({
    ...where,
    concurrency: work.settings.config.concurrency,
    agent: agentPort !== undefined,
    agentPort,
    resume: run.run_id,
  });
  return await reportRuns([run], { session, ...work }, ({ run_id }) => session.client.get(run_id));
}

async function readUnfinished(text: string, where: SourceOptions): Promise<Run> {
  await using source = await openSource(where);
  const run = await source.get(await findRun(source, text));
  if (run.state === "cancelled") throw new CliError(`the run ${run.run_id} was cancelled and cannot go on`);
  return run;
}

/**
 * A run against our own agent backend remembers a port that went with its process: the new one listens there again. Where
 * something listens already, that is what the run was made for.
 */
async function ownAgentPort({ endpoint, state }: Run): Promise<number | undefined> {
  const url = URL.parse(endpoint);
  if (finalStates.has(state) || url?.hostname !== "127.0.0.1" || url.pathname !== "/" || url.port === "") return;
  const port = Number(url.port);
  return (await portIsFree(url.hostname, port)) ? port : undefined;
}
