import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFakeProvider, type FakeProvider } from "../../support/fake-provider.ts";
import { send } from "../../support/http.ts";
import { runServices, type RunningServices } from "../../support/services.ts";
import { report } from "../support/figures.ts";
import { requestsFor, type FuzzRequest, type Knowledge, type OpenApi, type OpenApiOperation } from "./requests.ts";
import type { JsonValue } from "./schema-values.ts";

/** Requests per route: a few hundred on every change, FUZZ_RUNS=10000 at night. FUZZ_SEED replays a run. */
const runsPerRoute = Number(process.env["FUZZ_RUNS"] ?? 300);
const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const atOnce = 8;
const slowMs = 2000;
/** Answers in JSON-RPC or in the format that was asked for: their own suites cover them. */
const otherFormats = new Set(["/mcp", "/runs/{run_id}/export"]);

let provider: FakeProvider;
let services: RunningServices;
let runIds: readonly string[];

beforeAll(async () => {
  provider = await startFakeProvider();
  services = await runServices({
    EVAL_ENDPOINT_POLICY: "allowlist",
    EVAL_ENDPOINT_ALLOW: provider.origin,
    REHEARSAL_MAX_CALLS_PER_RUN: "8",
    HUB_BASE_URL: provider.url,
    STUDIO_BASE_URL: provider.url,
  });
}, 60_000);

afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await provider.close();
});

async function startRun(): Promise<string> {
  const body = {
    test_batch: { id: "s", interactions: [{ id: "1", user_message: "Hi" }] },
    endpoint: provider.url,
    model_id: "m",
  };
  return ((await send(`${services.evaluation}/evaluate`, { body })).body as { run_id: string }).run_id;
}

function knowledge(): Knowledge {
  return {
    values: {
      run_id: [...runIds, "0190f0a0-0000-7000-8000-000000000000"],
      "x-model-id": ["hub/model", "550e8400-e29b-41d4-a716-446655440000"],
      "idempotency-key": ["a", "b-1", "c d"],
      "last-event-id": ["0", "1"],
      prefer: ["respond-async", "wait=5"],
      "x-on-disconnect": ["cancel", "continue"],
    },
    tame: (body) => tame(body),
  };
}

/** Whatever was generated, calls go to the fake provider only, and few of them. What may run should get to run. */
function tame(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const body = { ...value };
  if (typeof body["endpoint"] === "string") body["endpoint"] = provider.url;
  if (typeof body["attempts"] === "number" && body["attempts"] > 1 && body["attempts"] <= 100) body["attempts"] = 2;
  if (isObject(body["test_batch"])) body["test_batch"] = withOwnIds(body["test_batch"]);
  // Helper models and patterns are called with rules of their own, which no schema can tell.
  for (const name of ["judge", "labeller", "scorers", "budget"]) delete body[name];
  return body;
}

function withOwnIds(batch: Record<string, JsonValue>): Record<string, JsonValue> {
  const { interactions } = batch;
  if (!Array.isArray(interactions)) return batch;
  const numbered = interactions.map((item, index) =>
    isObject(item) && typeof item["id"] === "string" && item["id"].length < 20 ? { ...item, id: `${index}` } : item,
  );
  return { ...batch, interactions: numbered };
}

function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Another format is another media type, each with its own suite. */
function withoutFormat(operation: OpenApiOperation): OpenApiOperation {
  return { ...operation, parameters: (operation.parameters ?? []).filter(({ name }) => name !== "format") };
}

interface Outcome {
  readonly status: number;
  readonly complaints: readonly string[];
}

function createChecker(api: OpenApi) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "api", ...api });
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

  return function check(
    path: string,
    method: string,
    operation: OpenApiOperation,
    status: number,
    type: string,
    text: string,
  ): string[] {
    const documented = operation.responses[String(status)];
    if (!documented) return [`status ${status} is not documented: ${text.slice(0, 200)}`];
    if (status >= 500 && !(JSON.parse(text) as { retryable?: boolean }).retryable && status !== 502)
      return [`unplanned ${status}: ${text.slice(0, 300)}`];
    const mediaType = type.split(";")[0] ?? "";
    const content = documented.content;
    if (!content) return text === "" ? [] : [`status ${status} has a body: ${text.slice(0, 100)}`];
    if (!content[mediaType]) return [`media type ${mediaType} of ${status} is not documented`];
    if (!/[/+]json$/.test(mediaType)) return [];
    const pointer = ["paths", path, method, "responses", String(status), "content", mediaType, "schema"];
    const reference = `api#/${pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
    const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference });
    compiled.set(reference, validate);
    return validate(JSON.parse(text))
      ? []
      : [`body of ${status} does not fit: ${ajv.errorsText(validate.errors)}: ${text.slice(0, 300)}`];
  };
}

async function exchange(
  base: string,
  request: FuzzRequest,
): Promise<{ status: number; type: string; text: string; ms: number }> {
  const started = performance.now();
  const response = await fetch(`${base}${request.target}`, {
    method: request.method,
    headers: { ...request.headers },
    ...(request.body !== undefined && request.method !== "GET" && { body: request.body }),
    redirect: "manual",
  });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get("content-type") ?? "",
    text,
    ms: performance.now() - started,
  };
}

describe.each(["agent", "evaluation"] as const)("every route of the %s service keeps to its document", (name) => {
  test("whatever it is sent", { timeout: 60_000 + runsPerRoute * 400 }, async () => {
    const base = services[name];
    const api = (await send(`${base}/openapi.json`)).body as OpenApi;
    const check = createChecker(api);
    const statuses = new Map<number, number>();
    const complaints = new Map<string, string>();
    let count = 0;
    let slowest = 0;

    const routes = Object.entries(api.paths)
      .filter(([path]) => !otherFormats.has(path))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation: withoutFormat(operation) })),
      );
    for (const { path, method, operation } of routes) {
      // Anew for each route, because one of them deletes what it finds.
      runIds = await Promise.all(Array.from({ length: 3 }, startRun));
      const requests = fc.sample(requestsFor(method, path, operation, api, knowledge()), {
        numRuns: runsPerRoute,
        seed,
      });
      const attempt = async (request: FuzzRequest): Promise<Outcome> => {
        const { status, type, text, ms } = await exchange(base, request);
        slowest = Math.max(slowest, ms);
        return { status, complaints: check(path, method, operation, status, type, text) };
      };
      const queue = requests.values();
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (const request of queue) {
            const outcome = await attempt(request).catch((error: Error) => ({
              status: 0,
              complaints: [`no answer: ${error.message} ${String(error.cause)}`],
            }));
            count += 1;
            statuses.set(outcome.status, (statuses.get(outcome.status) ?? 0) + 1);
            for (const complaint of outcome.complaints) {
              const key = `${method} ${path}: ${complaint.slice(0, 120)}`;
              if (!complaints.has(key))
                complaints.set(key, `${complaint}\n  for ${JSON.stringify(request).slice(0, 1500)}`);
            }
          }
        }),
      );
    }
    report(`schema fuzz, ${name}`, {
      routes: routes.length,
      requests: count,
      statuses: [...statuses]
        .toSorted(([left], [right]) => left - right)
        .map(([status, times]) => `${status}×${times}`)
        .join(" "),
      "slower than 2 s": slowest > slowMs ? `yes (${Math.round(slowest)} ms)` : "none",
      seed,
    });
    expect({ seed, complaints: [...complaints.values()].slice(0, 20) }).toEqual({ seed, complaints: [] });
    expect((await send(`${base}/healthz`)).status).toBe(200);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
