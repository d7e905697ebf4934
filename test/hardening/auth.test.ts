import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAddress, scopes, type Scope } from "../../src/contract/operations/operation.ts";
import { Problem } from "../../src/contract/errors/problem.ts";
import { agentOperations } from "../../src/services/agent/app.ts";
import { evaluationOperations } from "../../src/services/evaluation/app.ts";
import { createKey, fileKeys, revokeKey } from "../../src/services/http/auth/key-store.ts";
import { keyFileIn } from "../../src/settings/api-keys.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { hang } from "../support/fake-provider/connection-faults.ts";
import { runServices, type RunningServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { report } from "./support/figures.ts";
import { serveThatEnds } from "./support/serve-process.ts";

interface Role {
  readonly name: string;
  readonly key: string;
  readonly scopes: readonly Scope[];
}

const role = (name: string, ...allowed: Scope[]): Role => ({
  name,
  key: `rh_${randomBytes(4).toString("hex")}_${randomBytes(32).toString("base64url")}`,
  scopes: allowed,
});
const roles: readonly Role[] = [
  ...scopes.map((scope) => role(scope.replace(":", "-"), scope)),
  role("alice", "evaluate", "runs:read", "runs:write", "agent"),
  role("bob", "evaluate", "runs:read", "runs:write", "agent"),
];
const byName = (name: string): Role => roles.find((candidate) => candidate.name === name) ?? role(name);
const apiKeys = roles
  .map(
    ({ name, key, scopes: allowed }) =>
      `${name}:${createHash("sha256").update(key).digest("hex")}:${allowed.join("+")}`,
  )
  .join(",");

let provider: FakeProvider;
let services: RunningServices;
let routes: readonly Route[];
let guarded: readonly Route[];

beforeAll(async () => {
  provider = await startFakeProvider();
  services = await runServices({
    REHEARSAL_API_KEYS: apiKeys,
    HUB_BASE_URL: provider.url,
    STUDIO_BASE_URL: provider.url,
  });
  routes = [...(await routesOf("agent")), ...(await routesOf("evaluation"))];
  guarded = routes.filter((route) => !isPublic(route));
});
afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await provider.close();
});

async function call(
  base: string,
  { method, path }: Pick<Route, "method" | "path">,
  headers: Record<string, string>,
  body?: unknown,
) {
  const response = await fetch(base + path.replaceAll(/\{\w+\}/g, "0190f0a0-0000-7000-8000-000000000000"), {
    method: method.toUpperCase(),
    headers: { ...headers, ...(method !== "get" && { "content-type": "application/json" }) },
    ...(method !== "get" && { body: JSON.stringify(body ?? {}) }),
  });
  return { status: response.status, text: await response.text() };
}

/** Written here, not read from the declarations: a route that is public by mistake would otherwise agree with itself. */
const publicRoutes = new Set(["get /healthz", "get /readyz", "get /", "get /page/config"]);

const isPublic = ({ method, path }: Route): boolean => publicRoutes.has(`${method} ${path}`);
/** The routes of a service, each with the scope that it declares. */
async function routesOf(service: "agent" | "evaluation"): Promise<readonly Route[]> {
  const operations = service === "agent" ? agentOperations : evaluationOperations;
  const response = await fetch(`${services[service]}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  const routes = operations.map(({ address, scope }) => {
    const { method, path } = parseAddress(address);
    return { service, method, path, scope, name: `${service}: ${method} ${path}` };
  });
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${service}: ${method} ${path}`),
  );
  expect(documented.toSorted()).toEqual(routes.map(({ name }) => name).toSorted());
  return routes;
}

interface Route {
  readonly service: "agent" | "evaluation";
  readonly method: string;
  readonly path: string;
  readonly scope: Scope | "public";
  readonly name: string;
}

describe("every route", () => {
  test("that is not public names its scope", () => {
    expect(guarded.filter(({ scope }) => scope === "public").map(({ name }) => name)).toEqual([]);
  });

  test("takes exactly the keys that have its scope", async () => {
    expect((await Promise.all(guarded.map(wrongAnswers))).flat()).toEqual([]);
  });

  /** Keys that were admitted without the scope, or refused with it. */
  async function wrongAnswers(wanted: Route): Promise<readonly string[]> {
    const { service, scope, name: route } = wanted;
    const base = services[service];
    const wrong: string[] = [];
    const none = await call(base, wanted, {});
    if (none.status !== 401) wrong.push(`${route} without a key: ${none.status}`);
    const unknown = await call(base, wanted, { "x-api-key": role("x").key });
    if (unknown.status !== 401 && unknown.status !== 429) wrong.push(`${route} with an unknown key: ${unknown.status}`);
    for (const [index, { name, key, scopes: allowed }] of roles.entries()) {
      const may = allowed.includes("admin") || (scope !== "public" && allowed.includes(scope));
      // Both headers are read in one place, so each role uses one of them.
      const headers: Record<string, string> =
        index % 2 === 0 ? { authorization: `Bearer ${key}` } : { "x-api-key": key };
      const { status, text } = await call(base, wanted, headers);
      const right = may ? status !== 401 && status !== 403 : status === 403 && text.includes("scope_missing");
      if (!right) wrong.push(`${route} as ${name}: ${status}`);
    }
    return wrong;
  }

  test("that is public answers without a key, and nothing else does", async () => {
    for (const route of routes.filter(isPublic)) {
      expect((await call(services[route.service], route, {})).status).toBe(200);
    }
    for (const path of [
      "/nowhere",
      "/metrics",
      "/runs/",
      "/RUNS",
      "//runs",
      "/runs%2f",
      "/v1/unknown",
      "/.env",
      "/admin",
    ]) {
      expect([path, (await call(services.evaluation, { method: "get", path }, {})).status]).toEqual([path, 401]);
    }
    report("authorisation table", {
      routes: routes.length,
      roles: roles.length + 2,
      checks: guarded.length * (2 + roles.length),
    });
  });
});

