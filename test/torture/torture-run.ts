import { randomUUIDv7 } from "node:crypto";
import type { RunSettings } from "../../src/contract/schemas/evaluation-request.ts";
import { withUserTurns } from "../../src/evaluation/simulation/attempt-user.ts";
import type { World } from "../../src/contract/schemas/acting/world.ts";
import type { NewRun } from "../../src/contract/ports/store.ts";
import { agentAt, worldHeader } from "./foreign-agent.ts";
import { sampleInteraction, sampleRun } from "../conformance/sample-runs.ts";

/** A run whose every user message names its place, so that the endpoint knows which turn a call belongs to. */
export function tortureRun({
  id,
  endpoint,
  scenarios,
  turns,
  settings,
  world,
  simulated = false,
  foreign = false,
}: {
  id: string;
  endpoint: string;
  scenarios: number;
  turns: number;
  settings?: Partial<RunSettings>;
  world?: World;
  /** True: a simulated user writes the messages of all turns. */
  simulated?: boolean;
  /** True: an agent with a tool loop of its own acts in the world. */
  foreign?: boolean;
}): NewRun {
  const simulator = simulated ? { simulator: { endpoint, model_id: "user" } } : {};
  const agent = foreign
    ? { protocol: "agent" as const, endpoint: agentAt(endpoint), world_address: { header: worldHeader } }
    : {};
  return sampleRun({
    id,
    created_at: Date.now(),
    settings: { endpoint, test_name: id, ...simulator, ...agent, ...settings },
    scenarios: Array.from({ length: scenarios }, (_, scenario) => {
      const name = `${id} s${scenario}`;
      return withUserTurns({
        id: `s${scenario}`,
        description: "",
        tags: [],
        ...(world && { world }),
        ...(simulated && { user: { goal: `${name} of ${turns}`, max_turns: turns + 2 } }),
        interactions: simulated
          ? []
          : turnNames(name, turns).map((user_message, turn) => sampleInteraction({ id: `t${turn}`, user_message })),
      });
    }),
  });
}

/** The user messages of a scenario, without the number that a simulator adds. */
export function turnNames(name: string, turns: number): string[] {
  return Array.from({ length: turns }, (_, turn) => `${name} t${turn}`);
}

/** A world that keeps every step that was written into it, in order. */
export const logbook: World = {
  state: { log: [] },
  tools: [
    {
      name: "write",
      description: "",
      parameters: { type: "object", properties: { step: { type: "string" } }, required: ["step"] },
      answers: [{ set: { "/log/-": { $argument: "step" } }, result: { $state: "/log" } }],
    },
  ],
};

/** A run whose 48 replies, long ones, fill a small disk. */
export function diskFillingRun(): NewRun {
  const endpoint = "http://model.test";
  return tortureRun({ id: randomUUIDv7(), endpoint, scenarios: 12, turns: 4, settings: { scorers: ["success"] } });
}
