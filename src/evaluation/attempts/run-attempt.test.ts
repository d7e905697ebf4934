import { expect, test } from "vitest";
import { ServiceError, type ErrorCode } from "../../contract/errors/errors.ts";
import type { ChatMessage, ChatModel, Reply } from "../../contract/ports/chat-model.ts";
import { worldEntries, type JournalEntry } from "../../contract/ports/journal.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import { Interaction, type Scenario } from "../../contract/schemas/scenario.ts";
import { World } from "../../contract/schemas/acting/world.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { runAttempt, type AttemptOptions, type AttemptWorld } from "./run-attempt.ts";
import { toStoredReply } from "../conversation/stored-reply.ts";
import { createProbes } from "../tools/probes.ts";
import { prepareWorld } from "../world/world.ts";

const signal = new AbortController().signal;

function scenarioOf(...turns: (string | [user: string, reference: string])[]): Scenario {
  const interactions = turns.map((turn, index) => {
    const [user_message, reference_reply] = typeof turn === "string" ? [turn, ""] : turn;
    return Interaction.parse({ id: `turn-${index}`, user_message, reference_reply, interaction_type: "opening" });
  });
  return { id: "scenario", description: "", tags: [], interactions };
}

function failed(code: ErrorCode): Reply {
  return { ok: false, latency_ms: 1, error: { code, detail: "no", upstream_status: 503, tries: 3, retryable: true } };
}

/** Answers in the given order and records its requests. */
function fakeModel(replies: readonly (Reply | string)[]): { model: ChatModel; asked: (readonly ChatMessage[])[] } {
  const asked: (readonly ChatMessage[])[] = [];
  const model: ChatModel = async ({ messages }) => {
    const reply = replies[asked.push(messages) - 1];
    if (reply === undefined) throw new Error("asked too often");
    return typeof reply === "string" ? sampleReply(reply) : reply;
  };
  return { model, asked };
}

async function run(options: Pick<AttemptOptions, "scenario" | "model"> & Partial<AttemptOptions>) {
  const kept: [number, StoredReply][] = [];
  const outcome = await runAttempt({
    onFailure: "continue",
    signal,
    onReply: async (turn, reply) => void kept.push([turn, reply]),
    ...options,
  });
  return { ...outcome, kept, texts: kept.map(([, reply]) => reply.agent_reply) };
}

const contents = (messages: readonly ChatMessage[] | undefined): string[] =>
  (messages ?? []).map(({ role, content }) => `${role}: ${content}`);

test("the model sees the system prompt, its own earlier replies and the turn's message", async () => {
  const { model, asked } = fakeModel(["Hi", "Bye"]);
  const { texts } = await run({ scenario: scenarioOf("hello", "goodbye"), model, systemPrompt: "Be kind." });
  expect(texts).toEqual(["Hi", "Bye"]);
  expect(contents(asked[0])).toEqual(["system: Be kind.", "user: hello"]);
  expect(contents(asked[1])).toEqual(["system: Be kind.", "user: hello", "assistant: Hi", "user: goodbye"]);
});

test("an empty system prompt sends no message, and replaces that of the run", async () => {
  const { model, asked } = fakeModel(["Hi", "Ho"]);
  await run({ scenario: scenarioOf("hello"), model, systemPrompt: "" });
  await run({ scenario: { ...scenarioOf("hello"), system_prompt: "" }, model, systemPrompt: "Be kind." });
  expect(asked.map(contents)).toEqual([["user: hello"], ["user: hello"]]);
});

test("records a failed turn and continues without it", async () => {
  const { model, asked } = fakeModel(["Hi", failed("upstream_error"), "Bye"]);
  const { texts, kept } = await run({ scenario: scenarioOf("one", "two", "three"), model });
  expect(texts).toEqual(["Hi", "Request failed", "Bye"]);
  expect(kept[1]?.[1].error).toEqual({
    code: "upstream_error",
    detail: "no",
    upstream_status: 503,
    tries: 3,
    retryable: true,
  });
  expect(contents(asked[2])).toEqual(["user: one", "assistant: Hi", "user: three"]);
});

test("after a lasting failure the remaining turns fail without a call", async () => {
  const { model, asked } = fakeModel([failed("upstream_auth")]);
  const { texts, kept, completed } = await run({ scenario: scenarioOf("one", "two", "three"), model });
  expect(asked).toHaveLength(1);
  expect(completed).toBe(true);
  expect(texts).toEqual(["Request failed", "Request failed", "Request failed"]);
  expect(kept[2]?.[1]).toMatchObject({ tries: 0, error: { code: "upstream_auth", upstream_status: null, tries: 0 } });
  expect(kept[2]?.[1].error?.detail).toMatch(/^Not called/);
});

