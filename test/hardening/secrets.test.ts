import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { echoTheKey } from "../support/fake-provider/error-statuses.ts";
import { raw } from "../support/fake-provider/malformed-replies.ts";
import { report } from "./support/figures.ts";
import { startServe } from "./support/serve-process.ts";
import { upstreamFaults } from "./support/upstream-faults.ts";

const canary = (name: string) => `${name}+canary/${randomBytes(9).toString("hex")}=`;

/** Every form in which a secret could leave. Hex and base64 also find it inside longer texts. */
function formsOf(secret: string): readonly string[] {
  const core = secret.slice(0, secret.length - (secret.length % 3));
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ secret }).toString().slice("secret=".length),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("hex"),
    Buffer.from(core).toString("base64"),
    Buffer.from(core).toString("base64url"),
    Buffer.from(`x${secret}`).toString("base64").slice(4, -4),
    Buffer.from(`xx${secret}`).toString("base64").slice(4, -4),
    [...secret].toReversed().join(""),
  ];
}

async function filesBelow(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))),
  );
}

test("no secret of the environment leaves in logs, answers, files or crash output", { timeout: 90_000 }, async () => {
  const faults = Object.entries(upstreamFaults).filter(
    ([name]) => !/10 GB|million|one byte|no answer|silence/.test(name),
  );
  const models = Object.fromEntries(
    faults.flatMap(([, { behaviour }], index) => [
      [`m${index}`, behaviour],
      [`hub/m${index}`, behaviour],
    ]),
  );
  const leaky = raw(Buffer.from("not json"), { "x-echo": "1" });
  await using provider = await startFakeProvider({
    models: { ...models, leaky, "hub/leaky": leaky, echo: echoTheKey, "hub/echo": echoTheKey },
  });
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
  };
  await using other = await startFakeProvider();
  await using serve = await startServe({
    ...secrets,
    HUB_BASE_URL: provider.url,
    STUDIO_BASE_URL: other.url,
    JUDGE_ENDPOINT: other.url,
    JUDGE_MODEL: "judge",
    LABELLER_ENDPOINT: other.url,
    LABELLER_MODEL: "labeller",
    EVAL_ENDPOINT_ORIGIN: other.origin,
    REHEARSAL_UPSTREAM_RETRY_BASE_MS: "1",
    REHEARSAL_UPSTREAM_RETRY_CAP_MS: "5",
    LOG_LEVEL: "trace",
  });

  const answers: string[] = [];
  const ask = async (base: string, path: string, init: RequestInit = {}) => {
    const response = await fetch(base + path, init);
    answers.push(JSON.stringify([...response.headers]), await response.text());
  };
  const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const names = [...faults.map((_, index) => `m${index}`), "leaky", "echo", "fine"];
  const test_batch = {
    id: "s",
    interactions: [{ id: "1", user_message: "Hi", reference_metadata: { intent: "greet" } }],
  };
  await Promise.all(
    names.flatMap((model_id) => [
      ask(serve.evaluation, "/evaluate", post({ test_batch, endpoint: provider.url, model_id })),
      ask(
        serve.agent,
        "/",
        post({ messages: [{ type: "human", content: "Hi" }] }, { "x-model-id": `hub/${model_id}` }),
      ),
      ask(
        serve.agent,
        "/",
        post(
          { messages: [{ type: "human", content: "Hi" }] },
          { "x-model-id": `hub/${model_id}`, accept: "text/event-stream" },
        ),
      ),
    ]),
  );
  await ask(serve.evaluation, "/evaluate", post({ test_batch, endpoint: other.url, model_id: "m" }));
  await ask(
    serve.evaluation,
    "/evaluate",
    post({ test_batch, endpoint: "http://no-such-host.invalid", model_id: "m" }),
  );
  await ask(serve.evaluation, "/evaluate", post("{"));
  for (const path of ["/studio/models", "/page/config", "/openapi.json", "/v1/models", "/nowhere"])
    await ask(serve.agent, path);
  for (const path of ["/runs", "/openapi.json", "/metrics", "/readyz"]) await ask(serve.evaluation, path);
  serve.child.kill("SIGTERM");
  await serve.ended;

  const files = await filesBelow(serve.dataDir);
  const outputs = {
    answers: answers.join("\n"),
    stdout: serve.stdout(),
    stderr: serve.stderr(),
    files: Buffer.concat(files).toString("latin1"),
  };
  const leaks = Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret).flatMap((form, index) =>
      Object.entries(outputs)
        .filter(([, text]) => text.includes(form))
        .map(([where]) => `${name}, form ${index}, in ${where}`),
    ),
  );
  report("secrets", {
    secrets: Object.keys(secrets).length,
    forms: formsOf("x").length,
    answers: answers.length / 2,
    "log bytes": outputs.stderr.length,
    files: files.length,
    leaks: leaks.length,
  });
  expect(leaks).toEqual([]);
  // The search can find something: the right upstream did get its key, and the log is at trace level.
  expect(provider.requests.some(({ headers }) => headers.authorization?.includes(secrets.HUB_API_KEY))).toBe(true);
  expect(outputs.stderr).toContain('"msg":"request"');
});
