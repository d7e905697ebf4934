import { expect, test, vi } from "vitest";
import type { PendingRun, SuccessfulOutcome } from "./agent-outcome.ts";
import type { CallJournal } from "./agent-run.ts";
import { resumeAgent, type ApprovalDecision } from "./resume-agent.ts";
import { runAgent } from "./agent-loop.ts";
import { historyProblem } from "../testing/history-problem.ts";
import { asksFor, scriptedModel, type ScriptedTurn } from "../testing/scripted-model.ts";
import { defineTool } from "../tools/tool.ts";

const { signal } = new AbortController();
const messages = [{ role: "user", content: "Refund order 7, please." }] as const;

function approvalTools() {
  const refund = vi.fn<(args: { order: number }) => string>(({ order }) => `Refunded ${order}.`);
  const look = vi.fn<() => string>(() => "Order 7: a lamp.");
  const parameters = { type: "object", properties: { order: { type: "integer" } }, required: ["order"] };
  const tools = [
    defineTool({ name: "refund", description: "", parameters, needsApproval: true, run: refund }),
    defineTool({ name: "look", description: "", parameters: {}, run: look }),
  ];
  return { refund, look, tools };
}

const calls = (...names: readonly (readonly [string, string, object])[]): ScriptedTurn => ({
  text: "One moment.",
  tool_calls: names.map(([id, name, args]) => ({ id, name, arguments: JSON.stringify(args) })),
});

async function pendingRun(turn: ScriptedTurn, tools: ReturnType<typeof approvalTools>["tools"]): Promise<PendingRun> {
  const outcome = (await runAgent({ model: scriptedModel(turn), messages, tools, signal })) as SuccessfulOutcome;
  // The server may have kept it in a database.
  return JSON.parse(JSON.stringify(outcome.pending_run)) as PendingRun;
}

async function resume(turn: ScriptedTurn, decisions: Record<string, ApprovalDecision>, next: ScriptedTurn = "Done.") {
  const { tools, ...spies } = approvalTools();
  const pending = await pendingRun(turn, tools);
  const model = scriptedModel(next);
  const outcome = await resumeAgent({ pending, decisions, model, tools, signal });
  expect(historyProblem(model.requests[0]?.messages ?? [])).toBeNull();
  return { outcome, model, ...spies, told: (model.requests[0]?.messages ?? []).map((message) => message.content) };
}

test("keeps opaque metadata of calls across an approval", async () => {
  const { tools } = approvalTools();
  const echo = { from: "somebody", message: { reasoning_content: "Hm." } };
  const turn: ScriptedTurn = {
    text: "",
    tool_calls: [
      { id: "a", name: "refund", arguments: '{"order":7}', echo },
      { id: "b", name: "nothing", arguments: "{}", echo },
    ],
  };
  const model = scriptedModel("Done.");
  await resumeAgent({
    pending: await pendingRun(turn, tools),
    decisions: { a: "deny" },
    model,
    tools,
    signal,
  });
  expect(model.requests[0]?.messages[1]).toMatchObject({ tool_calls: [{ echo }, { echo }] });
});

const twoRefunds = calls(["a", "refund", { order: 7 }], ["b", "refund", { order: 8 }]);

test("runs approved calls with the stored arguments, skips denied ones, and informs the model of both", async () => {
  const { outcome, refund, told } = await resume(twoRefunds, { a: "approve", b: "deny" });
  expect(refund.mock.calls.map(([args]) => args)).toEqual([{ order: 7 }]);
  expect(told).toEqual([
    "Refund order 7, please.",
    "One moment.",
    "<untrusted_tool_output>\nRefunded 7.\n</untrusted_tool_output>",
    "The call was not run: it was not approved. Do not ask for it again; go on without it.",
  ]);
  expect(outcome).toMatchObject({
    ok: true,
    reply: { text: "Done." },
    tool_calls: [{ id: "a", ok: true }],
    pending_tool_calls: [],
  });
});

test("reports the whole run and keeps counting toward its limits", async () => {
  const { outcome } = await resume(twoRefunds, { a: "approve", b: "approve" });
  expect(outcome).toMatchObject({ model_calls: 2, steps: 2, usage: { total_tokens: 30 } });

  const { tools, refund } = approvalTools();
  const pending = await pendingRun(twoRefunds, tools);
  const limited = await resumeAgent({
    pending,
    decisions: { a: "approve", b: "approve" },
    model: scriptedModel("Enough."),
    tools,
    limits: { toolCalls: 1 },
    signal,
  });
  expect(refund).toHaveBeenCalledTimes(1);
  expect(limited).toMatchObject({ ok: true, finish_reason: "tool_limit", reply: { text: "Enough." } });
});