test("with on_failure stop, any failure ends the calls", async () => {
  const { model, asked } = fakeModel([failed("upstream_timeout")]);
  const { texts } = await run({ scenario: scenarioOf("one", "two"), model, onFailure: "stop" });
  expect(asked).toHaveLength(1);
  expect(texts).toEqual(["Request failed", "Request failed"]);
});

const long = "x".repeat(8 * 1024 * 1024);

test("once the replies are too long in total, the remaining turns fail without a call", async () => {
  const turns = Array.from({ length: 12 }, (_, index): [string, string] => [`q${index}`, "expected"]);
  const { model, asked } = fakeModel(turns.map(() => long));
  const { kept } = await run({ scenario: scenarioOf(...turns), model, history: "reference", concurrency: 1 });
  expect(asked).toHaveLength(9);
  expect(kept.slice(8).map(([, { agent_reply, error }]) => [agent_reply.length, error?.code])).toEqual([
    [long.length, undefined],
    ...Array.from({ length: 3 }, () => ["Request failed".length, "upstream_reply_too_large"]),
  ]);
});

test("labels of the endpoint count towards the total length", async () => {
  const turns = Array.from({ length: 10 }, (_, index) => `q${index}`);
  const { model, asked } = fakeModel(turns.map(() => sampleReply("a", { metadata: { sources: [long] } })));
  const { kept } = await run({ scenario: scenarioOf(...turns), model });
  expect(asked).toHaveLength(8);
  expect(kept.at(-1)?.[1].error?.code).toBe("upstream_reply_too_large");
});

test("an empty text is a reply and stays in the history", async () => {
  const { model, asked } = fakeModel(["", "Bye"]);
  const { kept } = await run({ scenario: scenarioOf("one", "two"), model });
  expect(kept[0]?.[1]).toMatchObject({ agent_reply: "", error: null });
  expect(contents(asked[1])).toEqual(["user: one", "assistant: ", "user: two"]);
});

test("a refusal is a reply, and so is a tool call", () => {
  const refused = { ...sampleReply(""), refusal: "I can't." } as Reply;
  expect(toStoredReply(refused)).toMatchObject({ agent_reply: "I can't.", error: null });
  expect(toStoredReply(sampleReply("Hi"))).not.toHaveProperty("tool_calls");
  const tool_calls = [
    { id: "1", name: "f", arguments: '{"a":1}' },
    { id: "2", name: "g", arguments: '{"a":' },
    { id: "3", name: "h", arguments: "" },
  ];
  expect(toStoredReply(sampleReply("One moment.", { tool_calls }))).toMatchObject({
    agent_reply: "One moment.",
    error: null,
    tool_calls: [
      { id: "1", name: "f", arguments: { a: 1 } },
      { id: "2", name: "g", arguments: '{"a":', arguments_error: expect.stringContaining("JSON") as string },
      { id: "3", name: "h", arguments: {} },
    ],
  });
  expect(toStoredReply(sampleReply("", { tool_calls }))).toMatchObject({ agent_reply: "", error: null });
});

test("arguments that are too long or too deep are kept in part or as text", () => {
  const stored = toStoredReply(
    sampleReply("", {
      tool_calls: [
        { id: "1", name: "f", arguments: `{"a":"${"x".repeat(10_000_000)}"}` },
        { id: "2", name: "f", arguments: `${"[".repeat(100)}${"]".repeat(100)}` },
      ],
    }),
  );
  const [long, deep] = stored.tool_calls ?? [];
  expect(JSON.stringify(long).length).toBeLessThan(20_000);
  expect(long?.arguments_error).toContain("10000008 characters");
  expect(deep).toMatchObject({
    arguments: expect.stringContaining("[[[") as string,
    arguments_error: expect.anything(),
  });
});

test("later turns see the calls of a turn without a world, each with a result that says that there is none", async () => {
  const tool_calls = [
    { id: "c1", name: "f", arguments: '{"a":1}' },
    { id: "c2", name: "g", arguments: "{" },
  ];
  const { model, asked } = fakeModel([sampleReply("", { tool_calls }), "Bye"]);
  const { texts } = await run({ scenario: scenarioOf("one", "two"), model });
  expect(texts).toEqual(["", "Bye"]);
  const content = "No result is available: the tool was not run.";
  expect(asked[1]).toEqual([
    { role: "user", content: "one" },
    {
      role: "assistant",
      content: "",
      tool_calls: [
        { id: "c1", name: "f", arguments: '{"a":1}' },
        { id: "c2", name: "g", arguments: "{}" },
      ],
    },
    { role: "tool", tool_call_id: "c1", name: "f", content },
    { role: "tool", tool_call_id: "c2", name: "g", content },
    { role: "user", content: "two" },
  ]);
});

