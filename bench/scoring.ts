import { fileURLToPath } from "node:url";
import type { Bench, BenchContext, Figures } from "./bench.ts";
import { runToEnd } from "./harness/child-process.ts";
import { goalOn, interleave } from "./harness/interleave.ts";
import { startRehearsal } from "./harness/rehearsal.ts";
import { toEvaluationRequest } from "./load/evaluation-request.ts";
import { postEvaluation } from "./load/post-evaluation.ts";

const scorePairs = fileURLToPath(new URL("load/score-pairs.ts", import.meta.url));
const scoreCalls = fileURLToPath(new URL("load/score-calls.ts", import.meta.url));
const loopDelay = new URL("harness/loop-delay.mjs", import.meta.url).href;

/** What scoring costs, and whether long replies hold up everything else. */
export const scoring: Bench = {
  name: "scoring",
  title: "The default scores",
  async run(context) {
    const pairs = context.size === "quick" ? 50 : 1_000;
    const short = `${pairs} pairs of 100 words`;
    const long = "replies of 5,000 words while they are scored";
    const turns = context.size === "quick" ? 500 : 20_000;
    const calls = `${turns} turns with five tool calls`;
    const rows = [
      ...(await interleave(
        short,
        [{ name: "scoreInteraction", run: () => timed([scorePairs, String(pairs), "100"], pairs) }],
        context,
      )),
      ...(await interleave(
        calls,
        [{ name: "scoreCalls", run: () => timed([scoreCalls, String(turns)], turns) }],
        context,
      )),
      ...(await interleave(long, [{ name: "POST /evaluate", run: () => scoreLong(context) }], context)),
    ];
    return {
      rows,
      goals: [
        goalOn(
          rows,
          { work: short, subject: "scoreInteraction", metric: "cpu_ms", what: "CPU s for 1,000 pairs of 100 words" },
          { atMost: 1 },
        ),
        goalOn(
          rows,
          { work: calls, subject: "scoreCalls", metric: "cpu_ms", what: "CPU ms for the five tool calls of a turn" },
          { atMost: 0.05 },
        ),
        goalOn(
          rows,
          {
            work: long,
            subject: "POST /evaluate",
            metric: "delay_p99_ms",
            what: "event-loop delay p99, ms, 5,000 words",
          },
          { atMost: 20 },
        ),
      ],
    };
  },
};

/** Runs a script that scores so many pieces and prints what that took. */
async function timed(script: readonly string[], pieces: number): Promise<Figures> {
  const ended = await runToEnd({ arguments: [...script] });
  if (ended.exitCode !== 0) throw new Error(/^\w*Error.*$/m.exec(ended.errors)?.[0] ?? "scoring failed");
  const { cpuSeconds, wallSeconds } = JSON.parse(ended.output) as { cpuSeconds: number; wallSeconds: number };
  return { wall_s: wallSeconds, cpu_ms: (cpuSeconds * 1000) / pieces, peak_mb: ended.peakMegabytes };
}

/** Through the service, because what keeps its loop free, threads among it, is part of the answer. */
async function scoreLong({ scratch, model, size }: BenchContext): Promise<Figures> {
  const scenarios = size === "quick" ? 4 : 40;
  const service = await startRehearsal({ scratch, node: ["--import", loopDelay], hears: true });
  try {
    const endpoint = model.at("words-5000", "latency-20");
    const warmUp = toEvaluationRequest(
      { scenarios: 2, turns: 1, attempts: 1, words: 100 },
      { endpoint: model.at("words-100") },
    );
    await postEvaluation(service.evaluation, warmUp);
    const body = toEvaluationRequest({ scenarios, turns: 1, attempts: 1, words: 5_000 }, { endpoint });
    await service.send("start");
    const used = service.cpuSeconds();
    const { wallSeconds } = await postEvaluation(service.evaluation, body);
    const { p99 } = (await service.send("stop")) as { p99: number };
    return {
      wall_s: wallSeconds,
      cpu_ms: ((service.cpuSeconds() - used) * 1000) / scenarios,
      delay_p99_ms: p99,
    };
  } finally {
    await service.stop();
  }
}
