import { afterEach, expect, test, vi } from "vitest";
import type { AnswerEvent } from "../../../web/api/agent.ts";
import {
  loadConversation,
  openCalls,
  saveConversation,
  toMessages,
  withAnswer,
  stopWaiting,
  type Answer,
  type ChatExchange,
} from "../../../web/chat/conversation.ts";
import { streamAnswer } from "../../../web/chat/chat-session.ts";
import { matchOptions, toModelId, toModelOptions } from "../../../web/chat/model-options.ts";
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

test("sends each model its own replies, and the first model's from before it was added", () => {
  const earlier: ChatExchange[] = [
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

test("leaves replies that wait for approval out of history and references", () => {
  const call = { name: "send_mail", args: {}, id: "call-7", type: "tool_call" as const };
  const asking = { ...done("a", ""), reply: makeReply("", { tool_calls: [call] }) };
  const earlier: ChatExchange[] = [{ id: "1", message: "one", answers: [asking] }];
  expect(toMessages(earlier, 0, "two")).toEqual([{ type: "human", content: "two" }]);
  expect(answeringModels(earlier)).toEqual([]);
});

test("shows a waiting call whose id an earlier step used", () => {
  const call = { name: "send_mail", args: {}, id: "call-0", type: "tool_call" as const };
  const used = { id: "call-0", name: "calculator", args: {}, ok: true, result: "42", milliseconds: 1 };
  const asking = { ...done("a", ""), tools: [used], reply: makeReply("", { tool_calls: [call] }) };
  expect(openCalls(asking)).toEqual([call]);
});

test("leaves exchanges without a reply out of the history", () => {
  const earlier: ChatExchange[] = [
    { id: "1", message: "one", answers: [{ model: "a", state: "failed", text: "", tools: [], failure }] },
  ];
  expect(toMessages(earlier, 0, "two")).toEqual([{ type: "human", content: "two" }]);
});

test("ignores an answer to a removed exchange", () => {
  const conversation: ChatExchange[] = [{ id: "1", message: "one", answers: [done("a", "a1")] }];
  expect(withAnswer(conversation, { id: "gone", column: 0, answer: done("a", "late") })).toEqual(conversation);
});

test("marks waiting answers as stopped after a reload", () => {
  const waiting: ChatExchange[] = [
    { id: "1", message: "one", answers: [{ model: "a", state: "waiting", text: "par", tools: [] }] },
  ];
  expect(stopWaiting(waiting)[0]?.answers[0]).toMatchObject({ model: "a", state: "stopped", text: "par" });
});

test("offers every model once, recently used ones first and fine-tuned ones by name", () => {
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

test("turns a chat into a scenario with one model's replies as references", () => {
  const conversation: ChatExchange[] = [
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

test("resolves part of a name to the only match, and keeps an id", () => {
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

test("stores the end of a conversation that is too long to store", () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > 8000) throw new DOMException("full", "QuotaExceededError");
      stored.set(key, value);
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

test("leaves room in the browser's storage for drafts and the key", () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  });
  const long = (id: string) => ({ id, message: "x".repeat(1_000_000), answers: [] });
  saveConversation(["1", "2", "3", "4"].map(long));
  expect(loadConversation().map(({ id }) => id)).toEqual(["3", "4"]);
});

test("separates reasoning from text, with a paragraph per model call", async () => {
  const reported: Answer[] = [];
  async function* events(): AsyncGenerator<AnswerEvent> {
    yield { type: "thoughts", call: 1, text: "First I " };
    yield { type: "thoughts", call: 1, text: "look." };
    yield { type: "text", call: 1, text: "Looking." };
    yield { type: "thoughts", call: 2, text: "That is it." };
    yield { type: "text", call: 2, text: "Found." };
    throw new Error("lost");
  }
  const begun: Answer = { model: "a", state: "waiting", text: "", tools: [] };
  await streamAnswer(events(), { begun, onAnswer: (answer) => reported.push(answer) });
  expect(reported.at(-1)).toMatchObject({ text: "Looking.\n\nFound.", thoughts: "First I look.\n\nThat is it." });
});

test("drops streamed text when the reply is complete, unless the run will be resumed", async () => {
  const grown = async (calls: ReturnType<typeof makeReply>["tool_calls"]) => {
    const reported: Answer[] = [];
    async function* events(): AsyncGenerator<AnswerEvent> {
      yield { type: "text", call: 1, text: "Let me look." };
      yield { type: "reply", reply: makeReply("Done.", { tool_calls: calls }), cost: null, total: null, runId: "r" };
    }
    const begun: Answer = { model: "a", state: "waiting", text: "", tools: [] };
    await streamAnswer(events(), { begun, onAnswer: (answer) => reported.push(answer) });
    return reported.at(-1);
  };
  expect(await grown([])).toMatchObject({ state: "done", text: "", reply: { content: "Done." } });
  const call = { name: "send_mail", args: {}, id: "c", type: "tool_call" as const };
  expect(await grown([call])).toMatchObject({ state: "done", text: "Let me look." });
});