test("calls that an agent answered itself are recorded, and not shown to it again", async () => {
  const reported_calls = [{ id: "c1", name: "f", arguments: "{}", result: "4", ms: 2 }];
  const { model, asked } = fakeModel([sampleReply("Four.", { reported_calls }), "Bye"]);
  const { kept } = await run({ scenario: scenarioOf("one", "two"), model });
  expect(kept[0]?.[1].tool_calls).toEqual([{ id: "c1", name: "f", arguments: {}, result: "4", ms: 2 }]);
  expect(contents(asked[1])).toEqual(["user: one", "assistant: Four.", "user: two"]);
});

test("resumes at the first missing turn with the same conversation", async () => {
  const stored = new Map([
    [0, toStoredReply(sampleReply("Hi"))],
    [1, toStoredReply(failed("upstream_error"))],
  ]);
  const { model, asked } = fakeModel(["Bye"]);
  const { kept, replies } = await run({ scenario: scenarioOf("one", "two", "three"), model, stored });
  expect(contents(asked[0])).toEqual(["user: one", "assistant: Hi", "user: three"]);
  expect(kept.map(([turn]) => turn)).toEqual([2]);
  expect([...replies.keys()]).toEqual([0, 1, 2]);
});

test("resumes in its world: stored changes are applied, and earlier calls are shown with their results", async () => {
  const definition = World.parse({
    state: { log: [] },
    tools: [
      {
        name: "write",
        parameters: { type: "object", properties: { text: {} } },
        answers: [{ set: { "/log/-": { $argument: "text" } }, result: { $state: "/log" } }],
      },
    ],
  });
  const prepared = prepareWorld(definition, { probes: createProbes() });
  const writing = (text: string) =>
    sampleReply("", { tool_calls: [{ id: "c", name: "write", arguments: JSON.stringify({ text }) }] });
  const journal = new Map<number, JournalEntry[]>();
  const world: AttemptWorld = {
    prepared,
    entriesOf: (turn) => worldEntries(journal.get(turn) ?? []),
    append: async (turn, entries) => void journal.set(turn, [...(journal.get(turn) ?? []), ...entries]),
  };
  const scenario = scenarioOf("one", "two");
  const first = await run({ scenario, model: fakeModel([writing("a"), "A"]).model, world, turns: [0] });

  const { model, asked } = fakeModel([writing("b"), "B"]);
  const { replies } = await run({ scenario, model, world, stored: first.replies });
  expect(replies.get(1)?.tool_calls).toMatchObject([{ id: "c_2", result: ["a", "b"] }]);
  expect(contents(asked[1])).toEqual([
    "user: one",
    "assistant: ",
    'tool: ["a"]',
    "assistant: A",
    "user: two",
    "assistant: ",
    'tool: ["a","b"]',
  ]);
});

test("resuming after a lasting failure makes no call", async () => {
  const { model, asked } = fakeModel([]);
  const stored = new Map([[0, toStoredReply(failed("model_not_found"))]]);
  const { texts } = await run({ scenario: scenarioOf("one", "two"), model, stored });
  expect(asked).toEqual([]);
  expect(texts).toEqual(["Request failed"]);
});

test("resuming a finished attempt makes no call", async () => {
  const { model, asked } = fakeModel([]);
  const stored = new Map([[0, toStoredReply(sampleReply("Hi"))]]);
  const { completed } = await run({ scenario: scenarioOf("one"), model, stored });
  expect(completed).toBe(true);
  expect(asked).toEqual([]);
});

test("a lost lease ends the attempt before the next call", async () => {
  const { model, asked } = fakeModel(["Hi"]);
  const { completed } = await run({ scenario: scenarioOf("one", "two"), model, onReply: async () => false });
  expect(completed).toBe(false);
  expect(asked).toHaveLength(1);
});

test("a failing checkpoint rejects the attempt with its error", async () => {
  const { model, asked } = fakeModel(["Hi"]);
  const onReply = async () => {
    throw new Error("disk full");
  };
  await expect(run({ scenario: scenarioOf("one", "two"), model, onReply })).rejects.toThrow("disk full");
  expect(asked).toHaveLength(1);
});

