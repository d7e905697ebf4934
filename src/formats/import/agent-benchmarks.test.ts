import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importScenarios } from "../import-scenarios.ts";

const lines = (...items: readonly object[]) => items.map((item) => JSON.stringify(item)).join("\n");
const user = (content: string) => ({ role: "user", content });

const area = {
  id: "simple_0",
  question: [[user("Area of a triangle, base 10, height 5?")]],
  function: [
    {
      name: "area",
      description: "Area.",
      parameters: {
        type: "dict",
        properties: { base: { type: "float" }, unit: { type: "String" } },
        required: ["base"],
      },
    },
  ],
};
const files = {
  id: "multi_turn_0",
  question: [[user("Go to docs")], [user("Sort it")]],
  involved_classes: ["FileSystem"],
};

test("keeps the turns of BFCL, and its functions as tools", () => {
  const { format, scenarios, notes } = importScenarios({ text: lines(area, files) });
  expect(format).toBe("bfcl");
  expect(scenarios).toMatchObject([
    {
      id: "simple_0",
      interactions: [{ user_message: "Area of a triangle, base 10, height 5?" }],
      world: {
        tools: [
          {
            name: "area",
            parameters: { type: "object", properties: { base: { type: "number" }, unit: { type: "string" } } },
            answers: [{}],
          },
        ],
      },
    },
    {
      id: "multi_turn_0",
      metadata: { involved_classes: ["FileSystem"] },
      interactions: [{ user_message: "Go to docs" }, { user_message: "Sort it" }],
    },
  ]);
  expect(scenarios[0]?.interactions[0]).not.toHaveProperty("reference_tool_calls");
  expect(notes.map(({ message }) => message)).toContain(
    "the results of the tools are unknown: in the world, every call answers { ok: true }",
  );
});

test("expects the possible answers of BFCL in a file beside the questions", () => {
  const answers = lines(
    { id: "simple_0", ground_truth: [{ area: { base: [10, 10.0], unit: ["units", ""], box: [{ side: [1, 2] }] } }] },
    { id: "multi_turn_0", ground_truth: [["cd(folder='a, \\'b\\'')", "ls()"], ["sort('x.txt')"]] },
  );
  const beside = [{ name: "answers.json", text: answers }];
  const irrelevant = { ...area, id: "irrelevance_3" };
  const { scenarios } = importScenarios({ text: lines(area, files, irrelevant), beside });
  expect(scenarios.map(({ interactions }) => interactions.map((turn) => turn.reference_tool_calls))).toEqual([
    [
      [
        {
          name: "area",
          arguments: {
            base: { $one_of: [10, 10] },
            unit: { $one_of: ["units", { $absent: true }] },
            box: { side: { $one_of: [1, 2] } },
          },
        },
      ],
    ],
    [
      [
        { name: "cd", arguments: { folder: "a, 'b'" } },
        { name: "ls", arguments: {} },
      ],
      [{ name: "sort" }],
    ],
    [[]],
  ]);
  expect(scenarios[0]?.tool_matching).toEqual({ text: "loose", extra: "forbid" });
  expect(() => importScenarios({ text: answers })).toThrow("import both files with one command");
});

const trajectory = (reward: number) => ({
  task_id: 3,
  trial: 1,
  reward,
  info: {
    task: {
      user_id: "u",
      instruction: "You want out.",
      actions: [{ name: "cancel", kwargs: { id: "R1" } }],
      outputs: ["327"],
    },
  },
  traj: [
    { role: "system", content: "Policy" },
    user("Cancel R1"),
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "cancel", arguments: '{"id": "R1"}' } }],
    },
    { role: "tool", tool_call_id: "c", name: "cancel", content: '{"ok": true}' },
    { role: "assistant", content: "Done, 327 back." },
    user("###STOP###"),
  ],
});

