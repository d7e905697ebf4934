import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import { apiPage } from "../../scripts/reference/api-page.ts";
import { evaluationService } from "../../scripts/reference/api-services.ts";
import type { OpenApiDocument } from "../../src/contract/operations/openapi.ts";
import { parseAddress, scopes, type Operation, type Scope } from "../../src/contract/operations/operation.ts";
import type { DemoEndpoint } from "../../src/models/demo/demo-endpoint.ts";
import { createEvaluationApp } from "../../src/services/evaluation/app.ts";
import type { EvaluationDependencies } from "../../src/services/evaluation/dependencies.ts";
import { defineRoute, operationsOf } from "../../src/services/http/route.ts";
import type { Shell } from "../../src/services/http/shell.ts";
import { createLog } from "../../src/services/http/log.ts";
import { send } from "../support/test-shell.ts";
import { runAgentApp } from "./agent-support.ts";

const keyOf = (scope: Scope) => `key-${scope}`;
const apiKeys = scopes.map((scope) => ({
  name: scope.replace(":", "-"),
  sha256: createHash("sha256").update(keyOf(scope)).digest("hex"),
  scopes: new Set([scope]),
}));

/** Routes that need no key. Written here, as are the scopes below: a declaration must not be its own proof. */
const publicRoutes = ["GET /healthz", "GET /readyz", "GET /openapi.json", "GET /docs", "GET /docs/{file*}"];
const publicAgentRoutes = [...publicRoutes, "GET /", "GET /page/config"];
const publicEvaluationRoutes = [
  ...publicRoutes,
  ...["GET", "POST", "DELETE"].map((name) => `${name} /worlds/{token}/mcp`),
];

const agentScopes: Record<string, Scope> = {
  "POST /": "agent",
  "GET /studio/models": "models:read",
  "POST /v1/chat/completions": "agent",
  "POST /v1/responses": "agent",
  "GET /v1/responses/{response_id}": "agent",
  "DELETE /v1/responses/{response_id}": "agent",
  "POST /v1/responses/{response_id}/cancel": "agent",
  "POST /agent/ui-messages": "agent",
  "POST /agent/ag-ui": "agent",
  "GET /v1/models": "models:read",
  "GET /v1/models/{model*}": "models:read",
  "POST /agent/runs/{run_id}/resume": "agent",
  "GET /agent/runs": "agent",
  "GET /agent/runs/{run_id}": "agent",
  "POST /agent/runs/{run_id}/cancel": "agent",
  "POST /agent/runs/{run_id}/replay": "agent",
  "POST /agent/runs/{run_id}/scenario": "runs:write",
  "GET /agent/threads": "agent",
  "GET /agent/threads/{thread_id}": "agent",
  "DELETE /agent/threads/{thread_id}": "agent",
  "GET /agent/upstreams": "models:read",
  "GET /agent/local-servers": "models:read",
  "GET /agent/providers": "models:read",
  "POST /agent/providers/test": "evaluate",
  "POST /mcp": "agent",
  "GET /metrics": "runs:read",
  "GET /demo/v1/models": "models:read",
  "POST /demo/v1/chat/completions": "agent",
};

const evaluationScopes: Record<string, Scope> = {
  "POST /evaluate": "evaluate",
  "GET /runs": "runs:read",
  "GET /runs/{run_id}": "runs:read",
  "GET /runs/{run_id}/request": "runs:read",
  "GET /runs/{run_id}/results": "runs:read",
  "GET /runs/{run_id}/scenarios": "runs:read",
  "POST /runs/{run_id}/freeze": "runs:write",
  "GET /runs/{run_id}/events": "runs:read",
  "POST /runs/{run_id}/cancel": "runs:write",
  "PATCH /runs/{run_id}": "runs:write",
  "DELETE /runs/{run_id}": "runs:write",
  "GET /compare": "runs:read",
  "GET /experiments/{experiment_id}": "runs:read",
  "POST /compare": "evaluate",
  "GET /rank": "runs:read",
  "GET /noise": "runs:read",
  "POST /estimate": "evaluate",
  "POST /judges/audit": "evaluate",
  "GET /runs/{run_id}/sequence": "runs:read",
  "GET /runs/{run_id}/score-agreement": "runs:read",
  "POST /runs/{run_id}/score-agreement": "runs:read",
  "POST /runs/{run_id}/rescore": "runs:write",
  "GET /runs/{run_id}/export": "runs:read",
  "GET /runs/{run_id}/verdicts": "runs:read",
  "POST /runs/{run_id}/verdicts": "runs:write",
  "GET /runs/{run_id}/review": "runs:read",
  "GET /runs/{run_id}/agreement": "runs:read",
  "GET /runs/{run_id}/corrections": "runs:read",
  "POST /runs/{run_id}/audit": "evaluate",
  "GET /scenarios": "runs:read",
  "POST /scenarios": "runs:write",
  "POST /scenarios/import": "runs:write",
  "DELETE /scenarios": "runs:write",
  "GET /scenarios/{scenario_id}": "runs:read",
  "GET /scenarios/{scenario_id}/versions": "runs:read",
  "DELETE /scenarios/{scenario_id}": "runs:write",
  "GET /metrics": "runs:read",
};

