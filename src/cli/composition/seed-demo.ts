import { compact } from "../../base/compact.ts";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { z } from "zod";
import type { Rubric } from "../../contract/schemas/judging/judge.ts";
import { ScenarioInput } from "../../contract/schemas/scenario.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import type { PlanHelpers } from "../../runs/plan/option-problems.ts";
import { planRun } from "../../runs/plan/plan-run.ts";
import type { Runs } from "../../runs/runs.ts";
import type { ScenarioLibrary } from "../../runs/scenario-library.ts";
import { demoJudgeId } from "../../models/demo/demo-judge.ts";
import { demoStudioIds } from "../../models/demo/demo-models.ts";
import type { Settings } from "../../settings.ts";

const examplesFolder = new URL("../../../examples/scenarios/", import.meta.url);
const agentFolder = new URL("../../../examples/agent/", import.meta.url);

/**
 * Fills an empty store with the example scenarios and two runs of each demo support model, one of replies and one of an agent
 * that acts on orders and is judged, so that there is a failing reply and a wrong call to read and a comparison to make. A store
 * with a run or a scenario stays unchanged, and no run is created that could only fail.
 */
export async function seedDemo({
  runs,
  helpers,
  library,
  agentUrl,
  needsKey,
  settings: { endpointPolicy, limits },
}: {
  runs: Runs;
  helpers: PlanHelpers;
  library: ScenarioLibrary;
  agentUrl: string;
  needsKey: boolean;
  settings: Pick<Settings, "endpointPolicy" | "limits">;
}): Promise<void> {
  const [anyRun, anyScenario] = await Promise.all([runs.list({ limit: 1, owner: null }), library.list({ limit: 1 })]);
  if (anyRun.runs.length > 0 || anyScenario.scenarios.length > 0) return;

  const [replies, desk] = await Promise.all([readExamples(), readAgentExample()]);
  await library.keep([...replies, ...desk.scenarios], { demo: true });
  if (needsKey || endpointPolicy.mode !== "local") return;
  const shared = {
    endpoint: agentUrl,
    attempts: 3,
    // One attempt at a time: the demo's mistakes then fall on the same attempts on every start.
    concurrency: 1,
    on_failure: "continue" as const,
    tags: ["example"],
    metadata: {},
  };
  const create = async (request: object, name: string): Promise<void> => {
    const plan = planRun(EvaluationRequest.parse(request), limits, helpers);
    // Two services that start at the same time both find an empty store.
    const idempotency = { key: `rehearsal ${name}`, hash: "example" };
    await runs.create(plan, { warnings: [], owner: null, idempotency });
  };
  for (const model_id of Object.values(demoStudioIds)) {
    // Runs of both models share a name, so that the list shows them as one test over time.
    const tests = [
      {
        settings: { ...shared, test_name: "example support desk", protocol: "agent", model_id },
        scenarios: replies,
      },
      {
        settings: compact({
          ...shared,
          test_name: "example order desk",
          protocol: "openai-chat",
          model_id,
          system_prompt: desk.system_prompt,
          judge: { endpoint: `${agentUrl}/demo/v1`, model_id: demoJudgeId, rubrics: [clarity] },
        }),
        scenarios: desk.scenarios,
      },
    ];
    for (const { settings, scenarios } of tests) {
      await create({ ...settings, test_batch: scenarios }, `${settings.test_name} ${model_id}`);
    }
  }
  const { test_name, ...simulated } = await readSimulatedUser();
  await create({ ...shared, ...simulated, test_name, endpoint: `${agentUrl}/demo/v1` }, test_name);
}

/** A conversation that a demo model holds as the user, in a world of orders. */
async function readSimulatedUser() {
  const text = await readFile(fileURLToPath(new URL("../worlds/simulated-user.yaml", examplesFolder)), "utf8");
  return {
    test_name: "example simulated user",
    protocol: "openai-chat",
    model_id: demoStudioIds["demo-support-v2"],
    test_batch: [ScenarioInput.parse(parse(text))],
  };
}

type ExampleScenario = z.output<typeof ScenarioInput>;

const clarity: Rubric = {
  name: "clear",
  text: "Does the reply say clearly what was done with the order, or why nothing was?",
  weight: 1,
};

/** The agent example as `rehearsal init` writes it. Each scenario gets the world, so that it can be run by itself. */
async function readAgentExample(): Promise<{ scenarios: ExampleScenario[]; system_prompt?: string | undefined }> {
  const read = (name: string): Promise<string> => readFile(fileURLToPath(new URL(name, agentFolder)), "utf8");
  const config = parse(await read("rehearsal.yaml")) as { world: unknown; system_prompt?: string };
  const names = (await readdir(new URL("scenarios/", agentFolder))).toSorted();
  const scenarios = names.map(async (name) =>
    ScenarioInput.parse({ ...(parse(await read(`scenarios/${name}`)) as object), world: config.world }),
  );
  return { scenarios: await Promise.all(scenarios), system_prompt: config.system_prompt };
}

async function readExamples() {
  const names = (await readdir(examplesFolder)).filter((name) => name.endsWith(".json")).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(fileURLToPath(new URL(name, examplesFolder)), "utf8");
      return ScenarioInput.parse(JSON.parse(text));
    }),
  );
}
