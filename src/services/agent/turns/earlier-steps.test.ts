import { expect, test } from "vitest";
import type { AgentOutcome, SuccessfulOutcome } from "../../../agent/agent-outcome.ts";
import type { ChatMessage } from "../../../contract/ports/chat-model.ts";
import { sampleReply } from "../../../contract/testing/sample-reply.ts";
import { createEarlierSteps } from "./earlier-steps.ts";

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

const newId = (id: string) => id;

/** A turn that took these steps and then asked for these calls. */
const outcome = (history: readonly ChatMessage[], ...ids: string[]): AgentOutcome =>
  ({
    ok: true,
    reply: sampleReply(""),
    handed_out: { history, calls: ids.map((id) => call(id)), results: [] },
    pending_tool_calls: ids.map((id) => ({ ...call(id), args: {} })),
  }) as Partial<SuccessfulOutcome> as AgentOutcome;

test("what was done before each call is put back before it, turn after turn", () => {
  const earlier = createEarlierSteps({ newId });
  const first = earlier.read("ada", [question]);
  first.keep(outcome([question, ...steps("1")], "a"));

  const second = earlier.read("ada", [question, asks("a"), result("a")]);
  expect(second.messages).toEqual([question, ...steps("1"), asks("a"), result("a")]);
  second.keep(outcome([...second.messages, ...steps("2")], "b", "c"));

  const sent = [question, asks("a"), result("a"), asks("b", "c"), result("b"), result("c")];
  const answered = [asks("b", "c"), result("b"), result("c")];
  expect(earlier.read("ada", sent).messages).toEqual([...second.messages, ...steps("2"), ...answered]);
});

test("words that a stream told of earlier steps are not said twice", () => {
  const earlier = createEarlierSteps({ newId });
  earlier.read("ada", [question]).keep(outcome([question, ...steps("1")], "a"));
  const streamed = [question, { ...asks("a"), content: "First." }, result("a")];
  expect(earlier.read("ada", streamed).messages).toEqual([question, ...steps("1"), asks("a"), result("a")]);
});

test.each([
  ["another owner", "bob", [question, asks("a"), result("a")]],
  ["nobody", null, [question, asks("a"), result("a")]],
  ["another conversation", "ada", [{ ...question, content: "Ho" }, asks("a"), result("a")]],
  ["other calls", "ada", [question, asks("b"), result("b")]],
  ["more calls", "ada", [question, asks("a", "b"), result("a"), result("b")]],
] as const)("%s is told nothing of it", (_name, owner, messages) => {
  const earlier = createEarlierSteps({ newId });
  earlier.read("ada", [question]).keep(outcome([question, ...steps("1")], "a"));
  expect(earlier.read(owner, messages).messages).toEqual(messages);
});

test("nothing is kept for good, nor more than there is room for", () => {
  let time = 0;
  const room = JSON.stringify([steps("1"), "", [call("a")], [], undefined]).length * 2;
  const earlier = createEarlierSteps({ newId, now: () => time, maximumAgeMs: 1000, maximumSize: room });
  const isKept = (id: string) => earlier.read(null, [question, asks(id)]).messages.length > 2;
  for (const id of ["a", "b", "c"]) earlier.read(null, [question]).keep(outcome([question, ...steps("1")], id));
  expect(["a", "b", "c"].map(isKept)).toEqual([false, true, true]);
  time = 1000;
  expect(["b", "c"].map(isKept)).toEqual([false, false]);
});

