import { createParser, type EventSourceMessage } from "eventsource-parser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { Run, StoredTurn } from "../../src/contract/schemas/run.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { hang } from "../support/fake-provider/connection-faults.ts";
import { send } from "../support/http.ts";
import { runServices, type RunningServices } from "../support/services.ts";

let provider: FakeProvider;
let services: RunningServices;

beforeAll(async () => {
  provider = await startFakeProvider();
  services = await runServices();
});

afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await provider.close();
});

const request = (model_id = "m") => ({
  test_batch: { id: "talk", interactions: ["A", "B"].map((text) => ({ id: text, user_message: text })) },
  endpoint: provider.url,
  model_id,
  attempts: 3,
});

async function* follow(path: string, init: RequestInit = {}): AsyncGenerator<EventSourceMessage> {
  const response = await fetch(`${services.evaluation}${path}`, init);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    parser.feed(chunk);
    yield* events.splice(0);
  }
}

async function startRun(model_id?: string): Promise<string> {
  const started = await send(`${services.evaluation}/evaluate`, {
    body: request(model_id),
    headers: { prefer: "respond-async" },
  });
  expect(started.status).toBe(202);
  expect(started.headers.get("location")).toBe(`/runs/${Run.parse(started.body).run_id}`);
  return Run.parse(started.body).run_id;
}

test("a client that loses the events of POST /evaluate knows which run to follow", async () => {
  const headers = { "content-type": "application/json", accept: "text/event-stream", "idempotency-key": "events" };
  const asked = { method: "POST", headers, body: JSON.stringify(request()) };
  const first = await fetch(`${services.evaluation}/evaluate`, asked);
  await first.body?.cancel();
  const again = await fetch(`${services.evaluation}/evaluate`, asked);
  await again.body?.cancel();
  expect(first.headers.get("location")).toMatch(/^\/runs\/[\w-]+$/);
  expect(again.headers.get("location")).toBe(first.headers.get("location"));
  expect([first, again].map((answer) => answer.headers.get("idempotent-replayed"))).toEqual([null, "true"]);
});

test("every stored turn is sent once, and the ended run last", async () => {
  const id = await startRun();
  const events = await Array.fromAsync(follow(`/runs/${id}/events`));
  const turns = events
    .filter(({ event }) => event === "interaction")
    .map(({ data }) => StoredTurn.parse(JSON.parse(data)));
  expect(turns.map(({ attempt, turn_index }) => `${attempt}.${turn_index}`).toSorted()).toEqual([
    "1.0",
    "1.1",
    "2.0",
    "2.1",
    "3.0",
    "3.1",
  ]);
  expect(events.at(-1)?.event).toBe("end");
  expect(Run.parse(JSON.parse(events.at(-1)?.data ?? "")).state).toBe("completed");
});

test("Last-Event-ID continues after the event it names", async () => {
  const id = await startRun();
  const all = (await Array.fromAsync(follow(`/runs/${id}/events`))).filter(({ event }) => event === "interaction");
  const rest = follow(`/runs/${id}/events`, { headers: { "last-event-id": all[2]?.id ?? "" } });
  const again = (await Array.fromAsync(rest)).filter(({ event }) => event === "interaction");
  expect(again.map(({ id: number }) => number)).toEqual(all.slice(3).map(({ id: number }) => number));
});

test("POST /evaluate with Accept: text/event-stream ends with the whole response", async () => {
  const events = await Array.fromAsync(
    follow("/evaluate", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify(request()),
    }),
  );
  expect(events.at(-1)?.event).toBe("result");
  const response = EvaluationResponse.parse(JSON.parse(events.at(-1)?.data ?? ""));
  expect(response.results.scenarios[0]?.attempts).toHaveLength(3);
});

test("POST /evaluate sends events only to those who would rather have them", async () => {
  const typeFor = async (accept: string) => {
    const headers = { "content-type": "application/json", accept };
    const asked = { method: "POST", headers, body: JSON.stringify(request()) };
    const response = await fetch(`${services.evaluation}/evaluate`, asked);
    await response.text();
    return response.headers.get("content-type");
  };
  expect(await typeFor("application/json, text/event-stream")).toBe("application/json");
  expect(await typeFor("text/event-stream;q=0")).toBe("application/json");
  expect(await typeFor("Text/Event-Stream")).toMatch(/^text\/event-stream/);
});

test("a cancelled run starts no call any more and keeps what it has", async () => {
  let calls = 0;
  provider.setModelBehaviour("stuck", (call) => {
    calls += 1;
    return hang(call);
  });
  const id = await startRun("stuck");
  while (calls === 0) await new Promise((resolve) => setImmediate(resolve));
  const cancelled = await send(`${services.evaluation}/runs/${id}/cancel`, { method: "POST" });
  expect(cancelled.status).toBe(202);
  const before = calls;
  const events = await Array.fromAsync(follow(`/runs/${id}/events`));
  expect(Run.parse(JSON.parse(events.at(-1)?.data ?? "")).state).toBe("cancelled");
  expect(calls).toBe(before);
  const again = await send(`${services.evaluation}/runs/${id}/cancel`, { method: "POST" });
  expect(again.status).toBe(409);
  expect((await send(`${services.evaluation}/runs/${id}`, { method: "DELETE" })).status).toBe(204);
  expect((await send(`${services.evaluation}/runs/${id}`)).status).toBe(404);
});

test("the same Idempotency-Key is the same run; another body is refused", async () => {
  const headers = { "idempotency-key": "one-key", prefer: "respond-async" };
  const url = `${services.evaluation}/evaluate`;
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(url, { body: request(), headers })));
  expect(new Set(answers.map(({ body }) => (body as Run).run_id)).size).toBe(1);
  const other = await send(url, { body: { ...request(), attempts: 1 }, headers });
  expect([other.status, (other.body as { code: string }).code]).toEqual([422, "idempotency_mismatch"]);
  const unusable = await send(url, { body: request(), headers: { "idempotency-key": "x".repeat(256) } });
  expect([unusable.status, (unusable.body as { code: string }).code]).toEqual([400, "idempotency_key_invalid"]);
});
