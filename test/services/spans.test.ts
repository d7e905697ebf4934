import { expect, test } from "vitest";
import { runServices } from "../support/services.ts";
import {
  otlpRequest,
  sendSpans,
  spanId,
  startTracedAgent,
  type HeardTrace,
  type WrittenSpan,
} from "../support/traced-agent.ts";

const order = { order_id: "1042" };
/** A tool call below the root of a request. */
const tool = (name: string, parent: string, more: Partial<WrittenSpan> = {}): WrittenSpan => ({
  name: `execute_tool ${name}`,
  parent,
  at: 10,
  ...more,
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.arguments": JSON.stringify(order),
    "gen_ai.tool.call.result": JSON.stringify({ ok: true }),
    ...more.attributes,
  },
});

const model = (parent: string): WrittenSpan => ({
  name: "chat m",
  parent,
  at: 5,
  attributes: {
    "gen_ai.operation.name": "chat",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 7,
    "gen_ai.usage.output_tokens": 3,
  },
});

const root = (id: string): WrittenSpan => ({ name: "POST /chat", id, ms: 40 });

const turn = (id: string, more: object = {}) => ({ id, user_message: id, ...more });

interface Answer {
  readonly warnings?: readonly { message: string }[];
  readonly results: {
    readonly scenarios: readonly {
      readonly attempts: readonly {
        readonly interactions: readonly {
          readonly tool_calls: readonly object[];
          readonly calls_seen?: string;
          readonly trace?: { readonly spans: number; readonly steps: readonly object[]; readonly incomplete?: true };
          readonly context?: readonly object[];
          readonly usage: object | null;
          readonly scores: Record<string, number>;
        }[];
        readonly average_scores: Record<string, number>;
        readonly scores?: Record<string, number>;
      }[];
    }[];
  };
}