test("reads tau-bench: successful trajectories are references, failed ones only a world", () => {
  const { format, scenarios } = importScenarios({ text: JSON.stringify([trajectory(1)]) });
  expect(format).toBe("tau-bench");
  expect(scenarios).toMatchObject([
    {
      id: "task-3-trial-1",
      description: "You want out.",
      system_prompt: "Policy",
      metadata: { reward: 1, task: { actions: [{ name: "cancel", kwargs: { id: "R1" } }] } },
      expect: { said: ["327"] },
      interactions: [
        {
          user_message: "Cancel R1",
          reference_reply: "Done, 327 back.",
          reference_tool_calls: [{ name: "cancel", arguments: { id: "R1" } }],
        },
      ],
      world: { recorded: [{ name: "cancel", arguments: { id: "R1" }, result: { ok: true } }] },
    },
  ]);
  const failed = importScenarios({ text: JSON.stringify([trajectory(0)]) });
  expect(failed.scenarios[0]?.interactions).toMatchObject([{ reference_reply: "", agent_reply: "Done, 327 back." }]);
  expect(failed.notes.map(({ subject }) => subject)).toContain(
    "failed conversations, whose replies and tool calls are not references",
  );
});

test("reads tau2-bench simulations", () => {
  const { traj, info } = trajectory(1);
  const tasks = [{ id: "3", description: { purpose: "x" }, evaluation_criteria: info.task }];
  const simulations = [{ id: "sim", task_id: "3", trial: 0, reward_info: { reward: 0.0 }, messages: traj.slice(1, 5) }];
  const { format, scenarios } = importScenarios({ text: JSON.stringify({ info: {}, tasks, simulations }) });
  expect(format).toBe("tau-bench");
  expect(scenarios).toMatchObject([
    { id: "task-3-trial-0", interactions: [{ reference_reply: "", agent_reply: "Done, 327 back." }] },
  ]);
});

const shared = join(import.meta.dirname, "../../../../shared/data/tau-bench-airline/gpt-4o-trajectories.json");

test.skipIf(!existsSync(shared))("reads all recorded conversations of tau-bench", () => {
  const { scenarios } = importScenarios({ text: readFileSync(shared, "utf8"), name: "trajectories.json" });
  expect(scenarios).toHaveLength(200);
  expect(scenarios.filter(({ metadata }) => metadata?.["reward"] === 1)).toHaveLength(84);
  expect(scenarios.reduce((sum, { world }) => sum + (world?.recorded?.length ?? 0), 0)).toBe(1164);
});

test("reads Taskmaster and the Schema-Guided Dialogue dataset turn by turn, with service calls", () => {
  const taskmaster = {
    conversation_id: "dlg-1",
    instruction_id: "pizza-1",
    utterances: [
      { index: 0, speaker: "USER", text: "A table, please.", segments: [{ text: "table" }] },
      { index: 1, speaker: "ASSISTANT", text: "Where?" },
      { index: 2, speaker: "USER", text: "Downtown." },
      {
        index: 3,
        speaker: "ASSISTANT",
        text: "Booked.",
        apis: [{ name: "book", args: { place: "downtown" }, response: { ok: true } }],
      },
    ],
  };
  const schemaGuided = {
    dialogue_id: "1_0",
    services: ["Restaurants_1"],
    turns: [
      { speaker: "USER", utterance: "A table, please.", frames: [{ service: "Restaurants_1" }] },
      { speaker: "SYSTEM", utterance: "Where?", frames: [] },
      { speaker: "USER", utterance: "Downtown.", frames: [] },
      {
        speaker: "SYSTEM",
        utterance: "Booked.",
        frames: [
          { service_call: { method: "book", parameters: { place: "downtown" } }, service_results: [{ ok: true }] },
        ],
      },
    ],
  };
  for (const [file, id, result] of [
    [taskmaster, "dlg-1", { ok: true }],
    [schemaGuided, "1_0", [{ ok: true }]],
  ] as const) {
    const { format, scenarios } = importScenarios({ text: JSON.stringify([file]) });
    expect(format).toBe("dialogues");
    expect(scenarios).toMatchObject([
      {
        id,
        interactions: [
          { user_message: "A table, please.", reference_reply: "Where?" },
          {
            user_message: "Downtown.",
            reference_reply: "Booked.",
            reference_tool_calls: [{ name: "book", arguments: { place: "downtown" } }],
          },
        ],
        world: { recorded: [{ name: "book", arguments: { place: "downtown" }, result }] },
      },
    ]);
  }
});
