import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { ScenarioInput } from "../../contract/schemas/scenario.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { scenarioFromInput } from "../../runs/plan/plan-run.ts";
import type { Runs } from "../../runs/runs.ts";
import type { ScenarioLibrary } from "../../runs/scenario-library.ts";
import { demoStudioIds } from "../../models/demo/demo-models.ts";
import type { Settings } from "../../settings.ts";

const examplesFolder = new URL("../../../examples/scenarios/", import.meta.url);

/**
 * Fills an empty store with the example scenarios and one run of each demo support model, so that there is a failing reply
 * to read and a comparison to make. A store with a run or a scenario stays unchanged, and no run is created that could
 * only fail.
 */
export async function seedDemo({
  runs,
  library,
  agentUrl,
  needsKey,
  settings: { endpointPolicy },
}: {
  runs: Runs;
  library: ScenarioLibrary;
  agentUrl: string;
  needsKey: boolean;
  settings: Pick<Settings, "endpointPolicy">;
}): Promise<void> {
  const [anyRun, anyScenario] = await Promise.all([runs.list({ limit: 1, owner: null }), library.list({ limit: 1 })]);
  if (anyRun.runs.length > 0 || anyScenario.scenarios.length > 0) return;

  const examples = await readExamples();
  await library.keep(examples, { demo: true });
  if (needsKey || endpointPolicy.mode !== "local") return;
  const scenarios = examples.map(scenarioFromInput);
  for (const model_id of Object.values(demoStudioIds)) {
    const settings: RunSettings = {
      // Both runs share a name, so that the list shows them as one test over time.
      test_name: "example support desk",
      endpoint: agentUrl,
      protocol: "agent",
      model_id,
      attempts: 3,
      on_failure: "continue",
      tags: ["example"],
      metadata: {},
    };
    // Two services that start at the same time both find an empty store.
    const idempotency = { key: `rehearsal example ${model_id}`, hash: "example" };
    await runs.create({ ...settings, scenarios }, { warnings: [], owner: null, idempotency });
  }
  await seedSimulatedUser(runs, `${agentUrl}/demo/v1`);
}

/** A conversation that a demo model holds as the user, in a world of orders. */
async function seedSimulatedUser(runs: Runs, agentUrl: string): Promise<void> {
  const text = await readFile(fileURLToPath(new URL("../worlds/simulated-user.yaml", examplesFolder)), "utf8");
  const settings: RunSettings = {
    test_name: "example simulated user",
    endpoint: agentUrl,
    protocol: "openai-chat",
    model_id: demoStudioIds["demo-support-v2"],
    attempts: 3,
    on_failure: "continue",
    tags: ["example"],
    metadata: {},
  };
  const scenarios = [scenarioFromInput(ScenarioInput.parse(parse(text)))];
  const idempotency = { key: "rehearsal example simulated user", hash: "example" };
  await runs.create({ ...settings, scenarios }, { warnings: [], owner: null, idempotency });
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