/** The scopes that each route must admit. */
const withAdmin = (routes: Record<string, Scope>): Record<string, readonly Scope[]> =>
  Object.fromEntries(
    Object.entries(routes).map(([route, wanted]) => [
      route,
      scopes.filter((scope) => scope === wanted || scope === "admin"),
    ]),
  );

/** For each route, the scopes that it admits; "public" if it needs no key. */
async function admittedScopes(shell: Shell): Promise<Record<string, readonly Scope[] | "public">> {
  const admitted: Record<string, readonly Scope[] | "public"> = {};
  for (const { address } of shell.routes) {
    const { method, path } = parseAddress(address);
    const sample = path.replaceAll(/\{\w+\}/g, "some-name");
    const ask = async (headers: Record<string, string>) => {
      const body = method === "get" ? null : "null";
      const init = { method: method.toUpperCase(), headers: { ...headers, "content-type": "application/json" }, body };
      return (await send(shell, sample, init)).status;
    };
    if ((await ask({})) !== 401) {
      admitted[address] = "public";
      continue;
    }
    const answers = await Promise.all(scopes.map((scope) => ask({ authorization: `Bearer ${keyOf(scope)}` })));
    admitted[address] = scopes.filter((_, index) => answers[index] !== 403);
  }
  return admitted;
}

const asPublic = (routes: readonly string[]) => Object.fromEntries(routes.map((route) => [route, "public"]));

test("admits exactly its scope and admin on every route of the agent backend", async () => {
  const demo = { listModels: () => ({}) } as unknown as DemoEndpoint;
  await using agent = await runAgentApp({}, { apiKeys, demo });
  expect(await admittedScopes(agent.app)).toEqual({ ...withAdmin(agentScopes), ...asPublic(publicAgentRoutes) });
});

function evaluationShell(): Shell {
  const dependencies = {
    log: createLog({ level: "silent" }),
    version: "0",
    apiKeys,
    allowedHosts: [],
    allowedOrigins: () => [],
    readiness: async () => {},
    bodyLimits: { depth: 32, keys: 1000, bytes: 1024 },
    worlds: { fetch: async () => new Response("no such world", { status: 404 }) },
  } as unknown as EvaluationDependencies;
  return createEvaluationApp(dependencies);
}

test("admits exactly its scope and admin on every route of the evaluation service", async () => {
  const expected = { ...withAdmin(evaluationScopes), ...asPublic(publicEvaluationRoutes) };
  expect(await admittedScopes(evaluationShell())).toEqual(expected);
});

test("a route that is added is in the API document and the reference, and admits only its scope", async () => {
  const shell = evaluationShell();
  const declared = {
    id: "getMoon",
    address: "GET /moons/{moon_id}",
    summary: "Get a moon",
    tag: "Moons",
    scope: "runs:read",
    query: z.object({ phase: z.enum(["new", "full"]) }),
    responses: { 200: { description: "The moon." } },
    errors: ["not_found"],
  } as const satisfies Operation;
  const route = defineRoute(
    declared,
    (parts: { size: number }) =>
      ({ context, params, query }) =>
        context.json({ ...parts, ...params, ...query }),
  );
  shell.mount(route, { size: 7 });

  const document = (await (await send(shell, "/openapi.json")).json()) as OpenApiDocument;
  expect(document.paths["/moons/{moon_id}"]?.["get"]).toMatchObject({ operationId: "getMoon", tags: ["Moons"] });
  const page = apiPage({ ...evaluationService, operations: operationsOf([route]), examples: {} });
  expect(page).toContain("`GET /moons/{moon_id}`");
  expect(page).toContain("runs:read");
  expect((await admittedScopes(shell))[declared.address]).toEqual(["runs:read", "admin"]);

  const ask = async (address: string, scope: Scope) =>
    send(shell, address, { headers: { authorization: `Bearer ${keyOf(scope)}` } });
  const found = await ask("/moons/io?phase=full&phas=1", "runs:read");
  expect(await found.json()).toEqual({ size: 7, moon_id: "io", phase: "full" });
  expect(found.headers.get("warning")).toContain("phas (phase?)");
  expect((await ask("/moons/io?phase=half", "runs:read")).status).toBe(422);
});

test("a request without a route is refused, whatever its key", async () => {
  const shell = evaluationShell();
  const statuses = await Promise.all(
    scopes.map(async (scope) => (await send(shell, "/moons", { headers: { "x-api-key": keyOf(scope) } })).status),
  );
  expect(new Set(statuses)).toEqual(new Set([404]));
  expect((await send(shell, "/moons")).status).toBe(401);
});
