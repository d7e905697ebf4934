import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { startFakeProvider } from "../support/fake-provider.ts";
import { text } from "../support/fake-provider/replies.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startJsonSink } from "./json-sink.ts";
import { runCli } from "./run-cli.ts";

const Attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
const Span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
  attributes: z.array(Attribute),
});
const Traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});
const Event = z.object({
  eventName: z.string(),
  traceId: z.string(),
  spanId: z.string(),
  attributes: z.array(Attribute),
});
const Logs = z.object({
  resourceLogs: z.array(z.object({ scopeLogs: z.array(z.object({ logRecords: z.array(Event) })) })),
});

const scenario = JSON.stringify({
  id: "hello",
  interactions: [{ id: "first", user_message: "Say yes", reference_reply: "Yes" }],
});

async function evaluated(reporter: string, env: Record<string, string>) {
  const folder = await temporaryFolder();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  await writeFile(folder.file("hello.json"), scenario);
  await writeFile(folder.file("rehearsal.yaml"), "threshold: 0.8\nlimits:\n  upstream_retry_base_ms: 1\n");
  const parameters = ["eval", "hello.json", "--endpoint", provider.url, "-m", "m", "--json", "--reporter", reporter];
  return { folder, ended: await runCli(parameters, { cwd: folder.path, env }) };
}

const valueOf = ({ attributes }: { attributes: readonly z.infer<typeof Attribute>[] }, key: string): unknown =>
  Object.values(attributes.find((attribute) => attribute.key === key)?.value ?? {})[0];

test("--reporter otlp sends a run as spans and its scores as evaluation events", async () => {
  await using sink = await startJsonSink();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${sink.url}/otel/`,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc, x-tenant=one",
  };
  const { folder, ended } = await evaluated("otlp", env);
  await using _ = folder;
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain("sent to otlp");
  const { run_id } = JSON.parse(ended.stdout).runs[0];

  expect(sink.received.map(({ path }) => path)).toEqual(["/otel/v1/traces", "/otel/v1/logs"]);
  const [traces, logs] = sink.received;
  expect(traces?.headers).toMatchObject({
    authorization: "Basic abc",
    "x-tenant": "one",
    "content-type": "application/json",
  });
  const spans = Traces.parse(traces?.body).resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap((scope) => scope.spans),
  );
  expect(spans.map(({ name }) => name)).toEqual(["evaluate hello", "attempt hello", "chat m"]);
  const [run, attempt, chat] = spans;
  expect(run?.traceId).toBe(run_id.replaceAll("-", ""));
  expect([attempt?.parentSpanId, chat?.parentSpanId]).toEqual([run?.spanId, attempt?.spanId]);
  expect(chat && valueOf(chat, "gen_ai.operation.name")).toBe("chat");
  expect(attempt && valueOf(attempt, "test.case.result.status")).toBe("pass");

  const events = Logs.parse(logs?.body).resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) => logRecords),
  );
  const overall = events.find((event) => valueOf(event, "gen_ai.evaluation.name") === "overall");
  expect(overall).toMatchObject({
    eventName: "gen_ai.evaluation.result",
    traceId: run?.traceId,
    spanId: chat?.spanId,
  });
  expect(overall && valueOf(overall, "gen_ai.evaluation.score.value")).toBe(1);
  expect(JSON.stringify(sink.received.map(({ body }) => body))).not.toContain("Say yes");
});

test("message texts are sent only when that is configured", async () => {
  await using sink = await startJsonSink();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  };
  const { folder } = await evaluated("otlp", env);
  await using _ = folder;
  expect(JSON.stringify(sink.received[0]?.body)).toContain("Say yes");
});

test("an unreachable collector is reported and changes no exit code; report --send sends the run later", async () => {
  const { folder, ended } = await evaluated("otlp", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9?key=canary" });
  await using _ = folder;
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/127\.0\.0\.1:9\/v1\/traces did not accept the results.* --send otlp\)/);
  expect(ended.stderr).not.toContain("canary");

  await using sink = await startJsonSink();
  const options = { cwd: folder.path, env: { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url } };
  expect(await runCli(["runs", "export", "latest", "--send", "otlp"], options)).toMatchObject({ code: 0, stdout: "" });
  expect(sink.received).toHaveLength(2);
  const unreachable = { cwd: folder.path, env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" } };
  expect((await runCli(["runs", "export", "--send", "otlp"], unreachable)).code).toBe(3);
});

test("an unknown or unconfigured destination is refused with exit 2 before a model is called", async () => {
  const otlp = await evaluated("otlp", {});
  await using _ = otlp.folder;
  expect(otlp.ended).toMatchObject({ code: 2, stderr: expect.stringContaining("OTEL_EXPORTER_OTLP_ENDPOINT") });
  const cwd = otlp.folder.path;
  expect(await runCli(["runs", "export", "--send", "mail"], { cwd })).toMatchObject({ code: 2, stdout: "" });
  const langfuse = await runCli(["runs", "export", "--send", "langfuse"], { cwd });
  expect(langfuse).toMatchObject({ code: 2, stderr: expect.stringContaining("LANGFUSE_PUBLIC_KEY") });
});

const langfuseKeys = { LANGFUSE_PUBLIC_KEY: "pk-lf-1", LANGFUSE_SECRET_KEY: "sk-lf-canary" };

test("--reporter langfuse sends every score to Langfuse with stable ids", async () => {
  await using sink = await startJsonSink({ status: 207, body: { successes: [], errors: [] } });
  const env = { ...langfuseKeys, LANGFUSE_BASE_URL: sink.url };
  const { folder, ended } = await evaluated("langfuse", env);
  await using _ = folder;
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining("sent to langfuse") });
  await runCli(["runs", "export", "latest", "--send", "langfuse"], { cwd: folder.path, env });

  const [first, second] = sink.received;
  expect(first?.path).toBe("/api/public/ingestion");
  expect(first?.headers["authorization"]).toBe(`Basic ${btoa("pk-lf-1:sk-lf-canary")}`);
  expect(second?.body).toEqual(first?.body);
  const { run_id } = JSON.parse(ended.stdout).runs[0];
  const { batch } = z
    .object({ batch: z.array(z.object({ type: z.string(), body: z.record(z.string(), z.unknown()) })) })
    .parse(first?.body);
  const traceId = run_id.replaceAll("-", "");
  expect(batch).toContainEqual({
    type: "score-create",
    body: expect.objectContaining({ name: "overall", value: 1, dataType: "NUMERIC", traceId }),
  });
});

test("scores Langfuse refuses are an error, and the key is never shown", async () => {
  await using sink = await startJsonSink({ status: 207, body: { successes: [], errors: [{ id: "x", status: 400 }] } });
  const env = { ...langfuseKeys, LANGFUSE_HOST: sink.url };
  const { folder } = await evaluated("line", {});
  await using _ = folder;
  const refused = await runCli(["runs", "export", "latest", "--send", "langfuse"], { cwd: folder.path, env });
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("Langfuse refused 1 of") });
  expect(refused.stderr + refused.stdout).not.toContain("canary");
});

test("eval calls the webhooks of its run before it exits", async () => {
  await using sink = await startJsonSink();
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const env = { REHEARSAL_WEBHOOK_URLS: `${sink.url}/hook`, REHEARSAL_WEBHOOK_SECRET: secret };
  const { folder, ended } = await evaluated("line", env);
  await using _ = folder;
  const { run_id } = JSON.parse(ended.stdout).runs[0];
  expect(sink.received).toMatchObject([{ path: "/hook", body: { type: "run.completed", data: { run_id } } }]);
});