test("an owner with much to keep pushes out nothing of another's", () => {
  const room = JSON.stringify([steps("1"), "", [call("a")], [], undefined]).length * 3;
  const earlier = createEarlierSteps({ newId, maximumSize: room });
  const keep = (owner: string | null, id: string) =>
    earlier.read(owner, [question]).keep(outcome([question, ...steps("1")], id));
  const isKept = (owner: string | null, id: string) => earlier.read(owner, [question, asks(id)]).messages.length > 2;
  keep("ada", "a");
  for (const id of ["b", "c", "d", "e"]) keep("bob", id);
  expect(isKept("ada", "a")).toBe(true);
  expect(["b", "c", "d", "e"].map((id) => isKept("bob", id))).toEqual([false, false, true, true]);
  keep(null, "f");
  expect([isKept("ada", "a"), isKept("bob", "d"), isKept("bob", "e"), isKept(null, "f")]).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

test("a turn that used none of our tools, or failed, leaves nothing to keep", () => {
  const earlier = createEarlierSteps({ newId });
  earlier.read(null, [question]).keep(outcome([question], "a"));
  earlier.read(null, [question]).keep({ ok: false } as AgentOutcome);
  expect(earlier.read(null, [question, asks("a")]).messages).toEqual([question, asks("a")]);
});

test("what was done beside the client's calls is put back among them", () => {
  const earlier = createEarlierSteps({ newId });
  const handed_out = { history: [question], calls: [call("1", "ours"), call("a")], results: [result("1")] };
  const pending_tool_calls = [{ ...call("a"), args: {} }];
  const mixed = {
    ok: true,
    reply: sampleReply(""),
    handed_out,
    pending_tool_calls,
  } as Partial<SuccessfulOutcome> as AgentOutcome;
  earlier.read("ada", [question]).keep(mixed);

  const rewritten = { ...call("a"), arguments: '{ "as": "the client has it" }' };
  const sent = [question, { role: "assistant", content: "", tool_calls: [rewritten] } as const, result("a")];
  expect(earlier.read("ada", sent).messages).toEqual([
    question,
    { role: "assistant", content: "", tool_calls: [call("1", "ours"), rewritten] },
    result("1"),
    result("a"),
  ]);
});

test("what the provider wants to see again is put back, whatever the client made of it", () => {
  const earlier = createEarlierSteps({ newId });
  const thinking = { from: "claude", message: { thinking: [{ type: "thinking", signature: "s" }] } };
  const signed = { from: "claude", call: { extra_content: { signature: "b" } } };
  const calls = [
    { ...call("a"), echo: thinking },
    { ...call("b"), echo: signed },
  ];
  const pending_tool_calls = calls.map((asked) => ({ ...asked, args: {} }));
  const handed_out = { history: [question], calls, results: [] };
  const asked = { ok: true, reply: sampleReply(""), handed_out, pending_tool_calls } as Partial<SuccessfulOutcome>;
  earlier.read(null, [question]).keep(asked as AgentOutcome);

  const back = [{ ...call("a"), echo: { message: { reasoning_content: "as the client has it" } } }, call("b")];
  const sent = [question, { role: "assistant", content: "", tool_calls: back } as const, result("a"), result("b")];
  expect(earlier.read(null, sent).messages[1]).toMatchObject({
    tool_calls: [
      { id: "a", echo: thinking },
      { id: "b", echo: signed },
    ],
  });
});

test("a conversation with the same words and ids is another one", () => {
  const earlier = createEarlierSteps();
  const idsOf = (kept: AgentOutcome) => (kept.ok ? kept.pending_tool_calls.map(({ id }) => id) : []);
  const begin = (id: string) => {
    const ended = outcome([question, ...steps(`ours-${id}`)], "a", "functions.theirs:0");
    const [plain = "", named = ""] = idsOf(earlier.read("ada", [question]).keep(ended));
    expect([plain, named]).toEqual([
      expect.not.stringMatching(/^a$/),
      expect.stringMatching(/^functions\.theirs:\d{2,}$/),
    ]);
    return [question, asks(plain, named), result(plain), result(named)];
  };
  const [first, second] = [begin("1"), begin("2")];
  const answered = [asks("a", "functions.theirs:0"), result("a"), result("functions.theirs:0")];
  expect(earlier.read("ada", first).messages).toEqual([question, ...steps("ours-1"), ...answered]);
  expect(earlier.read("ada", second).messages).toEqual([question, ...steps("ours-2"), ...answered]);
  const unhidden = [question, ...answered];
  expect(earlier.read("ada", unhidden).messages).toEqual(unhidden);
});

test("what is to be decided about is taken up when the client has answered, and forgotten when its user goes on", () => {
  const earlier = createEarlierSteps({ newId });
  const reply = { ...sampleReply("One moment."), tool_calls: [call("1", "ours"), call("a")] };
  const handed_out = { history: [question], calls: reply.tool_calls, results: [], postponed: reply };
  const pending_tool_calls = [{ ...call("a"), args: {} }];
  const asked = { ok: true, reply, handed_out, pending_tool_calls } as Partial<SuccessfulOutcome> as AgentOutcome;
  earlier.read("ada", [question]).keep(asked);
  const answered = [question, asks("a"), result("a")];
  expect(earlier.read("ada", answered)).toMatchObject({
    messages: [question],
    postponed: { reply, results: [result("a")] },
  });
  const goesOn = [...answered, question];
  const { messages, postponed } = earlier.read("ada", goesOn);
  expect([messages, postponed]).toEqual([goesOn, undefined]);
});
