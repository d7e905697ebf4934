import type { RecordedToolCall, ReferenceToolCall } from "../../src/contract/schemas/acting/tool-call.ts";
import type { WorldTool } from "../../src/contract/schemas/acting/world.ts";
import { createProbes } from "../../src/evaluation/tools/probes.ts";
import { scoreCalls } from "../../src/evaluation/tools/score-calls.ts";

/**
 * Scores the tool calls of so many turns: five calls each, matchers among the expected arguments, one wrong argument, and tools with
 * schemas. Prints what it took as JSON.
 */

const turns = Number(process.argv[2] ?? 10_000);
const probes = createProbes(async () => null);
const { signal } = new AbortController();
const names = ["find_customer", "get_order", "get_order", "cancel_order", "send_email"] as const;
const tools: WorldTool[] = [...new Set(names)].map((name) => ({
  name,
  description: "",
  parameters: {
    type: "object",
    properties: { order_id: { type: "string" }, amount: { type: "number" }, note: { type: "string" } },
    required: ["order_id"],
  },
}));

const references = names.map((name, index): ReferenceToolCall => ({
  name,
  arguments: {
    order_id: `10${index}`,
    amount: { $number: { value: 25, tolerance: 0.5 } },
    items: [{ sku: `a-${index}`, quantity: index }],
    note: { $one_of: [{ $text: "as asked" }, { $absent: true }] },
    email: { $regex: "^[a-z]+@example\\.com$" },
  },
}));

function callsOf(turn: number): RecordedToolCall[] {
  return names.map((name, index) => ({
    id: `${turn}-${index}`,
    name,
    arguments: {
      email: "ann@example.com",
      order_id: turn % 2 === 0 && index === 3 ? "999" : `10${index}`,
      amount: 25.2,
      items: [{ quantity: index, sku: `a-${index}` }],
      ...(index % 2 === 0 && { note: "As  asked" }),
    },
  }));
}

// A few turns again and again: a heap full of calls would measure the collector.
const given = Array.from({ length: 100 }, (_, turn) => callsOf(turn));
const began = performance.now();
const used = process.cpuUsage();
let right = 0;
for (let turn = 0; turn < turns; turn++) {
  const calls = given[turn % given.length] ?? [];
  const scores = await scoreCalls({ references, calls, tools: { tools }, probes, signal });
  right += scores.find(({ name }) => name === "tool_match")?.value ?? 0;
}
if (right !== Math.floor(turns / 2)) throw new Error(`${right} turns are right`);
const { user, system } = process.cpuUsage(used);
process.stdout.write(
  `${JSON.stringify({ cpuSeconds: (user + system) / 1e6, wallSeconds: (performance.now() - began) / 1000 })}\n`,
);
