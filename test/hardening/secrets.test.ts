import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { resultFormats } from "../../src/formats/formats.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { echoTheKey } from "../support/fake-provider/error-statuses.ts";
import { raw } from "../support/fake-provider/malformed-replies.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { upstreamFaults } from "../support/upstream-faults.ts";
import { toOpenApi } from "./fuzz/open-api.ts";
import { requestsFor } from "./fuzz/requests.ts";
import { tameFor } from "./fuzz/tame.ts";
import { report } from "./support/figures.ts";
import { canary, findLeaks, formsOf } from "./support/secret-forms.ts";
import { startServe } from "./support/serve-process.ts";

const secrets = {
  HUB_API_KEY: canary("hub"),
  STUDIO_API_KEY: canary("studio"),
  EVAL_ENDPOINT_API_KEY: canary("endpoint"),
  OPENAI_API_KEY: canary("openai"),
  ANTHROPIC_API_KEY: canary("anthropic"),
  OPENROUTER_API_KEY: canary("openrouter"),
  HF_TOKEN: canary("hf"),
  JUDGE_API_KEY: canary("judge"),
  LABELLER_API_KEY: canary("labeller"),
  EMBEDDINGS_API_KEY: canary("embeddings"),
};
const collectorKey = canary("collector");
const watcher = new URL("./support/watch-secrets.mjs", import.meta.url).href;
/** Slow failures are left out: they test no further secrets. */
const faults = Object.entries(upstreamFaults).filter(
  ([name]) => !/10 GB|million|one byte|no answer|silence/.test(name),
);

async function filesBelow(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))),
  );
}

/** Every answer that was read, headers included. */
function createReader() {
  const answers: string[] = [];
  return {
    answers,
    async ask(url: string, init: RequestInit = {}): Promise<string> {
      const response = await fetch(url, init);
      const text = await response.text();
      answers.push(JSON.stringify([...response.headers]), text);
      return text;
    },
  };
}

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

test("no secret of the environment leaves, whatever is asked and however it ends", async () => {
  const leaky = { leaky: raw(Buffer.from("not json"), { "x-echo": "1" }), echo: echoTheKey };
  const models = {
    ...Object.fromEntries(faults.map(([, { behaviour }], index) => [`m${index}`, behaviour])),
    ...leaky,
  };
  const ofHub = Object.fromEntries(Object.entries(models).map(([name, behaviour]) => [`hub/${name}`, behaviour]));
  await using provider = await startFakeProvider({ models: { ...models, ...ofHub } });
  await using other = await startFakeProvider();
  await using collector = await startFakeProvider();
  await using folder = await temporaryFolder();
  const spans = folder.file("spans.jsonl");
  await using serve = await startServe(
    {
      ...secrets,
      HUB_BASE_URL: provider.url,
      STUDIO_BASE_URL: other.url,
      JUDGE_ENDPOINT: other.url,
      JUDGE_MODEL: "judge",
      LABELLER_ENDPOINT: other.url,
      LABELLER_MODEL: "labeller",
      EMBEDDINGS_ENDPOINT: other.url,
      EMBEDDINGS_MODEL: "embeddings",
      EVAL_ENDPOINT_ORIGIN: other.origin,
      EVAL_ENDPOINT_POLICY: "allowlist",
      EVAL_ENDPOINT_ALLOW: `${provider.origin},${other.origin}`,
      LOG_LEVEL: "trace",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${encodeURIComponent(collectorKey)}`,
      HARDENING_SPANS: spans,
    },
    {
      limits: { upstream_retry_base_ms: 1, max_calls_per_run: 20 },
      nodeOptions: ["--import", watcher],
      messages: true,
    },
  );
  const { answers, ask } = createReader();

  await askEveryModel([...Object.keys(models), "fine"]);
  await exportEverything(await ask(`${serve.evaluation}/evaluate`, post(evaluation(other.url, "m"))));
  await askEveryRoute(serve.agent);
  await askEveryRoute(serve.evaluation);
  for (const path of ["/docs", "/nowhere", "/"]) await ask(serve.agent + path);
  const crashed = serve.ended;
  serve.child.send("crash");
  const code = await crashed;

  const files = await filesBelow(serve.dataDir);
  const outputs = {
    answers: answers.join("\n"),
    stdout: serve.stdout(),
    "logs and crash": serve.stderr(),
    "database files": Buffer.concat(files).toString("latin1"),
    spans: [await readFile(spans, "utf8"), ...collector.requests.map(({ text }) => text)].join("\n"),
  };
  const spanCount = outputs.spans.split('"spanId"').length - 1;
  const leaks = findLeaks({ ...secrets, OTEL_EXPORTER_OTLP_HEADERS: collectorKey }, outputs);
  report("secrets", {
    secrets: Object.keys(secrets).length + 1,
    forms: formsOf("x").length,
    answers: answers.length / 2,
    "log bytes": outputs["logs and crash"].length,
    "database files": files.length,
    spans: spanCount,
    leaks: leaks.length,
  });
  expect(leaks).toEqual([]);
  // The search can find something: the right upstream did get its key, the log is at trace level, and the crash was one.
  expect(provider.requests.some(({ headers }) => headers.authorization?.includes(secrets.HUB_API_KEY))).toBe(true);
  expect(outputs["logs and crash"]).toContain('"msg":"request"');
  expect(outputs["logs and crash"]).toContain("crashed on purpose");
  expect(spanCount).toBeGreaterThan(50);
  expect(code).not.toBe(0);

  function evaluation(endpoint: string, model_id: string) {
    const interactions = [{ id: "1", user_message: "Hi", reference_metadata: { intent: "greet" } }];
    return { test_batch: { id: "s", interactions }, endpoint, model_id };
  }

  async function askEveryModel(names: readonly string[]): Promise<void> {
    const messages = [{ type: "human", content: "Hi" }];
    const turn = (model: string, accept: string) =>
      ask(`${serve.agent}/`, post({ messages }, { "x-model-id": `hub/${model}`, accept }));
    await Promise.all(
      names.flatMap((model) => [
        ask(`${serve.evaluation}/evaluate`, post(evaluation(provider.url, model))),
        turn(model, "application/json"),
        turn(model, "text/event-stream"),
        ask(
          `${serve.agent}/v1/chat/completions`,
          post({ model: `hub/${model}`, messages: [{ role: "user", content: "Hi" }] }),
        ),
      ]),
    );
  }

  async function exportEverything(answer: string): Promise<void> {
    const { run_id } = JSON.parse(answer) as { run_id: string };
    for (const format of ["json", "html", ...resultFormats.map(({ id }) => id)])
      await ask(`${serve.evaluation}/runs/${run_id}/export?format=${format}`);
    for (const format of ["json", "yaml", "csv", "promptfoo"])
      await ask(`${serve.evaluation}/scenarios?format=${format}`);
  }

  /** Some of what the fuzzer sends, to every route there is. */
  async function askEveryRoute(base: string): Promise<void> {
    const api = toOpenApi(JSON.parse(await ask(`${base}/openapi.json`)));
    const knowledge = { values: { "x-model-id": ["hub/echo"] }, tame: tameFor(provider.url) };
    const requests = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        fc.sample(requestsFor({ path, method, operation }, api, knowledge), { numRuns: 10 }),
      ),
    );
    for (const { method, target, headers, body } of requests)
      await ask(base + target, { method, headers, ...(body !== undefined && { body }) });
  }
});