test("accepts changed arguments that fit the tool's schema", async () => {
  const { refund, outcome } = await resume(twoRefunds, { a: { args: { order: 70 } }, b: {} });
  expect(refund.mock.calls.map(([args]) => args)).toEqual([{ order: 70 }, { order: 8 }]);
  expect(outcome.tool_calls).toMatchObject([{ args: { order: 70 } }, { args: { order: 8 } }]);
  await expect(resume(twoRefunds, { a: { args: { order: "all" } }, b: "deny" })).rejects.toThrow(
    "The arguments for a do not fit refund: /order must be integer",
  );
});

test.each([
  [{ a: "approve", b: "deny", c: "approve" }, 'No call "c" waits for approval. Calls that wait for approval: a, b.'],
  [{ a: "approve" }, "There is no decision about b."],
  [{}, "There is no decision about a, b."],
] as const)("refuses %j and runs nothing", async (decisions, message) => {
  const { tools, refund } = approvalTools();
  const pending = await pendingRun(twoRefunds, tools);
  const model = scriptedModel("x");
  await expect(resumeAgent({ pending, decisions, model, tools, signal })).rejects.toThrow(
    expect.objectContaining({ code: "validation_failed", message: expect.stringContaining(message) }),
  );
  expect(refund).not.toHaveBeenCalled();
  expect(model.requests).toEqual([]);
});

test("runs a call without approval with the rest, and refuses decisions about it", async () => {
  const mixed = calls(["a", "refund", { order: 7 }], ["b", "look", {}], ["c", "abacus", {}]);
  const { look, refund, told } = await resume(mixed, { a: "deny" });
  expect(look).toHaveBeenCalledTimes(1);
  expect(refund).not.toHaveBeenCalled();
  expect(told[3]).toContain("Order 7: a lamp.");
  expect(told[4]).toContain('there is no tool named "abacus"');
  await expect(resume(mixed, { a: "deny", b: "approve" })).rejects.toMatchObject({
    message: expect.stringContaining('No call "b" waits for approval'),
    hint: "Send one decision for each call that waits for approval, and no others.",
  });
});

test("does not run a tool that is gone, and informs the model", async () => {
  const { tools } = approvalTools();
  const pending = await pendingRun(calls(["a", "refund", { order: 7 }]), tools);
  const model = scriptedModel("I cannot.");
  const outcome = await resumeAgent({ pending, decisions: { a: "approve" }, model, tools: [], signal });
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("The call was not run: the tool is no longer there.");
  expect(outcome).toMatchObject({ ok: true, tool_calls: [] });
});

test("can wait for approval again, with a new id", async () => {
  const { outcome } = await resume(
    calls(["a", "refund", { order: 7 }]),
    { a: "approve" },
    asksFor("refund", { order: 9 }, "a"),
  );
  expect(outcome).toMatchObject({ finish_reason: "tool_calls", pending_tool_calls: [{ args: { order: 9 } }] });
  const [again] = (outcome as SuccessfulOutcome).pending_run?.calls ?? [];
  expect(again?.id).not.toBe("a");
});

test("stores no pending run when it waits only for the client's tool", async () => {
  const clientTools = [{ name: "open_page", description: "", parameters: {} }];
  const outcome = await runAgent({ model: scriptedModel(asksFor("open_page")), messages, clientTools, signal });
  expect(outcome).not.toHaveProperty("pending_run");
});

test("counts earlier cost toward the limit even after a call without a price", async () => {
  const { tools } = approvalTools();
  const prices = [{ input: 1, output: 1 }, undefined];
  const limits = { cost: 20 };
  const first = scriptedModel(asksFor("look", {}), calls(["a", "refund", { order: 7 }]));
  const price = () => prices[first.requests.length - 1];
  const before = (await runAgent({ model: first, messages, tools, signal, price, limits })) as SuccessfulOutcome;
  expect([before.cost, before.pending_run?.cost]).toEqual([null, 15]);

  const model = scriptedModel(asksFor("look", {}, "b"), "Done.");
  const outcome = await resumeAgent({
    pending: before.pending_run as PendingRun,
    decisions: { a: "approve" },
    model,
    tools,
    signal,
    price: { input: 1, output: 1 },
    limits,
  });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "cost_limit", cost: null });
});

