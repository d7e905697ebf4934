import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchContext, Figures } from "../bench.ts";
import { runToEnd, type EndedProcess } from "../harness/child-process.ts";
import { benchSettings, commandLine, hasCommand } from "../harness/rehearsal.ts";
import { Skip } from "../harness/skip.ts";
import { interactionsOf, toEvaluationRequest, type Workload } from "./evaluation-request.ts";

interface Setting {
  readonly endpoint: string;
  /** The value of -j. */
  readonly concurrency: number;
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
const longestMs = 1_800_000;

/** `rehearsal eval` in a process of its own, its runs stored in a folder of their own unless one is given. */
export async function runEvalCommand(
  workload: Workload,
  { endpoint, concurrency, dataFolder }: Setting & { readonly dataFolder?: string },
  scratch: string,
): Promise<EvaluatedByCommand> {
  if (!(await hasCommand("eval"))) throw new Skip("there is no `rehearsal eval` yet");
  const folder = await mkdtemp(join(scratch, "eval-"));
  const data = dataFolder ?? join(folder, "data");
  await writeFile(join(folder, "request.json"), toEvaluationRequest(workload, { endpoint }));
  const target = ["--endpoint", endpoint, "--model", "fake", "--attempts", String(workload.attempts)];
  const ended = await runToEnd(
    {
      arguments: [commandLine, "eval", "request.json", ...target, "-j", String(concurrency), "--reporter", "line"],
      environment: { ...benchSettings, REHEARSAL_DATA_DIR: data },
      folder,
    },
    { limitMs: longestMs },
  );
  if (ended.exitCode === 2) throw new Skip(`rehearsal eval refused the call: ${lastLine(ended.errors)}`);
  // 1 says that replies were not good enough, which those of a fake are not.
  if (ended.exitCode === 0 || ended.exitCode === 1) return { ...ended, dataFolder: data };
  throw new Error(`rehearsal eval ended with ${ended.exitCode}: ${lastLine(ended.errors)}`);
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
