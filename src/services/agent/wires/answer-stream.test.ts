import { expect, test } from "vitest";
import type { AgentListener } from "../../../agent/loop/agent-outcome.ts";
import type { Turn } from "../turns/turn.ts";
import { untilFirstOutput } from "./answer-stream.ts";

const forever = 2 ** 31 - 1;

/** A turn that never ends, with a function that emits its events. */
function openTurn() {
  const listeners = new Set<AgentListener>();
  const turn = {
    outcome: new Promise(() => {}),
    listen(listener: AgentListener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Turn;
  return { turn, tell: (event: Parameters<AgentListener>[0]) => listeners.forEach((listener) => listener(event)) };
}

const used = { type: "tool-start", tool_call: { id: "1", name: "slow", args: {} } } as const;

test("counts a tool call as output only on wires that show tools", async () => {
  const { turn, tell } = openTurn();
  const reached: string[] = [];
  void untilFirstOutput(turn, { patienceMs: forever }).then(() => reached.push("text"));
  const tools = untilFirstOutput(turn, { showsTools: true, patienceMs: forever }).then(() => reached.push("tools"));
  tell(used);
  await tools;
  expect(reached).toEqual(["tools"]);
});
