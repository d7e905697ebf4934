import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { randomUUID } from "node:crypto";
import type { BenchContext, Figures } from "../bench.ts";
import { runToEnd } from "../harness/child-process.ts";
import { interactionsOf, type Workload } from "../load/evaluation-request.ts";

const script = fileURLToPath(new URL("bare-loop.ts", import.meta.url));

interface BareRun {
  /** The loop alone, after its warm-up: what a service that is already running is held against. */
  readonly loop: Figures;
  /** The process from start to end: what a command is held against. */
  readonly whole: Figures;
}

export const warmUpCalls = 200;

/** Runs the bare loop in a process of its own. */
export async function runBareLoop(
  workload: Workload,
  { endpoint, concurrency, warmUp = warmUpCalls }: { endpoint: string; concurrency: number; warmUp?: number },
  { scratch, model }: Pick<BenchContext, "scratch" | "model">,
): Promise<BareRun> {
  const options = {
    words: 12,
    ...workload,
    endpoint,
    concurrency,
    file: join(scratch, `${randomUUID()}.jsonl`),
    warmUp: { endpoint: model.at("latency-0"), calls: warmUp },
  };
  const ended = await runToEnd({ arguments: [script, JSON.stringify(options)] });
  if (ended.exitCode !== 0) throw new Error(`the bare loop failed: ${ended.errors.slice(0, 300)}`);
  const { wallSeconds, cpuSeconds } = JSON.parse(ended.output) as { wallSeconds: number; cpuSeconds: number };
  const count = interactionsOf(workload);
  return {
    loop: { wall_s: wallSeconds, cpu_ms: (cpuSeconds * 1000) / count, peak_mb: ended.peakMegabytes },
    whole: { wall_s: ended.wallSeconds, cpu_ms: (ended.cpuSeconds * 1000) / count, peak_mb: ended.peakMegabytes },
  };
}
