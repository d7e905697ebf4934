import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { hang } from "../support/fake-provider/connection-faults.ts";
import { text } from "../support/fake-provider/replies.ts";
import { runServices, type RunningServices } from "../support/services.ts";

const scopes = "evaluate+runs:read+runs:write+agent";
const [alice, mallory] = ["alice", "mallory"].map((name) => ({ name, key: randomBytes(32).toString("hex") })) as [
  Caller,
  Caller,
];
const apiKeys = [alice, mallory]
  .map(({ name, key }) => `${name}:${createHash("sha256").update(key).digest("hex")}:${scopes}`)
  .join(",");

interface Caller {
  readonly name: string;
  readonly key: string;
}

let provider: FakeProvider;
let services: RunningServices;

beforeAll(async () => {
  provider = await startFakeProvider({ behaviour: text('"Hello"') });
  provider.setModelBehaviour("silent", hang);
  services = await runServices(
    { REHEARSAL_API_KEYS: apiKeys },
    { overload: { requestsPerKey: 4 }, runs: { queuePerKey: 3 } },
  );
});
afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await provider.close();
});

async function ask<Answer>(caller: Caller, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(services.evaluation + path, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, answer: (await response.json()) as Answer };
}

const request = (options: object = {}) => ({
  test_batch: { id: "greeting", interactions: [{ id: "1", user_message: "Hi" }] },
  endpoint: provider.url,
  model_id: "m",
  ...options,
});
const silent = () => ask<Run>(mallory, "/evaluate", request({ model_id: "silent" }), { prefer: "respond-async" });

/** Each level asks for the next one twice: what fits none of them is looked at 2^40 times. */
const endless = (name: string) => ({
  type: "json_schema",
  name,
  schema: {
    $ref: "#/$defs/0",
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => {
        const next = { $ref: `#/$defs/${level + 1}` };
        return [level, level === 39 ? { type: "object" } : { anyOf: [next, next] }];
      }),
    ),
  },
});

test("checks of one key that never end keep those of another waiting for one of them only", async () => {
  const names = ["a", "b"];
  const slow = await ask<Run>(mallory, "/evaluate", request({ scorers: names.map(endless) }), {
    prefer: "respond-async",
  });
  expect(slow.status).toBe(202);

  const quick = await ask<EvaluationResponse>(
    alice,
    "/evaluate",
    request({ scorers: [{ type: "json_schema", name: "text", schema: { type: "string" } }] }),
  );
  expect(quick.answer.results.scenarios[0]?.average_scores).toMatchObject({ text: 1 });
  expect((await ask<Run>(mallory, `/runs/${slow.answer.run_id}`)).answer.state).toBe("running");
  await ask(mallory, `/runs/${slow.answer.run_id}/cancel`, {});
});

test("streams and unfinished runs of one key are limited, and leave place for those of another", async () => {
  const runs = [await silent(), await silent(), await silent()];
  expect(runs.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(await silent()).toMatchObject({
    status: 429,
    answer: { code: "rate_limited", hint: expect.stringContaining("limits.queue_max_runs_per_key") as string },
  });

  const { run_id } = runs[0]!.answer;
  const left = new AbortController();
  const stream = () =>
    fetch(`${services.evaluation}/runs/${run_id}/events`, {
      headers: { authorization: `Bearer ${mallory.key}` },
      signal: left.signal,
    });
  const streams = await Promise.all([stream(), stream(), stream(), stream()]);
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await ask(mallory, `/runs/${run_id}`)).toMatchObject({
    status: 429,
    answer: { code: "rate_limited", hint: expect.stringContaining("limits.http_max_requests_per_key") as string },
  });

  expect((await ask<EvaluationResponse>(alice, "/evaluate", request())).answer.message).toContain("completed");
  left.abort();
  await expect.poll(async () => (await ask(mallory, `/runs/${run_id}`)).status).toBe(200);
  for (const { answer } of runs) await ask(mallory, `/runs/${answer.run_id}/cancel`, {});
});
