import { expect, test } from "vitest";
import type { AgentOutcome, SuccessfulOutcome } from "../../../agent/loop/agent-outcome.ts";
import type { ChatMessage } from "../../../contract/ports/chat-model.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { sampleReply } from "../../../contract/testing/sample-reply.ts";
import { openSqlite } from "../../../storage/drivers/open-sqlite.ts";
import { createEarlierSteps, type EarlierSteps } from "./earlier-steps.ts";

const question: ChatMessage = { role: "user", content: "Hi" };
const call = (id: string, name = "theirs") => ({ id, name, arguments: "{}" });
const asks = (...ids: string[]): ChatMessage => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => call(id)),
});
const result = (id: string): ChatMessage => ({ role: "tool", content: "ok", tool_call_id: id });
const steps = (id: string): readonly ChatMessage[] => [
  { role: "assistant", content: "First.", tool_calls: [call(id, "ours")] },
  result(id),
];

const fail = () => Promise.reject(new ServiceError("storage_unavailable", "The store is down."));
const storeIsDown = { handovers: { put: fail, get: fail }, onUnstored: () => {} };

/** Only the memory of this process, with readable ids. */
const alone = { ...storeIsDown, newId: (id: string) => id };

/** A turn that took these steps and then asked for these calls. */
const outcome = (history: readonly ChatMessage[], ...ids: string[]): AgentOutcome =>
  ({
    ok: true,
    reply: sampleReply(""),
    handed_out: { history, calls: ids.map((id) => call(id)), results: [] },
    pending_tool_calls: ids.map((id) => ({ ...call(id), args: {} })),
  }) as Partial<SuccessfulOutcome> as AgentOutcome;

const keep = async (earlier: EarlierSteps, owner: string | null, ended: AgentOutcome): Promise<AgentOutcome> =>
  (await earlier.read(owner, [question])).keep(ended, "run");

test("restores the steps before each call, turn after turn", async () => {
  const earlier = createEarlierSteps(alone);
  const first = await earlier.read("ada", [question]);
  await first.keep(outcome([question, ...steps("1")], "a"), "run");

  const second = await earlier.read("ada", [question, asks("a"), result("a")]);
  expect(second.messages).toEqual([question, ...steps("1"), asks("a"), result("a")]);
  await second.keep(outcome([...second.messages, ...steps("2")], "b", "c"), "run");

  const sent = [question, asks("a"), result("a"), asks("b", "c"), result("b"), result("c")];
  const answered = [asks("b", "c"), result("b"), result("c")];
  expect((await earlier.read("ada", sent)).messages).toEqual([...second.messages, ...steps("2"), ...answered]);
});

test("does not repeat text of earlier steps that was streamed", async () => {
  const earlier = createEarlierSteps(alone);
  await keep(earlier, "ada", outcome([question, ...steps("1")], "a"));
  const streamed = [question, { ...asks("a"), content: "First." }, result("a")];
  expect((await earlier.read("ada", streamed)).messages).toEqual([question, ...steps("1"), asks("a"), result("a")]);
});

test.each([
  ["another owner", "bob", [question, asks("a"), result("a")]],
  ["a caller without a key", null, [question, asks("a"), result("a")]],
  ["another conversation", "ada", [{ ...question, content: "Ho" }, asks("a"), result("a")]],
  ["other calls", "ada", [question, asks("b"), result("b")]],
  ["more calls", "ada", [question, asks("a", "b"), result("a"), result("b")]],
] as const)("finds no steps for %s", async (_name, owner, messages) => {
  const earlier = createEarlierSteps(alone);
  await keep(earlier, "ada", outcome([question, ...steps("1")], "a"));
  expect((await earlier.read(owner, messages)).messages).toEqual(messages);
});

test("drops steps that are too old or exceed the memory limit", async () => {
  let time = 0;
  const room = JSON.stringify([steps("1"), "", [call("a")], [], undefined]).length * 2;
  const earlier = createEarlierSteps({ ...alone, now: () => time, maximumAgeMs: 1000, maximumSize: room });
  const isKept = async (id: string) => (await earlier.read(null, [question, asks(id)])).messages.length > 2;
  for (const id of ["a", "b", "c"]) await keep(earlier, null, outcome([question, ...steps("1")], id));
  expect(await Promise.all(["a", "b", "c"].map(isKept))).toEqual([false, true, true]);
  time = 1000;
  expect(await Promise.all(["b", "c"].map(isKept))).toEqual([false, false]);
});

