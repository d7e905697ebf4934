import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/contract/errors/errors.ts";
import { errorKinds, isRetryable } from "../../src/contract/errors/errors.ts";
import { createChatModel } from "../../src/models/protocols/create-chat-model.ts";
import { createOutbound } from "../../src/models/outbound/create-outbound.ts";
import type { Outbound } from "../../src/models/outbound/outbound.ts";
import { createRouter } from "../../src/models/routing/router.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { wrongContentType } from "../support/fake-provider/malformed-replies.ts";
import { contentBlocks, echo, refusal } from "../support/fake-provider/replies.ts";
import { rawStream, stream } from "../support/fake-provider/streams.ts";
import { badToolArguments, legacyFunctionCall, toolCalls, unknownTool } from "../support/fake-provider/tool-calls.ts";
import { isDeep } from "../support/sizes.ts";
import { upstreamFaults } from "../support/upstream-faults.ts";
import { parseEvents, post, runAgentApp, type AgentUnderTest } from "./agent-support.ts";

let provider: FakeProvider;
let patient: Outbound;
let impatient: Outbound;
let agent: AgentUnderTest;

const settings = {
  maxReplyBytes: 2_000_000,
  retry: { maximum: 1, baseMs: 1, capMs: 2, retryAfterMaxMs: 1000 },
  retryBudget: { ratio: 1 },
  breaker: { minimumCalls: 100_000 },
};

beforeAll(async () => {
  provider = await startFakeProvider();
  patient = createOutbound(settings);
  impatient = createOutbound({ ...settings, timeouts: { firstByteMs: 150, idleMs: 150, totalMs: 600 } });
  const hub = (modelId: string) => {
    const outbound = modelId.startsWith("impatient/") ? impatient : patient;
    return createChatModel({ protocol: "openai-chat", outbound, endpoint: provider.url, modelId, policy: "local" });
  };
  agent = await runAgentApp({}, { router: createRouter({ hub }), limits: { steps: 3 } });
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await Promise.all([patient.close(), impatient.close()]);
  await provider.close();
});

/** `code` null: the turn is answered. `calls` is the most requests the provider may see. */
interface Row {
  readonly behaviour: Behaviour;
  readonly code: ErrorCode | null;
  readonly calls: number;
}

/** Asked once more: after what may pass, and with the tools in the prompt by one that may have refused those. */
const mayAskAgain = (code: ErrorCode) => isRetryable(code) || code === "upstream_rejected";

const table: Record<string, Row> = {
  ...Object.fromEntries(
    Object.entries(upstreamFaults).map(([name, fault]) => [name, { ...fault, calls: mayAskAgain(fault.code) ? 2 : 1 }]),
  ),
  "a good answer": { behaviour: echo, code: null, calls: 1 },
  "content blocks": { behaviour: contentBlocks("Fi", "ne"), code: null, calls: 1 },
  "a refusal": { behaviour: refusal("I would rather not."), code: null, calls: 1 },
  "the wrong content type": { behaviour: wrongContentType, code: null, calls: 1 },
  "tool arguments that stay broken": { behaviour: badToolArguments("calculator"), code: null, calls: 4 },
  "a tool that does not exist, again and again": { behaviour: unknownTool, code: null, calls: 4 },
  "tools without end": {
    behaviour: toolCalls({ name: "calculator", arguments: { expression: "1" } }),
    code: null,
    calls: 4,
  },
  "the old kind of call, without end": {
    behaviour: legacyFunctionCall({ name: "calculator", arguments: { expression: "1" } }),
    code: null,
    calls: 4,
  },
};

/** Only a client that streams makes us ask for a stream. */
const streams: Record<string, Row> = {
  "a good stream": { behaviour: stream("Hello there"), code: null, calls: 1 },
  "a stream in small pieces": { behaviour: stream("Grüße 👋", { pieceBytes: 3 }), code: null, calls: 1 },
  "a stream without its last line": { behaviour: stream("Hello", { end: "no-done" }), code: null, calls: 1 },
  "a stream that ends with an error": { behaviour: stream("Hel", { end: "error" }), code: "upstream_error", calls: 1 },
  "a stream that breaks": { behaviour: stream("Hel", { end: "reset" }), code: "upstream_reset", calls: 1 },
  "a stream that never ends": { behaviour: stream("Hel", { end: "endless" }), code: "upstream_timeout", calls: 1 },
  "a stream of nothing": { behaviour: rawStream(""), code: "upstream_invalid_reply", calls: 1 },
  "a stream that is no JSON": { behaviour: rawStream("data: nonsense\n\n"), code: "upstream_invalid_reply", calls: 1 },
};