test("an abort rejects with its reason and makes no further call", async () => {
  const controller = new AbortController();
  const model: ChatModel = (_, { signal: given }) =>
    new Promise((_resolve, reject) => {
      given.addEventListener("abort", () => reject(given.reason));
      controller.abort(new Error("stopping"));
    });
  await expect(run({ scenario: scenarioOf("one", "two"), model, signal: controller.signal })).rejects.toThrow(
    "stopping",
  );
});

test("with reference history every turn sees the expected replies and runs concurrently", async () => {
  const asked: string[][] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const model: ChatModel = async ({ messages }) => {
    if (asked.push(contents(messages)) === 3) resolve();
    await promise;
    return sampleReply("whatever");
  };
  const scenario = scenarioOf(["one", "ONE"], "two", ["three", "THREE"]);
  const { completed } = await run({ scenario, model, history: "reference" });
  expect(completed).toBe(true);
  expect(asked).toEqual([
    ["user: one"],
    ["user: one", "assistant: ONE", "user: two"],
    ["user: one", "assistant: ONE", "user: three"],
  ]);
});

test("limits concurrency with reference history", async () => {
  let running = 0;
  let most = 0;
  const model: ChatModel = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    return sampleReply("x");
  };
  await run({ scenario: scenarioOf("1", "2", "3", "4", "5"), model, history: "reference", concurrency: 2 });
  expect(most).toBe(2);
});

test("a turn rejected by a shutdown lets running turns finish, and starts none", async () => {
  const refused = Promise.withResolvers<void>();
  const asked: string[] = [];
  const kept: number[] = [];
  const model: ChatModel = async ({ messages }) => {
    const message = messages.at(-1)?.content ?? "";
    asked.push(message);
    if (message === "limited") {
      refused.resolve();
      throw new ServiceError("shutting_down", "The service is stopping.");
    }
    await refused.promise;
    await Promise.resolve();
    return sampleReply("x");
  };
  const running = run({
    scenario: scenarioOf("one", "limited", "three"),
    model,
    history: "reference",
    concurrency: 2,
    onReply: async (turn) => void kept.push(turn),
  });
  await expect(running).rejects.toMatchObject({ code: "shutting_down" });
  expect([asked, kept]).toEqual([["one", "limited"], [0]]);
});

test("once a call is not admitted, no further call starts", async () => {
  const { model, asked } = fakeModel([]);
  const first = Promise.withResolvers<boolean>();
  const second = Promise.withResolvers<boolean>();
  const answers = [first.promise, second.promise].values();
  const attempt = run({
    scenario: scenarioOf(["one", "1"], ["two", "2"]),
    model,
    history: "reference",
    admit: () => answers.next().value ?? false,
  });
  first.resolve(false);
  await first.promise;
  second.resolve(true);
  expect(await attempt).toMatchObject({ completed: false, kept: [] });
  expect(asked).toEqual([]);
});

test("streams text with its turn", async () => {
  const pieces: [number, string][] = [];
  const model: ChatModel = async ({ messages }, { onText }) => {
    onText?.(messages.at(-1)?.content ?? "");
    return sampleReply("x");
  };
  await run({ scenario: scenarioOf("one", "two"), model, onText: (...piece) => void pieces.push(piece) });
  expect(pieces).toEqual([
    [0, "one"],
    [1, "two"],
  ]);
});

test("turns share the session of the attempt, and later ones send the id that the endpoint gave, also after a restart", async () => {
  const sessions: unknown[] = [];
  const model: ChatModel = async (_, { session }) => {
    sessions.push(session);
    return { ...sampleReply("ok"), session_id: session?.issued ?? "issued-1" };
  };
  const scenario = scenarioOf("one", "two", "three");
  const { replies } = await run({ scenario, model, sessionId: "attempt-1" });
  expect(sessions).toEqual([
    { id: "attempt-1", issued: undefined },
    { id: "attempt-1", issued: "issued-1" },
    { id: "attempt-1", issued: "issued-1" },
  ]);
  sessions.length = 0;
  const stored = new Map([...replies].slice(0, 2));
  await run({ scenario, model, sessionId: "attempt-1", stored });
  expect(sessions).toEqual([{ id: "attempt-1", issued: "issued-1" }]);
  sessions.length = 0;
  await run({ scenario, model, sessionId: "attempt-1", history: "reference" });
  expect(sessions).toEqual(["-1", "-2", "-3"].map((end) => ({ id: `attempt-1${end}`, issued: undefined })));
});
