import { expect, test } from "vitest";
import type { AgentListener } from "../../../agent/loop/agent-outcome.ts";
import type { Turn } from "../turns/turn.ts";
import { untilFirstWord } from "./first-word.ts";

const forGood = 2 ** 31 - 1;

/** A turn that never ends and that tells what it is told to. */
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

test("a tool that is used is a word where the wire shows tools, and only there", async () => {
  const { turn, tell } = openTurn();
  const told: string[] = [];
  void untilFirstWord(turn, { patienceMs: forGood }).then(() => told.push("words"));
  const tools = untilFirstWord(turn, { showsTools: true, patienceMs: forGood }).then(() => told.push("tools"));
  tell(used);
  await tools;
  expect(told).toEqual(["tools"]);
});