test("never evicts the steps of one owner because of another", async () => {
  const room = JSON.stringify([steps("1"), "", [call("a")], [], undefined]).length * 3;
  const earlier = createEarlierSteps({ ...alone, maximumSize: room });
  const take = (owner: string | null, id: string) => keep(earlier, owner, outcome([question, ...steps("1")], id));
  const areKept = (...kept: readonly (readonly [string | null, string])[]) =>
    Promise.all(kept.map(async ([owner, id]) => (await earlier.read(owner, [question, asks(id)])).messages.length > 2));
  await take("ada", "a");
  for (const id of ["b", "c", "d", "e"]) await take("bob", id);
  expect(await areKept(["ada", "a"])).toEqual([true]);
  expect(await areKept(["bob", "b"], ["bob", "c"], ["bob", "d"], ["bob", "e"])).toEqual([false, false, true, true]);
  await take(null, "f");
  expect(await areKept(["ada", "a"], ["bob", "d"], ["bob", "e"], [null, "f"])).toEqual([true, false, true, true]);
});

test("keeps nothing of a turn that used none of our tools, or failed", async () => {
  const earlier = createEarlierSteps(alone);
  await keep(earlier, null, outcome([question], "a"));
  await keep(earlier, null, { ok: false } as AgentOutcome);
  expect((await earlier.read(null, [question, asks("a")])).messages).toEqual([question, asks("a")]);
});

test("restores our calls among the client's", async () => {
  const earlier = createEarlierSteps(alone);
  const handed_out = { history: [question], calls: [call("1", "ours"), call("a")], results: [result("1")] };
  const pending_tool_calls = [{ ...call("a"), args: {} }];
  const mixed = {
    ok: true,
    reply: sampleReply(""),
    handed_out,
    pending_tool_calls,
  } as Partial<SuccessfulOutcome> as AgentOutcome;
  await keep(earlier, "ada", mixed);

  const rewritten = { ...call("a"), arguments: '{ "as": "the client has it" }' };
  const sent = [question, { role: "assistant", content: "", tool_calls: [rewritten] } as const, result("a")];
  expect((await earlier.read("ada", sent)).messages).toEqual([
    question,
    { role: "assistant", content: "", tool_calls: [call("1", "ours"), rewritten] },
    result("1"),
    result("a"),
  ]);
});

test("restores the provider's metadata even when the client changed it", async () => {
  const earlier = createEarlierSteps(alone);
  const thinking = { from: "claude", message: { thinking: [{ type: "thinking", signature: "s" }] } };
  const signed = { from: "claude", call: { extra_content: { signature: "b" } } };
  const calls = [
    { ...call("a"), echo: thinking },
    { ...call("b"), echo: signed },
  ];
  const pending_tool_calls = calls.map((asked) => ({ ...asked, args: {} }));
  const handed_out = { history: [question], calls, results: [] };
  const asked = { ok: true, reply: sampleReply(""), handed_out, pending_tool_calls } as Partial<SuccessfulOutcome>;
  await keep(earlier, null, asked as AgentOutcome);

  const back = [{ ...call("a"), echo: { message: { reasoning_content: "as the client has it" } } }, call("b")];
  const sent = [question, { role: "assistant", content: "", tool_calls: back } as const, result("a"), result("b")];
  expect((await earlier.read(null, sent)).messages[1]).toMatchObject({
    tool_calls: [
      { id: "a", echo: thinking },
      { id: "b", echo: signed },
    ],
  });
});

test("distinguishes conversations with the same text and ids", async () => {
  const earlier = createEarlierSteps(storeIsDown);
  const idsOf = (kept: AgentOutcome) => (kept.ok ? kept.pending_tool_calls.map(({ id }) => id) : []);
  const begin = async (id: string) => {
    const ended = outcome([question, ...steps(`ours-${id}`)], "a", "functions.theirs:0");
    const [plain = "", named = ""] = idsOf(await keep(earlier, "ada", ended));
    expect([plain, named]).toEqual([
      expect.not.stringMatching(/^a$/),
      expect.stringMatching(/^functions\.theirs:\d{2,}$/),
    ]);
    return [question, asks(plain, named), result(plain), result(named)];
  };
  const [first, second] = [await begin("1"), await begin("2")];
  const answered = [asks("a", "functions.theirs:0"), result("a"), result("functions.theirs:0")];
  expect((await earlier.read("ada", first)).messages).toEqual([question, ...steps("ours-1"), ...answered]);
  expect((await earlier.read("ada", second)).messages).toEqual([question, ...steps("ours-2"), ...answered]);
  const unhidden = [question, ...answered];
  expect((await earlier.read("ada", unhidden)).messages).toEqual(unhidden);
});