async function evaluate(service: string, agent: string, request: object): Promise<Answer> {
  const response = await fetch(`${service}/evaluate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      endpoint: { url: agent, body: { say: "{{message}}", id: "{{session_id}}" }, reply: "/text", spans: true },
      model_id: "desk",
      ...request,
    }),
  });
  const answer = (await response.json()) as Answer;
  if (response.status !== 200) throw new Error(JSON.stringify(answer));
  return answer;
}

const interactionsOf = (answer: Answer) =>
  answer.results.scenarios.flatMap(({ attempts }) => attempts.flatMap(({ interactions }) => interactions));

test("what an agent did is known from its spans alone: each turn below its own, in one trace per attempt", async () => {
  await using services = await runServices();
  const act = async (heard: HeardTrace): Promise<string> => {
    const id = spanId();
    const calls = heard.text === "cancel" ? [tool("get_order", id), tool("cancel_order", id, { at: 20 })] : [];
    await sendSpans(services.evaluation, otlpRequest(heard, [...calls, model(id), root(id)]));
    return "done";
  };
  await using agent = await startTracedAgent(act);
  const answer = await evaluate(services.evaluation, agent.url, {
    attempts: 2,
    test_batch: {
      id: "desk",
      interactions: [
        turn("cancel", { reference_tool_calls: [{ name: "get_order" }, { name: "cancel_order", arguments: order }] }),
        turn("thanks", { reference_tool_calls: [] }),
      ],
      expect: { must_call: ["cancel_order"], must_not_call: ["refund"] },
    },
  });
  expect(new Set(agent.heard.map(({ traceId }) => traceId)).size).toBe(2);
  expect(new Set(agent.heard.map(({ parentId }) => parentId)).size).toBe(4);
  expect(agent.heard[0]?.baggage).toMatch(
    /rehearsal\.run=.*,rehearsal\.scenario=desk,rehearsal\.attempt=\d,rehearsal\.turn=1/,
  );
  const [first, second] = interactionsOf(answer);
  expect(first?.tool_calls).toMatchObject([
    { name: "get_order", arguments: order, result: { ok: true }, source: "spans" },
    { name: "cancel_order", arguments: order, result: { ok: true } },
  ]);
  expect(first).toMatchObject({ usage: { input_tokens: 7, output_tokens: 3 }, scores: { tool_match: 1 } });
  expect(first?.trace?.steps).toMatchObject([
    { kind: "other", name: "POST /chat" },
    { kind: "model" },
    { kind: "tool", name: "get_order", call: 0 },
    { kind: "tool", name: "cancel_order", call: 1 },
  ]);
  expect(second).toMatchObject({ tool_calls: [], scores: { tool_match: 1 } });
  expect(second?.calls_seen).toBeUndefined();
  for (const { average_scores } of answer.results.scenarios[0]?.attempts ?? [])
    expect(average_scores).toMatchObject({ outcome: 1 });
});

const cancel = {
  id: "desk",
  interactions: [turn("cancel"), turn("thanks")],
  expect: { must_not_call: ["refund"] },
};

test("without its spans, what an agent called is unknown, and the run says so once", async () => {
  await using services = await runServices();
  await using agent = await startTracedAgent(async () => "done");
  const answer = await evaluate(services.evaluation, agent.url, { attempts: 2, spans_wait_ms: 50, test_batch: cancel });
  for (const { calls_seen } of interactionsOf(answer)) expect(calls_seen).toBe("spans");
  expect(answer.results.scenarios[0]?.attempts[0]?.average_scores["outcome"]).toBeUndefined();
  expect(answer.warnings?.filter(({ message }) => message.includes("no spans"))).toHaveLength(1);
});

test("a turn whose spans are missing leaves open what other turns would show", async () => {
  await using services = await runServices();
  const act = async (heard: HeardTrace): Promise<string> => {
    const id = spanId();
    if (heard.text === "cancel")
      await sendSpans(services.evaluation, otlpRequest(heard, [tool("cancel_order", id), root(id)]));
    return "done";
  };
  await using agent = await startTracedAgent(act);
  const answer = await evaluate(services.evaluation, agent.url, { spans_wait_ms: 50, test_batch: cancel });
  expect(interactionsOf(answer).map(({ calls_seen }) => calls_seen)).toEqual([undefined, "spans"]);
  expect(answer.results.scenarios[0]?.attempts[0]?.average_scores["outcome"]).toBeUndefined();
});

test("spans that come late, twice and in the wrong order are attached once, and scored", async () => {
  await using services = await runServices();
  const act = async (heard: HeardTrace): Promise<string> => {
    const id = spanId();
    const send = (spans: readonly WrittenSpan[]) => sendSpans(services.evaluation, otlpRequest(heard, spans));
    if (heard.text === "thanks") return (await send([root(id)]), "bye");
    const refund = tool("refund", id, { id: spanId() });
    // The root comes first, so the turn goes on; the call follows while the next turn is asked.
    await send([root(id)]);
    held.push(async () => void (await send([refund]), await send([refund])));
    return "done";
  };
  const held: (() => Promise<void>)[] = [];
  await using agent = await startTracedAgent(async (heard) => {
    const said = await act(heard);
    if (heard.text === "thanks") await Promise.all(held.map((send) => send()));
    return said;
  });
  const answer = await evaluate(services.evaluation, agent.url, { spans_wait_ms: 5_000, test_batch: cancel });
  const [first, second] = interactionsOf(answer);
  expect(first?.tool_calls).toMatchObject([{ name: "refund" }]);
  expect(first?.trace).toMatchObject({ spans: 2 });
  expect(second?.tool_calls).toEqual([]);
  expect(answer.results.scenarios[0]?.attempts[0]?.average_scores["outcome"]).toBe(0);
});

test("only spans of attempts under way are stored; the others are counted, and the answer says so", async () => {
  await using services = await runServices();
  const foreign = { traceId: "ab".repeat(16), parentId: "cd".repeat(8) };
  const refused = await sendSpans(services.evaluation, otlpRequest(foreign, [root(spanId())]));
  expect(refused).toMatchObject({ status: 200, body: { partialSuccess: { rejectedSpans: "1" } } });

  await using agent = await startTracedAgent(async (heard) => {
    const forged = { ...heard, traceId: heard.traceId.slice(0, 16) + "0".repeat(16) };
    const own = await sendSpans(services.evaluation, otlpRequest(heard, [root(spanId())]));
    const other = await sendSpans(services.evaluation, otlpRequest(forged, [root(spanId())]));
    return JSON.stringify([own, other]);
  });
  const answer = await evaluate(services.evaluation, agent.url, {
    test_batch: { id: "one", interactions: [turn("hello")] },
  });
  const [said] = interactionsOf(answer) as readonly { agent_reply?: string }[];
  expect(JSON.parse(said?.agent_reply ?? "")).toMatchObject([
    { status: 200, body: {} },
    { status: 200, body: { partialSuccess: { rejectedSpans: "1" } } },
  ]);
  const [heard] = agent.heard;
  const late = await sendSpans(services.evaluation, otlpRequest(heard ?? foreign, [root(spanId())]));
  expect(late.body).toMatchObject({ partialSuccess: { rejectedSpans: "1" } });
});

test("calls that the reply and the spans both show are one call, and results are joined", async () => {
  await using services = await runServices();
  await using agent = await startTracedAgent(async (heard) => {
    const id = spanId();
    await sendSpans(
      services.evaluation,
      otlpRequest(heard, [tool("get_order", id), tool("cancel_order", id, { at: 20 }), root(id)]),
    );
    return "done";
  });
  const answer = await evaluate(services.evaluation, agent.url, {
    endpoint: {
      url: agent.url,
      body: { say: "{{message}}", calls: true },
      reply: "/text",
      tool_calls: "/calls",
      spans: true,
    },
    test_batch: { id: "one", interactions: [turn("calls")] },
  });
  expect(interactionsOf(answer)[0]?.tool_calls).toMatchObject([
    { name: "get_order", result: { ok: true } },
    { name: "cancel_order", arguments: order, source: "spans" },
  ]);
});
