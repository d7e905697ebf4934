import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { ChatMessage, ChatModel, Reply } from "../../contract/ports/chat-model.ts";
import { ScenarioInput } from "../../contract/schemas/scenario.ts";
import { demoFingerprint } from "./demo-model.ts";
import { createDemo, demoStudioIds } from "./demo-models.ts";

type Turns = ReturnType<typeof ScenarioInput.parse>["interactions"];

const { signal } = new AbortController();
const folder = new URL("../../../examples/scenarios/", import.meta.url);
const files = (await readdir(folder)).filter((name) => name.endsWith(".json"));
const scenarios = await Promise.all(
  files.map(async (name) => ScenarioInput.parse(JSON.parse(await readFile(new URL(name, folder), "utf8")))),
);

function modelOf(id: string, demo = createDemo({ seed: 1 })): ChatModel {
  const model = demo.hub[id] ?? Object.values(demo.studio).find((entry) => entry.id === id)?.model;
  if (!model) throw new Error(`no demo model ${id}`);
  return model;
}

/** One attempt: each turn sees the replies that came before it. */
async function rehearse(model: ChatModel, turns: Turns): Promise<Reply[]> {
  const messages: ChatMessage[] = [];
  const replies: Reply[] = [];
  for (const { user_message } of turns) {
    messages.push({ role: "user", content: user_message });
    const reply = await model({ messages: [...messages] }, { signal });
    replies.push(reply);
    if (reply.ok) messages.push({ role: "assistant", content: reply.text });
  }
  return replies;
}

function tokens(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** F1 of the words two texts share. */
function overlap(reply: string, reference: string): number {
  const [given, expected] = [tokens(reply), tokens(reference)];
  const left = [...expected];
  const shared = given.filter((token) => {
    const index = left.indexOf(token);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
  return (2 * shared.length) / (given.length + expected.length);
}

async function scoreOf(model: ChatModel, turns: Turns): Promise<number> {
  const replies = await rehearse(model, turns);
  const scores = turns.map(({ reference_reply }, index) => {
    const reply = replies[index];
    return reply?.ok ? overlap(reply.text, reference_reply) : 0;
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

test("there are examples, each with its own id in its file name, references and labels", () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(6);
  expect(scenarios.map(({ id }) => `${id}.json`)).toEqual(files);
  for (const { interactions } of scenarios) {
    expect(new Set(interactions.map(({ id }) => id)).size).toBe(interactions.length);
    for (const { reference_reply, reference_metadata } of interactions) {
      expect(reference_reply).not.toBe("");
      expect(Object.keys(reference_metadata)).toEqual(["intent", "sentiment"]);
    }
  }
});

const attempts = 12;

/** Score of each attempt, by scenario. */
async function scoresOf(id: string): Promise<Map<string, number[]>> {
  const model = modelOf(id);
  const scores = new Map<string, number[]>();
  for (const scenario of scenarios) {
    const ofScenario: number[] = [];
    for (let attempt = 0; attempt < attempts; attempt += 1)
      ofScenario.push(await scoreOf(model, scenario.interactions));
    scores.set(scenario.id, ofScenario);
  }
  return scores;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test("demo-support-v2 is clearly better than demo-support-v1, save where both fail on purpose", async () => {
  const first = await scoresOf(demoStudioIds["demo-support-v1"]);
  const second = await scoresOf(demoStudioIds["demo-support-v2"]);
  const gain = (id: string) => mean(second.get(id) ?? []) - mean(first.get(id) ?? []);
  const notBetter = scenarios.map(({ id }) => id).filter((id) => !(gain(id) > 0.2));
  expect(notBetter).toEqual(["kettle-warranty"]);
  expect(mean([...second.values()].flat())).toBeGreaterThan(mean([...first.values()].flat()) + 0.3);
});

test("demo-support-v2 passes most scenarios, fails one and is undecided about one", async () => {
  const scores = [...(await scoresOf(demoStudioIds["demo-support-v2"]))];
  const passing = scores.filter(([, values]) => values.every((value) => value > 0.85));
  const failing = scores.filter(([, values]) => values.every((value) => value < 0.5));
  const undecided = scores.filter(([, values]) => new Set(values).size > 1);
  expect(passing).toHaveLength(scenarios.length - 2);
  expect(failing.map(([id]) => id)).toEqual(["kettle-warranty"]);
  expect(undecided.map(([id]) => id)).toEqual(["discount-code"]);
});

test("demo-support-v1 makes the mistakes it is there for", async () => {
  const turns = scenarios.find(({ id }) => id === "late-birthday-parcel")?.interactions ?? [];
  const replies = await rehearse(modelOf(demoStudioIds["demo-support-v1"]), turns);
  expect(replies.at(-1)).toMatchObject({ text: "Yes. What is your order number?" });
});

test("demo-support-v2 labels its replies, the others leave that to the evaluation", async () => {
  const messages: ChatMessage[] = [{ role: "user", content: "Hello!" }];
  const labelled = await modelOf(demoStudioIds["demo-support-v2"])({ messages }, { signal });
  expect(labelled).toMatchObject({ metadata: { intent: "greeting", sentiment: "positive" } });
  for (const id of ["demo/retrieval", "demo/scripted", demoStudioIds["demo-support-v1"]]) {
    expect(await modelOf(id)({ messages }, { signal })).toMatchObject({ metadata: null });
  }
});

test("demo/flaky differs between attempts, demo/scripted does not", async () => {
  const turns = scenarios.flatMap(({ interactions }) => interactions.slice(0, 1));
  const textsOf = async (id: string) => {
    const model = modelOf(id);
    const attempts = await Promise.all([0, 1, 2, 3].map(() => rehearse(model, turns)));
    return attempts.map((replies) => replies.map((reply) => (reply.ok ? reply.text : "failed")).join("\n"));
  };
  expect(new Set(await textsOf("demo/flaky")).size).toBe(4);
  expect(new Set(await textsOf("demo/scripted")).size).toBe(1);
});

test("a fixed seed repeats a whole rehearsal; without one, processes differ", async () => {
  const turns = scenarios.flatMap(({ interactions }) => interactions);
  const textsOf = async (demo = createDemo()) => {
    const replies = await rehearse(modelOf("demo/flaky", demo), turns);
    return replies.map((reply) => (reply.ok ? reply.text : reply.error.code));
  };
  expect(await textsOf(createDemo({ seed: 5 }))).toEqual(await textsOf(createDemo({ seed: 5 })));
  expect(await textsOf()).not.toEqual(await textsOf());
});

test("every demo answer carries the fingerprint, its model and an id of its own", async () => {
  const demo = createDemo({ seed: 1 });
  const turns = scenarios.flatMap(({ interactions }) => interactions);
  const completionIds: string[] = [];
  for (const id of demo.ids) {
    for (const reply of await rehearse(modelOf(id, demo), turns)) {
      if (!reply.ok) continue;
      expect(reply).toMatchObject({ system_fingerprint: demoFingerprint, model: id });
      expect(reply.usage?.total_tokens).toBeGreaterThan(0);
      completionIds.push(reply.completion_id);
    }
  }
  expect(completionIds.length).toBeGreaterThan(4 * turns.length);
  expect(new Set(completionIds).size).toBe(completionIds.length);
});
