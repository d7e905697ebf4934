import { afterEach, expect, test, vi } from "vitest";
import type { AgentEvent } from "../../../web/agent-api.ts";
import {
  openCalls,
  toMessages,
  withAnswer,
  withoutWaiting,
  type Answer,
  type Exchange,
} from "../../../web/chat/conversation.ts";
import { growAnswer } from "../../../web/chat/growing-answer.ts";
import { matchOptions, toModelId, toModelOptions } from "../../../web/chat/model-options.ts";
import { loadConversation, saveConversation } from "../../../web/chat/stored-conversation.ts";
import { answeringModels, draftFromChat } from "../../../web/scenarios/draft-from-chat.ts";
import { makeReply } from "../support/fake-agent.ts";

const done = (model: string, content: string) =>
  ({
    model,
    state: "done",
    text: "",
    tools: [],
    reply: makeReply(content),
    milliseconds: 1,
    cost: null,
    total: null,
    runId: null,
  }) as const;
afterEach(() => vi.unstubAllGlobals());

const failure = { message: "", detail: "", hint: "", code: "" };

test("each model sees its own replies, and the first model's where it was not there yet", () => {
  const earlier: Exchange[] = [
    { id: "1", message: "one", answers: [done("a", "a1")] },
    { id: "2", message: "two", answers: [done("a", "a2"), done("b", "b2")] },
  ];
  expect(toMessages(earlier, 1, "three").map((message) => message.content)).toEqual([
    "one",
    "a1",
    "two",
    "b2",
    "three",
  ]);
});

test("a reply whose tool calls wait for approval is no part of the history, nor a reference", () => {
  const call = { name: "send_mail", args: {}, id: "call-7", type: "tool_call" as const };
  const asking = { ...done("a", ""), reply: makeReply("", { tool_calls: [call] }) };
  const earlier: Exchange[] = [{ id: "1", message: "one", answers: [asking] }];
  expect(toMessages(earlier, 0, "two")).toEqual([{ type: "human", content: "two" }]);
  expect(answeringModels(earlier)).toEqual([]);
});

test("a call that waits is seen even where its id was used by an earlier step", () => {
  const call = { name: "send_mail", args: {}, id: "call-0", type: "tool_call" as const };
  const used = { id: "call-0", name: "calculator", args: {}, ok: true, result: "42", milliseconds: 1 };
  const asking = { ...done("a", ""), tools: [used], reply: makeReply("", { tool_calls: [call] }) };
  expect(openCalls(asking)).toEqual([call]);
});

test("an exchange without a reply is left out of the history", () => {
  const earlier: Exchange[] = [
    { id: "1", message: "one", answers: [{ model: "a", state: "failed", text: "", tools: [], failure }] },
  ];
  expect(toMessages(earlier, 0, "two")).toEqual([{ type: "human", content: "two" }]);
});

test("an answer for an exchange that has gone changes nothing", () => {
  const conversation: Exchange[] = [{ id: "1", message: "one", answers: [done("a", "a1")] }];
  expect(withAnswer(conversation, { id: "gone", column: 0, answer: done("a", "late") })).toEqual(conversation);
});

test("answers that never came are stopped after a reload", () => {
  const waiting: Exchange[] = [
    { id: "1", message: "one", answers: [{ model: "a", state: "waiting", text: "par", tools: [] }] },
  ];
  expect(withoutWaiting(waiting)[0]?.answers[0]).toMatchObject({ model: "a", state: "stopped", text: "par" });
});

test("every model is offered once, the last used first and fine-tuned ones by name", () => {
  const options = toModelOptions({
    recent: ["uuid-1", "x/y"],
    studio: { tuned: "uuid-1", other: "uuid-2" },
    hub: ["x/y", "z/w"],
    listed: [
      { id: "fast", object: "model", created: 0, owned_by: "alias" },
      { id: "z/w", object: "model", created: 0, owned_by: "hub" },
      { id: "openai/gpt-x", object: "model", created: 0, owned_by: "hub" },
      { id: "uuid-2", object: "model", created: 0, owned_by: "fine-tuned", name: "other" },
    ],
  });
  expect(options).toEqual([
    { id: "uuid-1", label: "tuned", group: "Last used" },
    { id: "x/y", label: "x/y", group: "Last used" },
    { id: "uuid-2", label: "other", group: "Fine-tuned" },
    { id: "fast", label: "fast", group: "Alias" },
    { id: "z/w", label: "z/w", group: "Hub" },
    { id: "openai/gpt-x", label: "openai/gpt-x", group: "Hub" },
  ]);
  expect(matchOptions(options, "UUID-2").map((option) => option.label)).toEqual(["other"]);
});

