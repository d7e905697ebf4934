import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EvaluationResponse } from "../src/contract/schemas/evaluation-response.ts";
import type { Bench, BenchContext, Figures } from "./bench.ts";
import { runToEnd } from "./harness/child-process.ts";
import { benchSettings, commandLine } from "./harness/rehearsal.ts";
import { interleave, medianOf } from "./harness/interleave.ts";

const turns = 5;

/** What a turn of a simulated user costs, with the calls of its agent, the journal and the scores. */
export const simulatedUsers: Bench = {
  name: "simulated-users",
  title: "Simulated users in a declared world",
  async run(context) {
    const scenarios = context.size === "quick" ? 2 : 20;
    const attempts = context.size === "quick" ? 5 : 100;
    const work = `${scenarios * attempts} conversations of ${turns} turns`;
    const subject = "rehearsal eval";
    const run = () => converse({ scenarios, attempts }, context);
    const rows = await interleave(work, [{ name: subject, run }], context);
    return {
      rows,
      goals: [
        {
          number: "simulated users",
          what: "CPU ms per turn",
          value: medianOf(rows, { work, subject, metric: "cpu_ms" }),
          sense: "at most",
          limit: 2,
        },
      ],
    };
  },
};

/** Every turn is three calls over HTTP: the simulator's, the agent's with a tool call, and its reply. */
async function converse(
  { scenarios, attempts }: { scenarios: number; attempts: number },
  { scratch, model }: Pick<BenchContext, "scratch" | "model">,
): Promise<Figures> {
  const folder = await mkdtemp(join(scratch, "users-"));
  const config = {
    endpoint: model.at("tool-calculator"),
    model: "fake",
    simulator: { endpoint: model.at(`user-${turns}`), model_id: "fake" },
    attempts,
  };
  await writeFile(join(folder, "rehearsal.yaml"), JSON.stringify(config));
  await writeFile(join(folder, "scenarios.json"), JSON.stringify(Array.from({ length: scenarios }, scenarioAt)));
  const ended = await runToEnd(
    {
      arguments: [commandLine, "eval", "scenarios.json", "-j", "32", "--json"],
      environment: { ...benchSettings, REHEARSAL_DATA_DIR: join(folder, "data") },
      folder,
    },
    { limitMs: 600_000 },
  );
  if (ended.exitCode !== 0) throw new Error(`rehearsal eval ended with ${ended.exitCode}: ${ended.errors.slice(-300)}`);
  const { runs } = JSON.parse(ended.output) as { runs: [EvaluationResponse] };
  const { summary } = runs[0];
  const outcome = summary.simulated_users?.scores_with_failures?.["outcome"];
  if (summary.interactions !== scenarios * attempts * turns || outcome !== 1)
    throw new Error(`${summary.interactions} turns, of which ${outcome} ended as they should`);
  return {
    wall_s: ended.wallSeconds,
    cpu_ms: (ended.cpuSeconds * 1000) / summary.interactions,
    peak_mb: ended.peakMegabytes,
  };
}

function scenarioAt(_: unknown, index: number) {
  const parameters = { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] };
  const answers = [{ set: { "/log/-": { $argument: "expression" } }, result: { ok: true } }];
  return {
    id: `scenario-${index}`,
    world: { state: { log: [] }, tools: [{ name: "calculator", parameters, answers }] },
    user: { goal: "Write numbers into the log.", knows: { name: "Ada" }, max_turns: turns + 1 },
    expect: { must_call: ["calculator"], state: { "/log": Array.from({ length: turns }, () => "6*7") } },
  };
}