interface Told {
  readonly status: number;
  readonly code: string | null;
  readonly text: string;
}

const hello = { messages: [{ type: "human", content: "Hello" }] };
const chat = (model: string, streaming: boolean) => ({
  model,
  stream: streaming,
  messages: [{ role: "user", content: "Hello" }],
});

/** Each wire: how to ask, and what the answer came to. */
const wires: Record<string, (model: string) => Promise<Told>> = {
  "POST /": async (model) => {
    const response = await post(agent.url, hello, { "x-model-id": model });
    const text = await response.text();
    const body = JSON.parse(text) as { code?: string; type?: string };
    return { status: response.status, code: response.ok ? null : (body.code ?? "none"), text };
  },
  "POST / with events": async (model) => {
    const response = await post(agent.url, hello, { "x-model-id": model, accept: "text/event-stream" });
    const text = await response.text();
    const last = parseEvents(text).at(-1);
    if (last?.event === "run-end") return { status: 200, code: null, text };
    return { status: Number(last?.data["status"]), code: String(last?.data["code"]), text };
  },
  "/v1/chat/completions": async (model) => {
    const response = await post(`${agent.url}/v1/chat/completions`, chat(model, false));
    const text = await response.text();
    const body = JSON.parse(text) as { error?: { code: string } };
    return { status: response.status, code: body.error?.code ?? null, text };
  },
  "/v1/chat/completions with a stream": async (model) => {
    const response = await post(`${agent.url}/v1/chat/completions`, chat(model, true));
    const text = await response.text();
    if (!response.ok) return { status: response.status, code: JSON.parse(text).error.code, text };
    const last = parseEvents(text).at(-1);
    if (last?.event === "[DONE]") return { status: 200, code: null, text };
    const { code } = (last?.data["error"] ?? { code: "internal_error" }) as { code: ErrorCode };
    return { status: errorKinds[code].status, code, text };
  },
  "/agent/ag-ui with events": async (model) => {
    const run = { threadId: "t", runId: "r", messages: [{ id: "u", role: "user", content: "Hello" }] };
    const response = await post(`${agent.url}/agent/ag-ui`, run, { "x-model-id": model });
    const text = await response.text();
    if (!response.ok) return { status: response.status, code: JSON.parse(text).code, text };
    const last = parseEvents(text).at(-1)?.data;
    if (last?.["type"] === "RUN_FINISHED") return { status: 200, code: null, text };
    const code = last?.["code"] as ErrorCode;
    return { status: errorKinds[code].status, code, text };
  },
};

let tested = 0;

/** Provider text, or our own insides. */
const leak = /Fake error|Incorrect API key|Overloaded|<html|at file:/;

async function play(wire: string, { behaviour, code, calls }: Row) {
  // Only what is about time is called with little of it: a busy machine is slow too.
  const model = `${code === "upstream_timeout" ? "impatient" : "hub"}/model-${(tested += 1)}`;
  provider.setModelBehaviour(model, behaviour);
  const told = await (wires[wire] as (model: string) => Promise<Told>)(model);
  const seen = provider.requests.filter(({ body }) => body?.["model"] === model).length;
  const bounded = seen > 0 && seen <= calls ? "bounded" : `${seen} calls`;
  return { status: told.status, code: told.code, calls: bounded, leaks: told.code !== null && leak.test(told.text) };
}

const expected = ({ code }: Row) => ({
  status: code ? errorKinds[code].status : 200,
  code,
  calls: "bounded",
  leaks: false,
});

/** In `npm test` one fault of each code on each wire: what makes a fault that code is tested beside the outbound client. */
const rows = Object.entries(table).filter(
  ([, { code }], index, all) => isDeep || code === null || all.findIndex(([, other]) => other.code === code) === index,
);

describe.each(Object.keys(wires))("%s", (wire) => {
  test.concurrent.each(rows)("%s", async (_name, row) => {
    expect(await play(wire, row)).toEqual(expected(row));
  });
});

describe.each(Object.keys(wires).filter((wire) => wire.includes(" with ")))("%s", (wire) => {
  test.concurrent.each(Object.entries(streams))("%s", async (_name, row) => {
    expect(await play(wire, row)).toEqual(expected(row));
  });
});