test("a chat becomes a scenario with one model's replies as references, without what got no reply", () => {
  const conversation: Exchange[] = [
    { id: "1", message: "Where is my order?", answers: [done("a", "a1"), done("b", "b1")] },
    { id: "2", message: "lost", answers: [{ model: "a", state: "failed", text: "", tools: [], failure }] },
    { id: "3", message: "three", answers: [done("a", "a3")] },
  ];
  expect(answeringModels(conversation)).toEqual([
    { column: 0, model: "a" },
    { column: 1, model: "b" },
  ]);
  const draft = draftFromChat(conversation, 1);
  expect(draft.id).toBe("where-is-my-order");
  expect(draft.interactions.map((turn) => [turn.id, turn.user_message, turn.reference_reply])).toEqual([
    ["turn-1", "Where is my order?", "b1"],
    ["turn-2", "three", "a3"],
  ]);
});

test("a part of a name stands for the only model it fits; an id is taken as it is", () => {
  const options = toModelOptions({
    recent: [],
    studio: {
      "support-v1": "0b0e7a9c-0000-4000-8000-000000000001",
      "support-v2": "0b0e7a9c-0000-4000-8000-000000000002",
    },
    hub: ["org/large-2"],
    listed: [],
  });
  expect(toModelId(options, " support-v1 ")).toBe("0b0e7a9c-0000-4000-8000-000000000001");
  expect(toModelId(options, "v2")).toBe("0b0e7a9c-0000-4000-8000-000000000002");
  expect(toModelId(options, "large")).toBe("org/large-2");
  expect(toModelId(options, "support")).toBe("support");
  expect(toModelId(options, "org/large")).toBe("org/large");
  expect(toModelId(options, "unheard-of")).toBe("unheard-of");
  expect(toModelId(options, " ")).toBe("");
});

test("of a conversation the browser cannot keep whole, the later part is there after a reload", () => {
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > 8000) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
  });
  const conversation = Array.from({ length: 6 }, (_, index) => ({
    id: String(index),
    message: `question ${index}`,
    answers: [done("a", "x".repeat(1500))],
  }));
  saveConversation(conversation);
  expect(loadConversation().map(({ message }) => message)).toEqual(["question 3", "question 4", "question 5"]);
  saveConversation(conversation.slice(0, 2));
  expect(loadConversation()).toHaveLength(2);
  saveConversation([{ id: "huge", message: "x".repeat(9000), answers: [] }]);
  expect(loadConversation()).toEqual([]);
});

test("however long a conversation is, it leaves room in the browser's store for drafts and the key", () => {
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
  const long = (id: string) => ({ id, message: "x".repeat(1_000_000), answers: [] });
  saveConversation(["1", "2", "3", "4"].map(long));
  expect(loadConversation().map(({ id }) => id)).toEqual(["3", "4"]);
});

test("what a model thinks is kept apart from what it says, a paragraph for each of its calls", async () => {
  const told: Answer[] = [];
  async function* events(): AsyncGenerator<AgentEvent> {
    yield { type: "thoughts", call: 1, text: "First I " };
    yield { type: "thoughts", call: 1, text: "look." };
    yield { type: "text", call: 1, text: "Looking." };
    yield { type: "thoughts", call: 2, text: "That is it." };
    yield { type: "text", call: 2, text: "Found." };
    throw new Error("lost");
  }
  const begun: Answer = { model: "a", state: "waiting", text: "", tools: [] };
  await growAnswer(events(), { begun, onAnswer: (answer) => told.push(answer) });
  expect(told.at(-1)).toMatchObject({ text: "Looking.\n\nFound.", thoughts: "First I look.\n\nThat is it." });
});

test("a reply is not held twice; an answer that waits for approval keeps what was said before", async () => {
  const grown = async (calls: ReturnType<typeof makeReply>["tool_calls"]) => {
    const told: Answer[] = [];
    async function* events(): AsyncGenerator<AgentEvent> {
      yield { type: "text", call: 1, text: "Let me look." };
      yield { type: "reply", reply: makeReply("Done.", { tool_calls: calls }), cost: null, total: null, runId: "r" };
    }
    const begun: Answer = { model: "a", state: "waiting", text: "", tools: [] };
    await growAnswer(events(), { begun, onAnswer: (answer) => told.push(answer) });
    return told.at(-1);
  };
  expect(await grown([])).toMatchObject({ state: "done", text: "", reply: { content: "Done." } });
  const call = { name: "send_mail", args: {}, id: "c", type: "tool_call" as const };
  expect(await grown([call])).toMatchObject({ state: "done", text: "Let me look." });
});
