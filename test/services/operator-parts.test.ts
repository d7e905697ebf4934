import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { rawStdio } from "../mcp/mcp-test-kit.ts";
import type { Behaviour } from "../support/fake-provider/behaviour.ts";
import { status } from "../support/fake-provider/error-statuses.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { message, text } from "../support/fake-provider/replies.ts";
import { stream as streamText, streamDeltas } from "../support/fake-provider/streams.ts";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const batch = { id: "talk", interactions: [{ id: "1", user_message: "Hello", reference_reply: "You said: Hello" }] };

test("a scorer of the operator's own and prices of their own count in a run", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider();
  await writeFile(
    folder.file("scorers.mjs"),
    "export const short_enough = ({ reply }) => (reply.length < 40 ? 1 : 0);\n",
  );
  await writeFile(folder.file("prices.json"), JSON.stringify({ mine: { input: 1, output: 2 } }));
  await using services = await runServices({
    REHEARSAL_SCORERS_MODULE: folder.file("scorers.mjs"),
    REHEARSAL_PRICES_FILE: folder.file("prices.json"),
  });
  const answer = await send(`${services.evaluation}/evaluate`, {
    body: { test_batch: batch, endpoint: provider.url, model_id: "mine", scorers: ["token_f1", "short_enough"] },
  });
  const [turn] = EvaluationResponse.parse(answer.body).results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn?.scores).toMatchObject({ token_f1: 1, short_enough: 1 });
  expect(turn?.cost).toBeCloseTo((9 * 1 + 3 * 2) / 1e6, 12);
});

test("a hub of its own name and an HTTP API as a tool are used by the agent", async () => {
  await using folder = await temporaryFolder();
  await using shop = await startFakeProvider({
    behaviour: ({ response }) => void response.end("parcel 7 is on its way"),
  });
  await using provider = await startFakeProvider({
    script: [toolCalls({ name: "parcel_status", arguments: { id: "7" } }), text("It is on its way.")],
  });
  await writeFile(
    folder.file("tools.yaml"),
    `tools:\n  - name: parcel_status\n    description: Looks a parcel up.\n    url: ${shop.origin}/parcels/{id}\n    parameters: { type: object, properties: { id: { type: string } }, required: [id] }\n`,
  );
  await using services = await runServices({
    HUB_PROVIDERS: JSON.stringify({ mine: { base_url: provider.url } }),
    AGENT_HTTP_TOOLS: folder.file("tools.yaml"),
  });
  const answer = await send(`${services.agent}/`, {
    headers: { "x-model-id": "mine/some-model" },
    body: { messages: [{ type: "human", content: "Where is parcel 7?" }] },
  });
  expect(answer.body).toMatchObject({ content: "It is on its way." });
  expect(provider.requests[0]?.body?.["model"]).toBe("some-model");
  expect(shop.requests[0]?.path).toBe("/parcels/7");
});

test.each([false, true])(
  "a model goes on with a tool's result when it sees its reasoning again (stream: %s)",
  async (stream) => {
    const extra_content = { google: { thought_signature: "sig" } };
    const call = { id: "c1", type: "function", function: { name: "calculator", arguments: '{"expression":"17*23"}' } };
    const asking = {
      content: null,
      reasoning_content: "Let me see.",
      tool_calls: [{ index: 0, ...call, extra_content }],
    };
    // As Gemini and DeepSeek do it: what they said before a call must be said to them again.
    const strict: Behaviour = (exchange) => {
      const messages = exchange.request.body?.["messages"] as readonly Record<string, unknown>[];
      const earlier = messages.find(({ role }) => role === "assistant");
      if (!earlier) return (stream ? streamDeltas([asking]) : message(asking))(exchange);
      const [first] = earlier["tool_calls"] as readonly Record<string, unknown>[];
      if (!earlier["reasoning_content"] || !first?.["extra_content"]) return status(400)(exchange);
      return (stream ? streamText("It is 391.") : text("It is 391."))(exchange);
    };
    await using provider = await startFakeProvider({ behaviour: strict });
    await using services = await runServices({ HUB_BASE_URL: provider.url });
    const response = await fetch(`${services.agent}/`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-model-id": "deep/thinker",
        accept: stream ? "text/event-stream" : "application/json",
      },
      body: JSON.stringify({ messages: [{ type: "human", content: "17 * 23?" }] }),
    });
    expect(await response.text()).toContain("It is 391.");
  },
);

test("an agent that is set as its own hub says so instead of asking itself for ever", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, "close");
  await using services = await runServices({
    REHEARSAL_AGENT_PORT: String(port),
    HUB_BASE_URL: `http://localhost:${port}/v1`,
  });
  const answer = await send(`${services.agent}/`, {
    headers: { "x-model-id": "some/model" },
    body: { messages: [{ type: "human", content: "Hello" }] },
  });
  expect(answer).toMatchObject({ status: 502, body: { detail: "This is an address of this service itself." } });
  expect(await (await fetch(`${services.agent}/v1/models`)).json()).toMatchObject({ data: [] });
});