test("records a call in the journal before it runs, and never repeats a recorded one", async () => {
  const { tools, refund } = approvalTools();
  const turn = calls(["a", "refund", { order: 7 }], ["b", "refund", { order: 8 }], ["c", "refund", { order: 9 }]);
  const pending = await pendingRun(turn, tools);
  const known = { a: { ok: true, result: "Refunded before.", duration_ms: 5 }, b: "unknown" } as const;
  const order: string[] = [];
  refund.mockImplementation(() => {
    order.push("made");
    return "Refunded now.";
  });
  const journal: CallJournal = {
    async begin({ id }) {
      order.push(`begin ${id}`);
      return known[id as keyof typeof known] ?? null;
    },
    end: async (id, { result }) => void order.push(`end ${id}: ${result}`),
  };
  const model = scriptedModel("Done.");
  const decisions = { a: "approve", b: "approve", c: "approve" } as const;
  const outcome = await resumeAgent({ pending, decisions, model, tools, signal, journal });
  expect(order.filter((step) => !/begin [ab]/.test(step))).toEqual(["begin c", "made", "end c: Refunded now."]);
  expect(model.requests[0]?.messages.slice(-3).map(({ content }) => content)).toEqual([
    expect.stringContaining("Refunded before."),
    expect.stringContaining("It is not known whether this call was carried out"),
    expect.stringContaining("Refunded now."),
  ]);
  expect(outcome.tool_calls.map(({ ok }) => ok)).toEqual([true, false, true]);
});

test("does not run a call that the journal cannot record", async () => {
  const { tools, refund } = approvalTools();
  const pending = await pendingRun(calls(["a", "refund", { order: 7 }]), tools);
  const journal: CallJournal = { begin: () => Promise.reject(new Error("no disk")), end: async () => {} };
  const decisions = { a: "approve" } as const;
  const model = scriptedModel("Done.");
  await expect(resumeAgent({ pending, decisions, model, tools, signal, journal })).rejects.toThrow("no disk");
  expect(refund).not.toHaveBeenCalled();
});

test("asks for approval after the client has answered its own calls", async () => {
  const { tools, refund, look } = approvalTools();
  const clientTools = [{ name: "open_page", description: "", parameters: {} }];
  const turn = calls(["a", "refund", { order: 7 }], ["b", "open_page", {}], ["c", "look", {}], ["d", "refund", {}]);
  const given = { messages, tools, clientTools, signal };
  const asked = (await runAgent({ ...given, model: scriptedModel(turn) })) as SuccessfulOutcome;
  expect(asked.pending_tool_calls.map(({ name }) => name)).toEqual(["open_page"]);
  expect(asked.pending_run).toBeUndefined();

  const reply = asked.handed_out?.postponed;
  if (!reply) throw new Error("Nothing was postponed.");
  const results = [{ role: "tool", content: "The page is open.", tool_call_id: "b", name: "open_page" }] as const;
  const model = scriptedModel("Done.");
  const waiting = (await runAgent({ ...given, model, postponed: { reply, results } })) as SuccessfulOutcome;
  expect(waiting).toMatchObject({ finish_reason: "tool_calls", model_calls: 0, reply: { text: "" } });
  expect(waiting.pending_tool_calls.map(({ name, args }) => [name, args])).toEqual([["refund", { order: 7 }]]);
  expect([model.requests.length, refund.mock.calls.length, look.mock.calls.length]).toEqual([0, 0, 0]);

  const pending = JSON.parse(JSON.stringify(waiting.pending_run)) as PendingRun;
  await resumeAgent({ ...given, pending, decisions: { a: "approve" }, model });
  const told = model.requests[0]?.messages ?? [];
  expect(historyProblem(told)).toBeNull();
  expect(told.slice(1).map(({ content }) => content)).toEqual([
    "One moment.",
    expect.stringContaining("Refunded 7."),
    "The page is open.",
    expect.stringContaining("Order 7: a lamp."),
    expect.stringContaining("The call was not run"),
  ]);
  expect(refund).toHaveBeenCalledOnce();
});

test("does not ask for approval of a tool that is gone after the client answered", async () => {
  const { tools } = approvalTools();
  const clientTools = [{ name: "open_page", description: "", parameters: {} }];
  const turn = calls(["a", "refund", { order: 7 }], ["b", "open_page", {}]);
  const asked = (await runAgent({
    model: scriptedModel(turn),
    messages,
    tools,
    clientTools,
    signal,
  })) as SuccessfulOutcome;
  const reply = asked.handed_out?.postponed;
  if (!reply) throw new Error("Nothing was postponed.");
  const results = [{ role: "tool", content: "Open.", tool_call_id: "b" }] as const;
  const model = scriptedModel("Done.");
  const outcome = await runAgent({ model, messages, clientTools, postponed: { reply, results }, signal });
  expect(outcome).toMatchObject({ ok: true, finish_reason: "stop", pending_tool_calls: [] });
  expect(historyProblem(model.requests[0]?.messages ?? [])).toBeNull();
});