describe("data of another owner", () => {
  const body = () => ({
    test_batch: { id: "s", interactions: [{ id: "1", user_message: "Hi" }] },
    endpoint: provider.url,
    model_id: "m",
    test_name: "alices",
  });
  const as = (name: string) => ({ "x-api-key": byName(name).key });

  test("is not replayed for the same Idempotency-Key", async () => {
    const ids = await Promise.all(
      ["alice", "bob"].map(async (name) => {
        const answer = await call(
          services.evaluation,
          { method: "post", path: "/evaluate" },
          { ...as(name), "idempotency-key": "shared" },
          body(),
        );
        return (JSON.parse(answer.text) as { run_id: string }).run_id;
      }),
    );
    expect(new Set(ids).size).toBe(2);
  });
});

test("a key that is revoked while its stream is open ends the stream, and what was asked with it", async () => {
  await using folder = await temporaryFolder();
  await using silent = await startFakeProvider({ behaviour: hang });
  const file = keyFileIn(folder.path);
  const { key, record } = await createKey(fileKeys(file), {
    owner: "guest",
    scopes: ["evaluate", "runs:read", "agent"],
  });
  await using guarded = await runServices({
    REHEARSAL_DATA_DIR: folder.path,
    HUB_BASE_URL: silent.url,
    // The run itself goes on, and would be waited for.
    REHEARSAL_SHUTDOWN_GRACE_MS: "100",
  });
  const headers = { "x-api-key": key, "content-type": "application/json", accept: "text/event-stream" };
  const open = (url: string, body: unknown, more: Record<string, string> = {}) =>
    fetch(url, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const test_batch = { id: "s", interactions: [{ id: "1", user_message: "Hi" }] };
  const streams = await Promise.all([
    open(`${guarded.evaluation}/evaluate`, { test_batch, endpoint: silent.url, model_id: "m" }),
    open(`${guarded.agent}/`, { messages: [{ type: "human", content: "Hi" }] }, { "x-model-id": "hub/m" }),
  ]);
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  const revoked = performance.now();
  await revokeKey(fileKeys(file), record.id);
  // Cut short, not ended: the last event is missing.
  const endings = await Promise.allSettled(streams.map((stream) => stream.text()));
  report("key revoked in a stream", {
    streams: streams.length,
    "cut after, ms": Math.round(performance.now() - revoked),
  });
  expect(endings.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const after = await fetch(`${guarded.evaluation}/runs`, { headers });
  expect([after.status, Problem.parse(await after.json()).code]).toEqual([401, "auth_expired"]);
});

describe("a start that would leave the door open is refused", () => {
  const hash = "a".repeat(64);
  test.each<[Record<string, string>, string]>([
    [{ REHEARSAL_HOST: "0.0.0.0" }, "REHEARSAL_HOST"],
    [{ REHEARSAL_HOST: "::" }, "REHEARSAL_HOST"],
    [{ REHEARSAL_ALLOWED_HOSTS: "eval.example.com" }, "REHEARSAL_ALLOWED_HOSTS"],
    [{ REHEARSAL_EVAL_PUBLIC_URL: "https://eval.example.com" }, "REHEARSAL_EVAL_PUBLIC_URL"],
    [{ REHEARSAL_HOST: "0.0.0.0", REHEARSAL_ALLOW_UNAUTHENTICATED: "yes" }, "REHEARSAL_ALLOW_UNAUTHENTICATED"],
    [{ REHEARSAL_API_KEYS: `anonymous:${hash}:admin` }, "REHEARSAL_API_KEYS"],
    [{ REHEARSAL_API_KEYS: "ci:hunter2hunter2:admin" }, "REHEARSAL_API_KEYS"],
    [{ REHEARSAL_CORS_ORIGINS: "*" }, "REHEARSAL_CORS_ORIGINS"],
    [{ EVAL_ENDPOINT_API_KEY: "sk-canary-canary" }, "EVAL_ENDPOINT_API_KEY"],
    [{ HUB_API_KEY: "sk-canary-canary" }, "HUB_API_KEY"],
  ])("%j", async (environment, name) => {
    const { code, stderr } = await serveThatEnds(environment);
    expect(code).toBe(78);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/canary|hunter2/);
  });
});
