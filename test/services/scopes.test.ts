import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { expect, test } from "vitest";
import { scopes, type Scope } from "../../src/contract/operations/operation.ts";
import type { DemoEndpoint } from "../../src/models/demo/demo-endpoint.ts";
import { createEvaluationApp } from "../../src/services/evaluation/app.ts";
import type { EvaluationDependencies } from "../../src/services/evaluation/dependencies.ts";
import type { ShellEnvironment } from "../../src/services/http/shell-environment.ts";
import { createLog } from "../../src/services/http/log.ts";
import { runAgentApp } from "./agent-support.ts";

const keyOf = (scope: Scope) => `key-${scope}`;
const apiKeys = scopes.map((scope) => ({
  name: scope.replace(":", "-"),
  sha256: createHash("sha256").update(keyOf(scope)).digest("hex"),
  scopes: new Set([scope]),
}));

/** Routes that need no key, or only serve files of the page. */
const isPublic = (path: string) => /^\/(?:\*|healthz|readyz|openapi\.json|docs.*|page\/config)?$/.test(path);

/** Written here, not read from the declarations: a scope declared by mistake would otherwise agree with itself. */
const agentScopes: Record<string, Scope> = {
  "POST /": "agent",
  "GET /studio/models": "models:read",
  "POST /v1/chat/completions": "agent",
  "POST /v1/responses": "agent",
  "POST /agent/ui-messages": "agent",
  "POST /agent/ag-ui": "agent",
  "GET /v1/models": "models:read",
  "GET /v1/models/{model}": "models:read",
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
};

/** The scopes that each route must admit. */
const withAdmin = (routes: Record<string, Scope>): Record<string, readonly Scope[]> =>
  Object.fromEntries(
    Object.entries(routes).map(([route, wanted]) => [
      route,
      scopes.filter((scope) => scope === wanted || scope === "admin"),
    ]),
  );

/** For each registered route, the scopes that it admits. */
async function admittedScopes(app: Hono<ShellEnvironment>): Promise<Record<string, readonly Scope[]>> {
  const routes = app.routes.filter(({ method, path }) => method !== "ALL" && !(method === "GET" && isPublic(path)));
  const admitted: Record<string, readonly Scope[]> = {};
  for (const { method, path } of routes) {
    const sample = path.replace(/:\w+\{\.\+\}/, "some/name").replaceAll(/:\w+/g, "some-name");
    const name = `${method} ${path.replaceAll(/:(\w+)(?:\{\.\+\})?/g, "{$1}")}`;
    const admits = async (scope: Scope) => {
      const headers = { authorization: `Bearer ${keyOf(scope)}`, "content-type": "application/json" };
      const body = method === "GET" ? null : "null";
      return (await app.request(sample, { method, headers, body })).status !== 403;
    };
    const answers = await Promise.all(scopes.map(admits));
    admitted[name] = scopes.filter((_, index) => answers[index]);
  }
  return admitted;
}

test("admits exactly its scope and admin on every route of the agent backend", async () => {
  const demo = { listModels: () => ({}) } as unknown as DemoEndpoint;
  await using agent = await runAgentApp({}, { apiKeys, demo });
  expect(await admittedScopes(agent.app)).toEqual(withAdmin(agentScopes));
});

test("admits exactly its scope and admin on every route of the evaluation service", async () => {
  const dependencies = {
    log: createLog({ level: "silent" }),
    version: "0",
    apiKeys,
    allowedHosts: [],
    allowedOrigins: () => [],
    readiness: async () => {},
    bodyLimits: { depth: 32, keys: 1000, bytes: 1024 },
  } as unknown as EvaluationDependencies;
  expect(await admittedScopes(createEvaluationApp(dependencies))).toEqual(withAdmin(evaluationScopes));
});