test("a request to the wrong one of the two services is answered with the right one", async () => {
  await using services = await runServices();
  const beside = (name: string) => ({
    status: 404,
    body: { hint: `The ${name} has this route. Send the request to its port.` },
  });
  expect(await send(`${services.agent}/evaluate`, { body: {} })).toMatchObject(beside("evaluation service"));
  expect(await send(`${services.agent}/runs/1/rescore`, { body: {} })).toMatchObject(beside("evaluation service"));
  expect(await send(`${services.evaluation}/`)).toMatchObject(beside("agent backend"));
  const nowhere = { status: 404, body: { hint: "See /docs for the routes of this service." } };
  expect(await send(`${services.evaluation}/evalute`, { body: {} })).toMatchObject(nowhere);

  const test_batch = { id: "a", interactions: [{ id: "1", user_message: "Hello" }] };
  const body = { test_batch, endpoint: services.evaluation, model_id: "m" };
  expect(await send(`${services.evaluation}/evaluate`, { body })).toMatchObject({
    status: 403,
    body: { hint: "Use another endpoint: EVAL_ENDPOINT_ALLOW cannot allow this address." },
  });
});

test("judge, labeller and embeddings have keys of their own at the origin of the model under test", async () => {
  await using provider = await startFakeProvider({ behaviour: text("3") });
  const helper = (prefix: string) => ({
    [`${prefix}_ENDPOINT`]: provider.url,
    [`${prefix}_MODEL`]: prefix,
    [`${prefix}_API_KEY`]: `sk-${prefix}`,
  });
  await using services = await runServices({
    EVAL_ENDPOINT_ORIGIN: provider.origin,
    EVAL_ENDPOINT_API_KEY: "sk-tested",
    ...helper("JUDGE"),
    ...helper("LABELLER"),
    ...helper("EMBEDDINGS"),
  });
  const labelled = batch.interactions.map((turn) => ({ ...turn, reference_metadata: { intent: "greeting" } }));
  await send(`${services.evaluation}/evaluate`, {
    body: {
      test_batch: { ...batch, interactions: labelled },
      endpoint: provider.url,
      // The same model as the judge: which key is sent goes by who asks.
      model_id: "JUDGE",
      judge: {},
      labeller: {},
    },
  });
  const sent = provider.requests.map(({ body, headers }) => `${body?.["model"]} ${headers.authorization}`);
  expect(sent[0]).toBe("JUDGE Bearer sk-tested");
  expect(new Set(sent)).toEqual(
    new Set([
      "JUDGE Bearer sk-tested",
      "JUDGE Bearer sk-JUDGE",
      "LABELLER Bearer sk-LABELLER",
      "EMBEDDINGS Bearer sk-EMBEDDINGS",
    ]),
  );
});

test("the operator's webhook receives the signed end of a run", async () => {
  const secret = `whsec_${Buffer.from("a secret of twenty-four!").toString("base64")}`;
  await using receiver = await startFakeProvider({ behaviour: ({ response }) => void response.end() });
  await using provider = await startFakeProvider();
  await using services = await runServices({
    REHEARSAL_WEBHOOK_URLS: `${receiver.origin}/hook`,
    REHEARSAL_WEBHOOK_SECRET: secret,
  });
  const body = { test_batch: batch, endpoint: provider.url, model_id: "m" };
  const { run_id } = (await send(`${services.evaluation}/evaluate`, { body })).body as { run_id: string };
  while (receiver.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const [request] = receiver.requests;
  expect(request?.body).toMatchObject({ type: "run.completed", data: { run_id } });
  const signed = `${request?.headers["webhook-id"]}.${request?.headers["webhook-timestamp"]}.${request?.text}`;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key).update(signed).digest("base64");
  expect(request?.headers["webhook-signature"]).toBe(`v1,${expected}`);
});

test("an MCP server that was started is ended when the agent cannot start after all", async () => {
  await using folder = await temporaryFolder();
  const { command, args } = rawStdio({ pages: [{ tools: [] }] });
  const noting = ["-c", 'echo $$ > "$0"; exec "$@"', folder.file("pid"), command, ...args];
  await writeFile(folder.file("mcp.json"), JSON.stringify({ mcpServers: { test: { command: "sh", args: noting } } }));
  const starting = runServices({ AGENT_MCP_CONFIG: folder.file("mcp.json"), AGENT_MODEL_ALIASES: "a/b=c" });
  await expect(starting).rejects.toThrow("an alias may not contain a slash");
  const pid = Number(await readFile(folder.file("pid"), "utf8"));
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), { timeout: 10_000 });
});
