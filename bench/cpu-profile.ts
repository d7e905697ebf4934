import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startFakeModel } from "./fake-model/start-fake-model.ts";
import { sourceCommandLine, startRehearsal, type Rehearsal } from "./harness/rehearsal.ts";
import { runLoad } from "./load/closed-loop.ts";
import { toEvaluationRequest } from "./load/evaluation-request.ts";
import { postEvaluation } from "./load/post-evaluation.ts";
import { summarizeProfile, type Profile } from "./report/summarize-profile.ts";

/**
 * node bench/cpu-profile.ts [evaluate | agent | agent-tool | stream] [amount] [--write-docs]: runs a workload in a service
 * that records its processor time, and prints where the time went. `amount` is interactions, or seconds of load. The service
 * runs from its sources, so that places have their names.
 */
const recorder = new URL("harness/record-profile.mjs", import.meta.url).href;
const { values, positionals } = parseArgs({
  options: { "write-docs": { type: "boolean", default: false } },
  allowPositionals: true,
});
const [name = "evaluate", amountText] = positionals;

interface Work {
  readonly settings: readonly string[];
  readonly amount: number;
  run(service: Rehearsal, options: { endpoint: string; amount: number }): Promise<void>;
}

const agentLoad: Work["run"] = (service, { amount: seconds }) =>
  load(service, {
    path: "/",
    seconds,
    body: { messages: [{ type: "human", content: "What is six times seven?" }] },
  });

const workloads: Readonly<Record<string, Work>> = {
  evaluate: {
    settings: ["latency-0"],
    amount: 5_000,
    async run({ evaluation }, { endpoint, amount }) {
      // No more scenarios than one request may bring.
      const scenarios = Math.min(amount, 1_000);
      const workload = { scenarios, turns: 1, attempts: Math.ceil(amount / scenarios) };
      await postEvaluation(evaluation, toEvaluationRequest(workload, { endpoint }));
    },
  },
  agent: { settings: ["latency-0"], amount: 5, run: agentLoad },
  "agent-tool": { settings: ["tool-calculator"], amount: 5, run: agentLoad },
  stream: {
    settings: ["chunks-200"],
    amount: 5,
    run: (service, { amount: seconds }) =>
      load(service, {
        path: "/v1/chat/completions",
        seconds,
        body: { model: "bench/fake", stream: true, messages: [{ role: "user", content: "Tell me more" }] },
      }),
  },
};

async function load(
  { agent }: Rehearsal,
  { path, seconds, body }: { path: string; seconds: number; body: object },
): Promise<void> {
  const headers = { "x-model-id": "bench/fake" };
  await runLoad({ url: agent, path, headers, body: JSON.stringify(body), connections: 16, seconds });
}

const work = workloads[name];
if (!work) throw new Error(`There is no workload ${name}. There are: ${Object.keys(workloads).join(", ")}`);
const scratch = await mkdtemp(join(tmpdir(), "rehearsal-profile-"));
const model = await startFakeModel();
try {
  const endpoint = model.at(...work.settings);
  const amount = Number(amountText ?? work.amount);
  const service = await startRehearsal({
    scratch,
    environment: { HUB_BASE_URL: endpoint },
    program: sourceCommandLine,
    node: ["--import", recorder],
    hears: true,
  });
  try {
    // Code that has just been loaded is slow everywhere, which would hide what is slow for good.
    await work.run(service, { endpoint, amount: Math.ceil(amount / 3) });
    await service.send("start");
    await work.run(service, { endpoint, amount });
    const profile = (await service.send("stop")) as Profile;
    const summary = `${name}\n${summarizeProfile(profile)}\n`;
    process.stdout.write(summary);
    if (values["write-docs"]) {
      await writeFile(fileURLToPath(new URL(`../docs/benchmarks/profile-${name}.txt`, import.meta.url)), summary);
    }
  } finally {
    await service.stop();
  }
} finally {
  await model.process.stop();
  await rm(scratch, { recursive: true, force: true });
}