test("continues with calls that need approval when the client has answered, and drops them after a new user message", async () => {
  const earlier = createEarlierSteps(alone);
  const reply = { ...sampleReply("One moment."), tool_calls: [call("1", "ours"), call("a")] };
  const handed_out = { history: [question], calls: reply.tool_calls, results: [], postponed: reply };
  const pending_tool_calls = [{ ...call("a"), args: {} }];
  const asked = { ok: true, reply, handed_out, pending_tool_calls } as Partial<SuccessfulOutcome> as AgentOutcome;
  await keep(earlier, "ada", asked);
  const answered = [question, asks("a"), result("a")];
  expect(await earlier.read("ada", answered)).toMatchObject({
    messages: [question],
    postponed: { reply, results: [result("a")] },
  });
  const goesOn = [...answered, question];
  const { messages, postponed } = await earlier.read("ada", goesOn);
  expect([messages, postponed]).toEqual([goesOn, undefined]);
});

const fails = (): never => expect.fail();

/** Runs a turn that took steps before it handed a call to the client; returns the conversation the client sends back. */
async function handOver(earlier: EarlierSteps, owner: string | null) {
  const handedOut = await keep(earlier, owner, outcome([question, ...steps("1")], "a"));
  const [id = ""] = handedOut.ok ? handedOut.pending_tool_calls.map((pending) => pending.id) : [];
  return [question, asks(id), result(id)];
}

const whole = [question, ...steps("1"), asks("a"), result("a")];

test("shares steps with all processes on the same store, for their owner only", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const shared = { handovers: storage.agent.handovers, onUnstored: fails };
  const [here, there] = [createEarlierSteps(shared), createEarlierSteps(shared)];
  const sent = await handOver(here, "ada");
  expect((await there.read("bob", sent)).messages).toEqual(sent);
  const known = await there.read("ada", sent);
  expect(known.messages).toEqual(whole);

  const handedOut = await known.keep(outcome([...known.messages, ...steps("2")], "b"), "run");
  const [id = ""] = handedOut.ok ? handedOut.pending_tool_calls.map((pending) => pending.id) : [];
  expect((await here.read("ada", [...sent, asks(id), result(id)])).messages).toEqual([
    ...whole,
    ...steps("2"),
    asks("b"),
    result("b"),
  ]);
});

test("continues without the store in the process that took the steps, and refuses in others", async () => {
  const unstored: unknown[] = [];
  const here = createEarlierSteps({ ...storeIsDown, onUnstored: (error) => unstored.push(error) });
  const sent = await handOver(here, "ada");
  expect(unstored).toHaveLength(1);
  expect((await here.read("ada", sent)).messages).toEqual(whole);
  const there = createEarlierSteps(storeIsDown);
  await expect(there.read("ada", sent)).rejects.toMatchObject({ code: "storage_unavailable", retryAfterMs: 1000 });
  const plain = [question, asks("call_1"), result("call_1")];
  expect((await there.read("ada", plain)).messages).toEqual(plain);
});

test("gives up waiting for a store that does not answer", async () => {
  const never = () => new Promise<never>(() => {});
  const silent = { ...storeIsDown, handovers: { put: never, get: never }, storeMs: 1 };
  const sent = await handOver(createEarlierSteps(silent), null);
  await expect(createEarlierSteps(silent).read(null, sent)).rejects.toMatchObject({ code: "storage_unavailable" });
});

test("does not use the store for a turn with nothing to keep", async () => {
  const unused = { put: fails, get: fails };
  const earlier = createEarlierSteps({ ...storeIsDown, handovers: unused });
  const handedOut = await keep(earlier, "ada", outcome([question], "call_1"));
  expect(handedOut).toMatchObject({ pending_tool_calls: [{ id: "call_1" }] });
  await earlier.read("ada", [question, asks("call_1"), result("call_1")]);
});
