import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchContext, Figures } from "../bench.ts";
import { runToEnd, type ChildOptions, type EndedProcess } from "../harness/child-process.ts";
import { benchSettings, commandLine } from "../harness/rehearsal.ts";
import { interactionsOf, toEvaluationRequest, type Workload } from "./evaluation-request.ts";

interface Setting {
  readonly endpoint: string;
  /** The value of -j. */
  readonly concurrency: number;
  /** Where its runs are stored. Default: a folder of its own. */
  readonly dataFolder?: string;
  /** The body of the request. Default: that of the workload. */
  readonly request?: string;
}

export interface EvaluatedByCommand extends EndedProcess {
  readonly dataFolder: string;
}

/** The work through `rehearsal eval`, from the start of the process to its end. */
export async function evaluateByCommand(
  workload: Workload,
  setting: Setting,
  { scratch }: Pick<BenchContext, "scratch">,
): Promise<Figures> {
  const ended = await runEvalCommand(workload, setting, scratch);
  return {
    wall_s: ended.wallSeconds,
    cpu_ms: (ended.cpuSeconds * 1000) / interactionsOf(workload),
    peak_mb: ended.peakMegabytes,
  };
}

/** A run of a million interactions takes minutes. */
export const longestRunMs = 1_800_000;

/** `rehearsal eval` in a process of its own. */
export async function runEvalCommand(
  workload: Workload,
  setting: Setting,
  scratch: string,
): Promise<EvaluatedByCommand> {
  const command = await evalCommand(workload, setting, scratch);
  const ended = await runToEnd(command, { limitMs: longestRunMs });
  // 1 says that replies were not good enough, which those of a fake are not.
  if (ended.exitCode === 0 || ended.exitCode === 1) return { ...ended, dataFolder: command.dataFolder };
  throw new Error(`rehearsal eval ended with ${ended.exitCode}: ${ended.errors.trim().split("\n").at(-1)}`);
}

/** The command in a folder of its own, with the file that it reads. */
export async function evalCommand(
  workload: Workload,
  { endpoint, concurrency, dataFolder, request = toEvaluationRequest(workload, { endpoint }) }: Setting,
  scratch: string,
): Promise<ChildOptions & { readonly dataFolder: string }> {
  const folder = await mkdtemp(join(scratch, "eval-"));
  const data = dataFolder ?? join(folder, "data");
  await writeFile(join(folder, "request.json"), request);
  const target = ["--endpoint", endpoint, "--model", "fake", "--attempts", String(workload.attempts)];
  return {
    arguments: [commandLine, "eval", "request.json", ...target, "-j", String(concurrency), "--reporter", "line"],
    environment: { ...benchSettings, REHEARSAL_DATA_DIR: data },
    folder,
    dataFolder: data,
  };
}
